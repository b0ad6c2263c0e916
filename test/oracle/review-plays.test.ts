/** Approvals that a model reviews, on Parley and on the real Codex 0.166, each on its own home: the reviewer's request, the events, the denials. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { type MockReply, responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { ServerProcess, scratch } from "../support/process.ts";
import type { Message } from "../support/wire.ts";
import { mockHome, playOnBoth, program, type Side, skip } from "./side.ts";

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
}
const textOf = (item: Item | undefined): string => (item?.content ?? []).map((part) => part.text ?? "").join("");

/** What the thread's model was asked to do, call by call, follows the word. */
const playWord = "PLAY ";
const reviews: Record<string, unknown>[] = [];
const model = new MockProvider((response, request) => {
  const input = (Array.isArray(request.body["input"]) ? request.body["input"] : []) as readonly Item[];
  const isReview = JSON.stringify(request.body["text"] ?? {}).includes("risk_level");
  if (isReview) reviews.push(request.body);
  return stream(responsesFrames(isReview ? judged(input) : played(input)))(response, request);
});

/** The reviewer decides by the action alone, which comes last in both prompts. */
function judged(input: readonly Item[]): MockReply {
  const action =
    textOf(input.findLast((item) => /Planned action|"action":/.test(textOf(item))))
      .split(/Planned action|"action":/)
      .at(-1) ?? "";
  if (action.includes("odd")) return { text: "I do not know" };
  const outcome = action.includes("bad") ? "deny" : "allow";
  return { text: JSON.stringify({ risk_level: "medium", user_authorization: "low", outcome, rationale: `${outcome}ed for a reason` }) };
}

function played(input: readonly Item[]): MockReply {
  const at = input.findLastIndex((item) => item.role === "user" && textOf(item).startsWith(playWord));
  const commands = textOf(input[at]).slice(playWord.length).split(" ; ");
  const done = input.slice(at).filter(({ type }) => type?.endsWith("_call_output")).length;
  const cmd = commands[done];
  if (at < 0 || cmd === undefined) return { text: "over" };
  const args = { cmd, sandbox_permissions: "require_escalated", justification: "it is needed" };
  return { calls: [{ id: `call_${at}_${done}`, name: "exec_command", args: JSON.stringify(args) }] };
}

let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

function reviewed(folder: string): void {
  const file = path.join(folder, "home/config.toml");
  const config = readFileSync(file, "utf8").replace('"never"', '"on-request"').replace('"danger-full-access"', '"workspace-write"');
  writeFileSync(file, `approvals_reviewer = "auto_review"\n${config}`);
}

/** Why a review failed is said in each program's own words. */
const ownWords = (text: string | null): string | null =>
  text?.replace(/^(?:Automatic approval review failed: )?(?:guardian|the reviewer).*/, "…") ?? null;

function shown({ method, params }: Message): unknown[] {
  switch (method) {
    case "item/autoApprovalReview/started":
    case "item/autoApprovalReview/completed": {
      const {
        reviewId: _id,
        targetItemId: _target,
        startedAtMs: _start,
        completedAtMs: _end,
        threadId: _thread,
        turnId: _turn,
        ...rest
      } = params;
      return [[method, { ...rest, review: { ...rest.review, rationale: ownWords(rest.review.rationale) } }]];
    }
    case "guardianWarning":
      return [[method, params.message.replace(/(?<=failed: ).*/, "…")]];
    case "item/completed":
      return params.item.type === "commandExecution" ? [[params.item.command, params.item.status]] : [];
    case "turn/completed":
      return [params.turn.status];
    default:
      return [];
  }
}

async function play(side: Side, commands: string): Promise<unknown[]> {
  const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws") });
  const denied = commands.split(" ; ").filter((command) => !command.includes("good")).length;
  // Parley asks whoever is there about what the reviewer did not allow; here they decline it too.
  const asked = async (): Promise<void> => {
    for (let i = 0; i < denied; i++) await side.answerNext("item/commandExecution/requestApproval", { decision: "decline" });
  };
  const [messages] = await Promise.all([side.turn(thread.id, `${playWord}${commands}`), side.isCodex ? undefined : asked()]);
  return messages.filter(({ params }) => params.threadId === thread.id).flatMap(shown);
}

test("the reviewer's request, its events and its decisions are the same", { skip, timeout: 300_000 }, async (t) => {
  const outcome = await playOnBoth(
    { t, provider },
    async (side) => {
      reviews.length = 0;
      const allowed = await play(side, "echo good");
      const first = reviews[0] ?? assert.fail("no review");
      const format = JSON.stringify(first["text"]);
      const request = {
        model: first["model"],
        tools: (first["tools"] as readonly { name: string }[]).map(({ name }) => name).sort(),
        fields: ["risk_level", "user_authorization", "outcome", "rationale"].filter((field) => format.includes(field)),
      };
      const denied = await play(side, "echo bad ; echo good");
      const count = reviews.length;
      const odd = await play(side, "echo odd");
      return { allowed, request, denied, odd, asked: reviews.length - count };
    },
    reviewed,
  );
  assert.equal(outcome.asked, 3, "an answer that is no decision is asked for again, twice");
});

test("three denials in a row end a run in which nobody can be asked", { skip, timeout: 300_000 }, async (t) => {
  const outcomes: unknown[] = [];
  for (const which of [program, undefined]) {
    const folder = scratch(t);
    mockHome(folder, provider);
    const args = ["exec", "--json", "--approve-for-me", "--skip-git-repo-check", "-C", path.join(folder, "ws")];
    const env = { TMPDIR: path.join(folder, "tmp"), SHELL: "/bin/bash" };
    const prompt = `${playWord}echo good ; echo bad 1 ; echo bad 2 ; echo bad 3 ; echo good 2`;
    const run = new ServerProcess(t, [prompt], env, { folder, args, ...(which === undefined ? {} : { program: which }) });
    run.child.stdin.end();
    const { code } = await run.ended;
    const items = run.messages.flatMap(({ type, item }) =>
      type === "item.completed" && item.type === "command_execution" ? [[item.command, item.status]] : [],
    );
    outcomes.push({ code, items });
  }
  const [theirs, ours] = outcomes;
  assert.deepEqual(ours, theirs);
  assert.equal(JSON.stringify(ours).match(/declined/g)?.length, 3, JSON.stringify(ours));
});

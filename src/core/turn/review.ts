/** The automated reviewer: a run of its own inside a turn, whose findings end as plain text. */
import type { Infer } from "../../lib/schema.ts";
import { array, named, number, object, optional, parse, string } from "../../lib/schema.ts";
import type { ReviewTarget } from "../../protocol/review.ts";
import { reviewContext } from "../context/context.ts";
import { History, userMessage } from "../context/history.ts";
import type { Run } from "../model/run.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import { openTurn } from "./input.ts";
import type { LiveTurn } from "./live-turn.ts";
import { reviewPrompt } from "./review-prompt.ts";
import { type TurnOutcome, work } from "./turn.ts";

const Finding = named("ReviewFinding", () =>
  object({
    title: string(),
    body: string(),
    confidence_score: optional(number()),
    priority: optional(number()),
    code_location: optional(object({ absolute_file_path: string(), line_range: object({ start: number(), end: number() }) })),
  }),
);
const Verdict = named("ReviewVerdict", () =>
  object({
    findings: array(Finding()),
    overall_correctness: optional(string()),
    overall_explanation: optional(string()),
    overall_confidence_score: optional(number()),
  }),
);
type Verdict = Infer<typeof Verdict>;

/** The subject of the review, as shown to the person. */
export function targetLabel(target: ReviewTarget): string {
  switch (target.type) {
    case "uncommittedChanges":
      return "current changes";
    case "baseBranch":
      return `changes against '${target.branch}'`;
    case "commit":
      return target.title ? `commit ${target.sha.slice(0, 7)}: ${target.title}` : `commit ${target.sha.slice(0, 7)}`;
    case "custom":
      return target.instructions.trim();
  }
}

function task(target: ReviewTarget): string {
  switch (target.type) {
    case "uncommittedChanges":
      return "Review the current code changes: staged, unstaged and untracked files. Give prioritised findings.";
    case "baseBranch":
      return `Review the changes of this branch against \`${target.branch}\`. Find the merge base with \`git merge-base HEAD ${target.branch}@{upstream}\` (or \`${target.branch}\` itself when it has no upstream), then look at \`git diff <merge base>\`. Give prioritised findings.`;
    case "commit":
      return `Review the commit ${target.sha}${target.title ? ` ("${target.title}")` : ""}: what it changes and what that breaks. Give prioritised findings.`;
    case "custom":
      return target.instructions.trim();
  }
}

export async function reviewTurn(turn: LiveTurn, target: ReviewTarget): Promise<TurnOutcome> {
  const { thread } = turn;
  const label = targetLabel(target);
  const entered = { type: "enteredReviewMode" as const, id: thread.ports.ids.item(), review: label };
  await openTurn(turn);
  turn.items.start(entered);
  await turn.items.complete(entered);
  turn.changeSettings(reviewerRules(turn.settings));
  const run = reviewRun(turn);
  const failed = await begin(run, target)
    .then(() => work(run))
    .catch(async (error: unknown) => {
      await leave(turn, "The review was interrupted before the reviewer had answered.");
      throw error;
    });
  if (failed !== undefined) {
    await leave(turn, "The reviewer could not answer.");
    return { status: "failed", error: failed };
  }
  const text = rendered(turn.lastAgentMessage ?? "");
  await leave(turn, text);
  const message = { type: "agentMessage" as const, id: thread.ports.ids.item(), text };
  turn.items.start(message);
  turn.lastAgentMessage = text;
  await turn.items.complete(message, [
    userMessage(
      `<user_action>\n<context>The user asked for a review of ${label}; these are its results.</context>\n<results>\n${text}\n</results>\n</user_action>`,
    ),
  ]);
  return { status: "completed" };
}

/** A reviewer changes nothing and asks nobody. Where the person runs without a sandbox, none may be available for it. */
function reviewerRules(settings: ThreadSettings): ThreadSettings {
  const rules: ThreadSettings = { ...settings, mode: "default", modeInstructions: null, approvalPolicy: "never" };
  const { type } = settings.sandboxPolicy;
  // Rules about files stay: under a read-only policy none of them allows writing.
  if (type !== "readOnly" && type !== "workspaceWrite") return Object.freeze(rules);
  const confined: ThreadSettings = { ...rules, sandboxPolicy: { type: "readOnly", networkAccess: false }, permissionProfile: null };
  return Object.freeze(confined);
}

/** The tools of a reviewer: running commands, and viewing images. */
const reviewerTools: ReadonlySet<string> = new Set(["exec_command", "write_stdin", "shell_command", "shell", "local_shell", "view_image"]);

/** The reviewer's own run: its prompt, its model, and a history that ends with it. The thread's settings and history are not touched. */
function reviewRun(turn: LiveTurn): Run<LiveTurn> {
  const { thread } = turn;
  const { config, ports } = thread;
  const model = config.reviewModel;
  const chosen = model === undefined ? {} : { model, modelProvider: ports.chooseModel(config, model, undefined).provider };
  const settings = Object.freeze({ ...turn.settings, ...chosen, baseInstructions: reviewPrompt });
  return {
    turn,
    get settings() {
      return turn.fallback === undefined ? settings : { ...settings, ...turn.fallback };
    },
    instructions: reviewPrompt,
    history: new History(),
    isThreads: false,
    isVisible: false,
    aside: { kind: "review", id: ports.ids.thread() },
    offers: ({ name, namespace }) => namespace === undefined && reviewerTools.has(name),
    context: () => reviewContext(thread, settings),
  };
}

async function begin(run: Run, target: ReviewTarget): Promise<void> {
  for (const item of [...(await run.context()), userMessage(task(target))]) run.history.add(item);
}

/** Every entered review is exited, however it ends: clients use these two items to show review mode. */
async function leave(turn: LiveTurn, review: string): Promise<void> {
  const exited = { type: "exitedReviewMode" as const, id: turn.thread.ports.ids.item(), review };
  turn.items.start(exited);
  await turn.items.complete(exited);
}

/** Findings as text for people; output in any other format is quoted unchanged. */
function rendered(text: string): string {
  const verdict = verdictIn(text);
  if (verdict === undefined) return text.trim() === "" ? "The reviewer gave no answer." : text.trim();
  const { findings, overall_explanation: explanation } = verdict;
  const parts = [explanation?.trim() ?? ""];
  if (findings.length > 0) parts.push(findings.length === 1 ? "Review comment:" : "Full review comments:");
  for (const finding of findings) {
    const at = finding.code_location;
    const place = at === undefined ? "" : ` — ${at.absolute_file_path}:${at.line_range.start}-${at.line_range.end}`;
    parts.push(
      `- ${finding.title}${place}\n${finding.body
        .trim()
        .split("\n")
        .map((line) => `  ${line}`)
        .join("\n")}`,
    );
  }
  return parts.filter((part) => part !== "").join("\n\n") || "No findings.";
}

function verdictIn(text: string): Verdict | undefined {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start === -1 || end < start) return undefined;
  try {
    return parse(Verdict, JSON.parse(text.slice(start, end + 1)));
  } catch {
    return undefined;
  }
}

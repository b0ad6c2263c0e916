/** The same steps with waiting messages and goals on Parley and on the real Codex 0.166, each on its own home. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { responsesFrames } from "../support/model-mocks/frames.ts";
import { MockProvider, stream } from "../support/model-mocks/server.ts";
import { playOnBoth, type Side, skip } from "./side.ts";

/** Answers when `hold` is no longer there; works twice for a goal, then ends it. */
let hold: string | undefined;
let goalTurns = 0;
const model = new MockProvider(async (response, request) => {
  while (hold !== undefined && existsSync(hold)) await pause(20);
  const input = JSON.stringify(request.body["input"]).split("codex_internal_context source").at(-1) ?? "";
  const isForGoal = JSON.stringify(request.body["input"]).includes("codex_internal_context source");
  if (!isForGoal || input.includes("_call_output")) return stream(responsesFrames({ text: "answered" }))(response, request);
  const last = ++goalTurns % 3 === 0;
  const call = last
    ? { id: `call_goal_${goalTurns}`, name: "update_goal", args: '{"status":"complete"}' }
    : { id: `call_goal_${goalTurns}`, name: "exec_command", args: '{"cmd":"true"}' };
  return stream(responsesFrames({ calls: [call] }))(response, request);
});
let provider = "";
test.before(async () => {
  provider = await model.listen();
});
test.after(() => model[Symbol.asyncDispose]());

const text = (words: string) => [{ type: "text", text: words, text_elements: [] }];

/** A thread with an open request to the model. */
async function busy(side: Side): Promise<{ threadId: string; turnId: string; release: () => Promise<void> }> {
  const gate = path.join(side.folder, "gate");
  writeFileSync(gate, "");
  hold = gate;
  const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws") });
  const { turn } = await side.call("turn/start", { threadId: thread.id, input: text("begin") });
  await side.until((m) => m.method === "item/completed" && m.params.item.type === "userMessage", "the message");
  const release = async (): Promise<void> => {
    hold = undefined;
  };
  return { threadId: thread.id, turnId: turn.id, release };
}

/** Names for ids in the order in which they first occur. */
function withoutIds(value: unknown): unknown {
  const names = new Map<string, string>();
  return JSON.parse(
    JSON.stringify(value).replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      names.set(id, names.get(id) ?? `<${names.size}>`);
      return names.get(id) ?? "";
    }),
  );
}
/** Codex charges the request that ends the goal, or not: it depends on whether the call or the usage is read first. */
const charged = (tokens: number): number => (tokens === 550 ? 440 : tokens);
const withoutTimes = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner) => {
      if (key === "tokensUsed") return charged(inner);
      return ["createdAt", "updatedAt", "timeUsedSeconds"].includes(key) ? 0 : inner;
    }),
  );
const userMessages = (side: Side): unknown[] =>
  side.received.flatMap(({ method, params }) =>
    method === "item/completed" && params.item.type === "userMessage" ? [[params.item.content, params.item.clientId]] : [],
  );
const endsOf = (side: Side): string[] =>
  side.received.flatMap(({ method, params }) => (method === "turn/completed" ? [params.turn.status] : []));

test("the queue: the same answers, notifications, order and behaviour after an interrupt", { skip, timeout: 300_000 }, async (t) => {
  const outcome = await playOnBoth({ t, provider }, async (side) => {
    const answers: unknown[] = [];
    const ask = async (method: string, params: object) => {
      const answer = await side.call(`thread/queue/${method}`, params).catch(String);
      answers.push([method, answer]);
      return answer;
    };
    const { threadId, turnId, release } = await busy(side);
    const ids: string[] = [];
    for (const words of ["one", "two", "three", "four"])
      ids.push((await ask("add", { threadId, clientUserMessageId: words, input: text(words) })).queuedSubmission.id);
    await ask("list", { threadId, limit: 3 });
    await ask("list", { threadId, cursor: "3" });
    await ask("add", { threadId, clientUserMessageId: "x", input: [] });
    await ask("update", { threadId, queuedSubmissionId: ids[1], input: text("changed") });
    await ask("update", { threadId, queuedSubmissionId: "none", input: text("changed") });
    await ask("delete", { threadId, queuedSubmissionId: ids[0] });
    await ask("delete", { threadId, queuedSubmissionId: ids[0] });
    await ask("reorder", { threadId, queuedSubmissionIds: ids });
    await ask("reorder", { threadId, queuedSubmissionIds: [ids[3], ids[2], ids[1]] });
    await ask("start", { threadId });
    await side.call("turn/interrupt", { threadId, turnId });
    await side.until((m) => m.method === "turn/completed", "the end of the interrupted turn");
    await ask("list", { threadId });
    await release();
    const { turn } = await side.call("thread/queue/start", { threadId, queuedSubmissionId: ids[2] });
    await side.until((m) => m.method === "turn/completed" && m.params.turn.id === turn.id, "the end of the chosen one");
    await side.until(() => endsOf(side).length === 4, "the end of the others");
    await ask("list", { threadId });
    await ask("start", { threadId });
    const changes = side.received.filter(({ method }) => method === "thread/queue/changed").length;
    return withoutIds([answers, userMessages(side), endsOf(side), changes]);
  });
  assert.ok(outcome);
});

test("goals: the same answers, turns that start by themselves, and tokens", { skip, timeout: 300_000 }, async (t) => {
  const outcome = await playOnBoth({ t, provider }, async (side) => {
    goalTurns = 0;
    const answers: unknown[] = [];
    const { thread } = await side.call("thread/start", { cwd: path.join(side.folder, "ws") });
    const threadId = thread.id;
    const ask = async (method: string, params: object) => {
      const answer = await side.call(`thread/goal/${method}`, { threadId, ...params }).catch(String);
      answers.push([method, answer]);
    };
    await side.turn(threadId, "begin");
    await ask("get", {});
    await ask("set", { status: "active" });
    await ask("set", { objective: " " });
    await ask("set", { objective: "x".repeat(4001) });
    await ask("set", { objective: "x", tokenBudget: -1 });
    await ask("set", { objective: " find it ", status: "paused", tokenBudget: 5000 });
    await ask("set", { tokenBudget: 9000 });
    await ask("clear", {});
    await ask("clear", {});
    await side.call("thread/goal/set", { threadId, objective: "find it" });
    await side.until((m) => m.method === "thread/goal/updated" && m.params.goal.status === "complete", "the end of the goal");
    await side.until(() => endsOf(side).length === 4, "the end of its turns");
    await ask("get", {});
    const items = side.received.flatMap(({ method, params }) =>
      method === "item/completed" ? [`${params.item.type} ${params.item.status ?? ""}`] : [],
    );
    const charges = side.received.flatMap(({ method, params }) =>
      method === "thread/goal/updated" && params.goal.status === "active" ? [params.goal.tokensUsed] : [],
    );
    return withoutTimes(withoutIds([answers, items, endsOf(side), charges.filter((tokens) => tokens <= 440)]));
  });
  assert.match(JSON.stringify(outcome), /"status":"complete","tokenBudget":null,"tokensUsed":440/);
  assert.match(JSON.stringify(outcome), /\[0,110,220,330,440\]/);
});

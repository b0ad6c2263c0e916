/** `thread/goal/*`: a goal that a thread pursues in turns that start by themselves. */
import assert from "node:assert/strict";
import { type Stage, verifies } from "../../support/verifies.ts";
import type { Message, Wire } from "../../support/wire.ts";

const text = (words: string) => [{ type: "text", text: words, text_elements: [] }];
const work = { run: "true" };
const complete = { call: "update_goal", with: { status: "complete" } };

interface Opened {
  readonly wire: Wire;
  readonly threadId: string;
}

async function connect(stage: Stage, options: object = {}): Promise<Wire> {
  const wire = await stage.wire(options);
  await wire.initialize({ experimentalApi: true, requestAttestation: false });
  return wire;
}
async function open(stage: Stage, turns: readonly unknown[], config = ""): Promise<Opened> {
  const wire = await connect(stage, { turns, config });
  const settings = { approvalPolicy: "never", sandbox: "danger-full-access" };
  const { thread } = (await wire.ask("thread/start", { cwd: stage.workspace, ...settings })).result;
  return { wire, threadId: thread.id };
}
const set = ({ wire, threadId }: Opened, params: object): Promise<Message> => wire.ask("thread/goal/set", { threadId, ...params });
const goalOf = async ({ wire, threadId }: Opened): Promise<Message> => (await wire.ask("thread/goal/get", { threadId })).result.goal;
const has =
  (status: string) =>
  ({ method, params }: Message): boolean =>
    method === "thread/goal/updated" && params.goal.status === status;
const endsOf = (wire: Wire): string[] => wire.received.filter((m) => m.method === "turn/completed").map((m) => m.params.turn.status);
const ends = (wire: Wire, count: number): Promise<Message> => wire.until(() => endsOf(wire).length >= count, `the end of ${count} turns`);
const idle = ({ method, params }: Message): boolean => method === "thread/status/changed" && params.status.type === "idle";

verifies("goal.pursued", async (stage) => {
  const started = await open(stage, [
    [{ expect: { user: "/<objective>\nfind &lt;it&gt;\n<\\/objective>/", tools: ["update_goal"] } }, work, { say: "looked" }],
    [{ usage: { input: 120, cached: 40, output: 30 } }, work, { say: "more to do" }],
    [{ call: "get_goal" }, { expect: { output: '/"status":"active".*"remainingTokens":[0-9]+,/' } }, complete, { say: "found" }],
  ]);
  const { wire, threadId } = started;
  assert.equal(await goalOf(started), null);
  assert.match((await set(started, { status: "paused" })).error.message, /: no goal exists$/);
  const { goal } = (await set(started, { objective: "  find <it> ", tokenBudget: 100_000 })).result;
  assert.deepEqual(
    [goal.threadId, goal.objective, goal.status, goal.tokenBudget, goal.tokensUsed],
    [threadId, "find <it>", "active", 100_000, 0],
  );
  await wire.until(has("complete"), "the end of the goal");
  await ends(wire, 3);
  assert.deepEqual(endsOf(wire), ["completed", "completed", "completed"]);
  assert.ok(!wire.received.some((m) => m.method === "item/started" && m.params.item.type === "userMessage"), "nobody wrote anything");
  const last = await goalOf(started);
  assert.equal(last.status, "complete");
  assert.ok(last.tokensUsed > 0 && last.tokensUsed < 100_000, String(last.tokensUsed));
  assert.deepEqual((await wire.ask("thread/goal/clear", { threadId })).result, { cleared: true });
  await wire.notification("thread/goal/cleared");
  assert.deepEqual((await wire.ask("thread/goal/clear", { threadId })).result, { cleared: false });
});

verifies("goal.bounds", async (stage) => {
  const started = await open(
    stage,
    [
      [
        { usage: { input: 120, cached: 40, output: 30 } },
        work,
        { expect: { user: "/budget of this thread's goal is spent/" } },
        { say: "stopped" },
      ],
    ],
    `[goals]
    max_goal_token_budget = 500`,
  );
  const refusal = async (params: object): Promise<string> => (await set(started, params)).error.message;
  assert.equal(await refusal({ objective: " " }), "goal objective must not be empty");
  assert.equal(await refusal({ objective: "x".repeat(4001) }), "goal objective must be at most 4000 characters");
  assert.equal(await refusal({ objective: "x", tokenBudget: 0 }), "goal budgets must be positive when provided");
  assert.match(await refusal({ objective: "x", tokenBudget: 501 }), /exceeds the maximum of 500/);
  assert.equal((await set(started, { objective: "x", status: "paused" })).result.goal.tokenBudget, 500, "the largest where none is named");
  assert.equal((await set(started, { tokenBudget: 110 })).result.goal.status, "paused");
  assert.equal((await set(started, { status: "active" })).result.goal.status, "active");
  await started.wire.until(has("budgetLimited"), "the end of the budget");
  await ends(started.wire, 1);
  assert.deepEqual(endsOf(started.wire), ["completed"], "the model was told to stop");
  const goal = await goalOf(started);
  assert.equal(goal.status, "budgetLimited", "no further turn starts");
  assert.ok(goal.tokensUsed >= 110, "110 of the first answer: what was cached costs nothing");
  assert.equal((await set(started, { status: "active" })).result.goal.status, "budgetLimited", "there is nothing left to spend");
});

verifies("goal.stopped", async (stage) => {
  const nothing = [{ say: "nothing to do" }];
  const failing = [{ fail: "badRequest" }];
  const limited = [{ fail: "usageLimitExceeded" }];
  const started = await open(stage, [failing, limited, nothing, nothing, nothing]);
  await set(started, { objective: "x" });
  await started.wire.until(has("blocked"), "the end after a failure");
  await set(started, { status: "active" });
  await started.wire.until(has("usageLimited"), "the end at the usage limit");
  const before = started.wire.received.length;
  await set(started, { status: "active" });
  const warned = await started.wire.until((m) => m.method === "warning" && /goal is blocked/.test(m.params.message), "the warning");
  assert.ok(started.wire.received.indexOf(warned) > before);
  assert.deepEqual(endsOf(started.wire), ["failed", "failed", "completed", "completed", "completed"]);
  assert.equal((await goalOf(started)).status, "blocked");
});

verifies("goal.interrupted", async (stage) => {
  const long = [{ run: "sleep 60" }, { say: "never" }];
  const started = await open(stage, [long, [work, { say: "asked" }], [complete, { say: "done" }]]);
  const { wire, threadId } = started;
  await set(started, { objective: "x" });
  const command = await wire.until((m) => m.method === "item/started" && m.params.item.type === "commandExecution", "the command");
  await wire.ask("turn/interrupt", { threadId, turnId: command.params.turnId });
  await ends(wire, 1);
  assert.equal((await goalOf(started)).status, "active", "it stays active, and nothing starts");
  await stage.restart();
  const again = await connect(stage);
  await again.ask("thread/resume", { threadId });
  await again.until(has("active"), "the goal of the opened thread");
  assert.deepEqual(endsOf(again), []);
  // A message of the person's is worked on first; then the goal goes on.
  await again.ask("turn/start", { threadId, input: text("go on") });
  await again.until(has("complete"), "the end of the goal");
  await ends(again, 2);
  assert.deepEqual(endsOf(again), ["completed", "completed"]);
});

verifies("goal.beside", async (stage) => {
  const create = { call: "create_goal", with: { objective: "made by the model" } };
  const started = await open(stage, [
    [create, create, { say: "created" }],
    [{ expect: { user: "from the queue" } }, work, { say: "first" }],
    [{ expect: { user: "/made by the model/" } }, complete, { say: "done" }],
  ]);
  const { wire, threadId } = started;
  const add = { threadId, clientUserMessageId: "q", input: text("from the queue") };
  await wire.ask("turn/start", { threadId, input: text("set yourself a goal"), collaborationMode: null });
  await wire.ask("thread/queue/add", add);
  await wire.until(has("complete"), "the end of the goal");
  await ends(wire, 3);
  assert.deepEqual(endsOf(wire), ["completed", "completed", "completed"], "what waits comes before the goal");
  const { thread } = (await wire.ask("thread/start", { cwd: stage.workspace, ephemeral: true })).result;
  assert.equal(
    (await wire.ask("thread/goal/set", { threadId: thread.id, objective: "x" })).error.message,
    `ephemeral thread does not support goals: ${thread.id}`,
  );
  await wire.until(idle, "idle");
});

verifies("goal.off", async (stage) => {
  const started = await open(stage, [[complete, { say: "tried" }]], "[features]\ngoals = false");
  for (const method of ["set", "get", "clear"])
    assert.equal(
      (await started.wire.ask(`thread/goal/${method}`, { threadId: started.threadId, objective: "x" })).error.message,
      "goals feature is disabled",
    );
});

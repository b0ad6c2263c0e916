/** A front that hangs: its clients go on at another one, and when it wakes it tells those who stayed nothing that is not true any more. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { noPostgres } from "../support/postgres.ts";
import type { Message } from "../support/wire.ts";
import { type FleetClient, FleetStage } from "./stage.ts";

const turns = [
  { user: "/ask/", steps: [{ run: "echo asked >> asked" }, { say: "Asked." }] },
  { user: "/./", steps: [{ say: "You said {{user}}.", deltas: 5 }] },
];
const isQuestion = ({ method }: Message): boolean => method === "item/commandExecution/requestApproval";
const inputOf = (text: string): object[] => [{ type: "text", text }];

/** What is durable, in the order in which the client was told. */
const durable = (client: FleetClient): string[] =>
  client.messages.flatMap(({ method, params }) => {
    if (method === "item/completed") return [`item ${params.turnId} ${params.item.id}`];
    return method === "turn/completed" ? [`turn ${params.turn.id} ${params.turn.status}`] : [];
  });

test("clients of a front that is stopped go on at another, and it tells nothing stale when it wakes", {
  skip: noPostgres,
  timeout: 180_000,
}, async (t) => {
  const stage = await FleetStage.start(t, turns);
  const workers = await stage.workers("w1", "w2");
  const [one, two] = await Promise.all([stage.front(), stage.front()]);
  const token = await stage.token();
  const [stays, leaves] = await Promise.all([one.client(token), one.client(token)]);
  const threadId = await stays.startThread(stage.settings({ approvalPolicy: "untrusted" }));
  // At the other worker, which stays.
  const left = await leaves.startThread(stage.settings());
  await leaves.turn(left, "before");
  assert.notEqual(await stage.holder(left), await stage.holder(threadId));
  const asking = await stays.startTurn(threadId, "ask");
  const asked = await stays.waitFor(isQuestion, "the question");

  one.process.signal("SIGSTOP");
  const stoppedAt = performance.now();
  // What is on its way to the front when it hangs: of one who leaves, and of one who waits.
  leaves.send({ id: 1, method: "turn/start", params: { threadId: left, input: inputOf("from one who left") } });
  leaves.close();
  stays.send({ id: asked.id, result: { decision: "decline" } });
  const waits = stays.ask("thread/read", { threadId, includeTurns: true });

  const other = await two.client(token);
  await other.call("thread/resume", { threadId });
  const again = await other.waitFor(isQuestion, "the question again");
  other.send({ id: again.id, result: { decision: "accept" } });
  assert.equal((await other.turnEnd(asking)).status, "completed");
  const before = await other.turn(threadId, "before the worker's death");
  const holder = await stage.holder(threadId);
  await workers.find(({ name }) => name === holder)?.kill();
  await other.moved(threadId);
  const after = await other.turn(threadId, "after the worker's death");
  await sleep(Math.max(0, 3000 - (performance.now() - stoppedAt))); // not shorter than clients wait

  one.process.signal("SIGCONT");
  assert.equal((await stays.turnEnd(after.id)).status, "completed");
  const ends = durable(stays).filter((what) => what.startsWith("turn "));
  assert.deepEqual(
    ends,
    [asking, before.id, after.id].map((id) => `turn ${id} completed`),
  );
  assert.equal(new Set(durable(stays)).size, durable(stays).length, "nothing durable is told twice");
  await stays.waitFor((m) => m.method === "serverRequest/resolved" && m.params.requestId === asked.id, "the question's end");
  assert.equal(stays.messages.filter(isQuestion).length, 1);
  assert.equal(readFileSync(path.join(stage.workspace, "asked"), "utf8"), "asked\n", "the first answer counts");
  const shown = (await waits).result.thread.turns.map(({ id, status }: Message) => `${id} ${status}`);
  const stored = (await other.call("thread/read", { threadId, includeTurns: true })).thread.turns;
  assert.deepEqual(
    stored.map(({ id }: Message) => id),
    [asking, before.id, after.id],
  );
  assert.deepEqual(
    shown,
    stored.map(({ id }: Message) => `${id} completed`),
  );
  assert.equal((await stays.turn(threadId, "on")).status, "completed");
  const ofLeft = (await other.call("thread/read", { threadId: left, includeTurns: true })).thread.turns;
  assert.equal(ofLeft.length, 1, "what one who left had asked for is not carried out");
});

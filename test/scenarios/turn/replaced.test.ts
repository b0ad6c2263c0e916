/** Requests made while a turn runs that cannot run at the same time. */
import assert from "node:assert/strict";
import type { Client } from "../../../src/client/client.ts";
import { verifies } from "../../support/verifies.ts";

const endless = [{ say: "half" }, { pause: 600_000 }, { say: "whole" }];
const text = (content: string) => [{ type: "text" as const, text: content, text_elements: [] }];

/** Starts a turn that does not end by itself, and returns its id once it is running. */
async function underWay(client: Client, threadId: string): Promise<string> {
  const began = Promise.withResolvers<void>();
  const stop = client.on("item/agentMessage/delta", () => began.resolve());
  const { turn } = await client.call("turn/start", { threadId, input: text("go") });
  await began.promise;
  stop();
  return turn.id;
}

verifies("turn.replaced", async ({ app, workspace }) => {
  const review = JSON.stringify({ findings: [], overall_correctness: "ok", overall_explanation: "E", overall_confidence_score: 1 });
  const client = await app({
    turns: [[{ say: "first" }], endless, [{ say: "HAND-OVER" }], endless, [{ say: review }], endless, [{ say: "last" }]],
  });
  const thread = await client.startThread({ cwd: workspace });
  const { id: threadId } = thread;
  const first = await thread.run("begin");
  const ended: string[] = [];
  let notified = Promise.withResolvers<void>();
  client.on("turn/completed", ({ turn }) => {
    ended.push(`${turn.id} ${turn.status}`);
    notified.resolve();
  });
  const both = async (): Promise<string[]> => {
    while (ended.length < 2) {
      await notified.promise;
      notified = Promise.withResolvers();
    }
    return ended.splice(0).map((line) => line.split(" ")[1] ?? "");
  };
  await underWay(client, threadId);
  await client.call("thread/compact/start", { threadId });
  assert.deepEqual(await both(), ["interrupted", "completed"]);
  const running = await underWay(client, threadId);
  const { turn } = await client.call("review/start", { threadId, target: { type: "custom", instructions: "look" } });
  assert.notEqual(turn.id, running);
  assert.deepEqual(await both(), ["interrupted", "completed"]);
  const last = await underWay(client, threadId);
  const { thread: reverted } = await client.call("thread/revert", { threadId, beforeTurnId: last });
  assert.equal(reverted.turns[0]?.id, first.turnId);
  assert.ok(!reverted.turns.some((kept) => kept.id === last));
  assert.deepEqual(ended, [`${last} interrupted`]);
  assert.equal((await thread.run("go on")).text, "last");
});

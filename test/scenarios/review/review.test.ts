/** `review/start` for every target, in the thread and beside it. */
import assert from "node:assert/strict";
import type { ReviewTarget } from "../../../src/protocol/review.ts";
import { verifies } from "../../support/verifies.ts";

const at = { absolute_file_path: "/x/a.js", line_range: { start: 3, end: 4 } };
const verdict = JSON.stringify({
  findings: [{ title: "[P1] Off by one", body: "skips the last row", code_location: at }],
  overall_explanation: "Mostly fine.",
});
const targets: readonly (readonly [ReviewTarget, string])[] = [
  [{ type: "uncommittedChanges" }, "current changes"],
  [{ type: "baseBranch", branch: "main" }, "changes against 'main'"],
  [{ type: "commit", sha: "1234567deadbeef", title: "Polish" }, "commit 1234567: Polish"],
  [{ type: "custom", instructions: "look at the loop" }, "look at the loop"],
];

verifies("review.targets", async ({ app, workspace }) => {
  const client = await app({ turns: targets.map(() => [{ say: verdict }]) });
  const thread = await client.startThread({ cwd: workspace });
  for (const [target, label] of targets) {
    const items: [string, string][] = [];
    const ended = Promise.withResolvers<string>();
    const stops = [
      client.on("item/completed", (p) => {
        if (p.item.type === "enteredReviewMode" || p.item.type === "exitedReviewMode") items.push([p.item.type, p.item.review]);
      }),
      client.on("turn/completed", (p) => ended.resolve(p.turn.status)),
    ];
    const answer = await client.call("review/start", { threadId: thread.id, target, delivery: "inline" });
    assert.equal(answer.reviewThreadId, thread.id);
    assert.equal(answer.turn.items[0]?.id, answer.turn.id, "the request carries the turn's own id");
    assert.equal(await ended.promise, "completed");
    for (const stop of stops) stop();
    assert.deepEqual(items[0], ["enteredReviewMode", label]);
    assert.match(items[1]?.[1] ?? "", /Mostly fine\.[\s\S]*Off by one — \/x\/a\.js:3-4/);
  }
});

verifies("review.detached", async ({ app, workspace }) => {
  const client = await app({ turns: [[{ say: "hello" }], [{ say: verdict }]] });
  const thread = await client.startThread({ cwd: workspace });
  await thread.run("hi");
  const started = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<string>();
  client.on("thread/started", (p) => started.resolve(p.thread.id));
  client.on("turn/completed", (p) => ended.resolve(p.threadId));
  const answer = await client.call("review/start", { threadId: thread.id, target: { type: "uncommittedChanges" }, delivery: "detached" });
  assert.notEqual(answer.reviewThreadId, thread.id);
  assert.deepEqual([await started.promise, await ended.promise], [answer.reviewThreadId, answer.reviewThreadId]);
});

verifies("review.left", async ({ app, workspace }) => {
  const client = await app({
    turns: [[{ fail: { kind: "badRequest", message: "no" } }], [{ pause: 60_000 }, { say: verdict }]],
  });
  const thread = await client.startThread({ cwd: workspace });
  const events: string[] = [];
  let ended = Promise.withResolvers<void>();
  client.on("item/completed", (p) => p.item.type.endsWith("ReviewMode") && events.push(p.item.type));
  client.on("turn/completed", (p) => {
    events.push(p.turn.status);
    ended.resolve();
  });
  const target: ReviewTarget = { type: "uncommittedChanges" };
  await client.call("review/start", { threadId: thread.id, target });
  await ended.promise;
  ended = Promise.withResolvers();
  const { turn } = await client.call("review/start", { threadId: thread.id, target });
  await client.call("turn/interrupt", { threadId: thread.id, turnId: turn.id });
  await ended.promise;
  assert.deepEqual(events, ["enteredReviewMode", "exitedReviewMode", "failed", "enteredReviewMode", "exitedReviewMode", "interrupted"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "./app.ts";
import { Subscriptions } from "./subscriptions.ts";

test("the pending requests of one thread are limited; the next is refused with a reason, and one of another thread is sent", async () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error("nobody sleeps here")) };
  const subscriptions = new Subscriptions({ clock, log: silent, timeoutFor: () => undefined, wireCheck: undefined });
  subscriptions.listening = true;
  const stop = new AbortController();
  const ask = (threadId: string) =>
    subscriptions.ask(
      threadId,
      "item/tool/requestUserInput",
      { threadId, turnId: "t", itemId: "i", isBlocking: true, questions: [] },
      stop.signal,
    );
  const waiting = Array.from({ length: 64 }, () => ask("one"));
  const refused = await ask("one");
  assert.deepEqual(refused, { kind: "refused", message: "64 questions of this thread wait for an answer already", by: "the server" });
  waiting.push(ask("other"));
  assert.equal(subscriptions.pendingOn("other").length, 1);
  stop.abort(new Error("enough"));
  for (const end of await Promise.allSettled(waiting)) assert.equal(end.status, "rejected");
});

test("the pending v1 requests of one connection are limited; the next counts as refused, and another connection is asked", async () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error("nobody sleeps here")) };
  const subscriptions = new Subscriptions({ clock, log: silent, timeoutFor: () => undefined, wireCheck: undefined });
  const asked: string[] = [];
  const session = (name: string) =>
    ({ client: { name }, onClose: new Set<() => void>(), peer: { send: () => void asked.push(name) } }) as unknown as Session & {
      readonly onClose: Set<() => void>;
    };
  const [one, other] = [session("one"), session("other")];
  const waiting = Array.from({ length: 64 }, () => subscriptions.askSession(one, "execCommandApproval", {}));
  assert.equal(await subscriptions.askSession(one, "execCommandApproval", {}), undefined);
  waiting.push(subscriptions.askSession(other, "execCommandApproval", {}));
  assert.deepEqual([asked.filter((name) => name === "one").length, asked.at(-1)], [64, "other"]);
  for (const { onClose } of [one, other]) for (const gone of [...onClose]) gone();
  assert.ok((await Promise.all(waiting)).every((answer) => answer === undefined));
});

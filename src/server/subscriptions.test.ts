import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { Peer } from "../rpc/peer.ts";
import { LinesTransport } from "../rpc/stdio.ts";
import { memoryPair } from "../rpc/transport.ts";
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
      { signal: stop.signal },
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
  for (const each of [one, other]) subscriptions.join(each);
  const waiting = Array.from({ length: 64 }, () => subscriptions.askSession(one, "execCommandApproval", {}));
  assert.equal(await subscriptions.askSession(one, "execCommandApproval", {}), undefined);
  waiting.push(subscriptions.askSession(other, "execCommandApproval", {}));
  assert.deepEqual([asked.filter((name) => name === "one").length, asked.at(-1)], [64, "other"]);
  for (const { onClose } of [one, other]) for (const gone of [...onClose]) gone();
  assert.ok((await Promise.all(waiting)).every((answer) => answer === undefined));
});

test("a client that does not know a request leaves it to the others; when they have left, it is refused", async () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error("nobody sleeps here")) };
  const subscriptions = new Subscriptions({ clock, log: silent, timeoutFor: () => undefined, wireCheck: undefined });
  const session = (name: string) =>
    ({ client: { name, title: null }, optOut: new Set(), transport: "memory", peer: { send: () => {} } }) as unknown as Session;
  const [old, current, later] = [session("old"), session("current"), session("later")];
  for (const one of [old, current, later]) {
    subscriptions.join(one);
    subscriptions.subscribe(one, "t");
  }
  const ask = () =>
    subscriptions.ask(
      "t",
      "item/tool/requestUserInput",
      { threadId: "t", turnId: "t", itemId: "i", isBlocking: true, questions: [] },
      { signal: new AbortController().signal },
    );
  const unknown = { error: { code: -32601, message: "unknown" } } as never;
  const first = ask();
  const [id = -1] = subscriptions.pendingOn("t");
  subscriptions.answered(old, id, unknown);
  subscriptions.answered(current, id, { result: "yes" });
  assert.deepEqual(await first, { kind: "answered", result: "yes", by: "current" });
  const second = ask();
  const [next = -1] = subscriptions.pendingOn("t");
  subscriptions.answered(old, next, unknown);
  subscriptions.unsubscribe(current, "t");
  assert.equal(subscriptions.pendingOn("t").length, 1, "one may still answer");
  subscriptions.leave(later);
  assert.deepEqual(await second, { kind: "refused", message: "unknown", by: "old" });
});

test("nobody is notified that a question has ended before its answer is kept", async () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error("nobody sleeps here")) };
  const subscriptions = new Subscriptions({ clock, log: silent, timeoutFor: () => undefined, wireCheck: undefined });
  const events: string[] = [];
  const session = {
    ...{ client: { name: "one", title: null }, transport: "websocket", dialect: "0.166", optOut: new Set() },
    peer: { send: (json: string) => void events.push((JSON.parse(json) as { method: string }).method) },
  } as unknown as Session;
  subscriptions.join(session);
  subscriptions.subscribe(session, "t");
  const keep = async (): Promise<void> => {
    await Promise.resolve();
    events.push("kept");
  };
  const params = { threadId: "t", turnId: "u", itemId: "i", isBlocking: true, questions: [] };
  const answer = subscriptions.ask("t", "item/tool/requestUserInput", params, { signal: new AbortController().signal, keep });
  subscriptions.answered(session, subscriptions.pendingOn("t")[0] ?? -1, { result: { answers: {} } });
  assert.equal((await answer).kind, "answered");
  assert.deepEqual(events, ["item/tool/requestUserInput", "kept", "serverRequest/resolved"]);
});

test("texts that arrive together are the same messages as one after the other, on every transport, for all who want them", () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => 1234, sleep: () => Promise.reject(new Error("nobody sleeps here")) };
  const subscriptions = new Subscriptions({ clock, log: silent, timeoutFor: () => undefined, wireCheck: undefined });
  const taken: string[] = [];
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString());
      done();
    },
  });
  const handlers = { request: () => undefined, notification: () => {}, closed: () => {} };
  const lines = new LinesTransport(new PassThrough(), output);
  const [near] = memoryPair();
  const single: string[] = [];
  const plain = Object.assign(near, { send: (json: string) => void single.push(json) });
  const deaf = { send: () => assert.fail("it does not want them"), sendSeries: () => assert.fail("it does not want them") };
  const sessionOf = (peer: unknown, optOut: readonly string[] = []): Session =>
    ({ peer, optOut: new Set(optOut), onClose: new Set(), dialect: "codex" }) as unknown as Session;
  for (const peer of [new Peer(lines, handlers), new Peer(plain, handlers)]) subscriptions.subscribe(sessionOf(peer), "t", false);
  subscriptions.subscribe(sessionOf(deaf, ["item/agentMessage/delta"]), "t", false);
  const at = { threadId: "t", turnId: "u", itemId: 'i"\n' };
  const deltas = ["a", 'é"\\\n\u2028', "", "\ud83d", "😀", "x".repeat(70_000)];
  subscriptions.textToThread(at, deltas);
  lines.flush();
  const together = taken.splice(0).join("");
  const series = single.splice(0);
  for (const delta of deltas) subscriptions.toThread("t", "item/agentMessage/delta", { ...at, delta });
  lines.flush();
  assert.equal(together, taken.join(""));
  assert.deepEqual(series, single);
  assert.equal(series.length, deltas.length);
});

test("what is hurried leaves at once, or at the end of the tick: after what the tick still hands over, before anything that has arrived meanwhile", async () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const clock = { now: () => 0, sleep: () => Promise.reject(new Error("nobody sleeps here")) };
  const subscriptions = new Subscriptions({ clock, log: silent, timeoutFor: () => undefined, wireCheck: undefined });
  const seen: string[] = [];
  const one = { optOut: new Set(), peer: { flush: () => void seen.push("left") } } as unknown as Session;
  subscriptions.join(one);
  subscriptions.subscribe(one, "t");
  // As in a turn: in the phase in which a flush of its own would come only after the next round's arrivals.
  await new Promise((resolve) => setImmediate(resolve));
  setImmediate(() => seen.push("next round"));
  subscriptions.hurry("t");
  subscriptions.hurry("t", "atTickEnd");
  seen.push("handed over");
  for (let i = 0; i < 20; i++) await undefined;
  seen.push("handed over later in the tick");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen, ["left", "handed over", "handed over later in the tick", "left", "next round"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { errorMessage } from "../lib/error-text.ts";
import { JsonText } from "../lib/json-text.ts";
import { RpcError } from "../protocol/errors.ts";
import { maxAnswerBytes, Peer, type PeerHandlers } from "./peer.ts";
import { MessageSeries, memoryPair } from "./transport.ts";

/** A serving peer and a calling peer. */
function pair(handlers: Partial<PeerHandlers>) {
  const [near, far] = memoryPair();
  const bugs: string[] = [];
  const server = new Peer(far, {
    request: () => ({}),
    notification: () => {},
    closed: () => {},
    bug: (method, error) => bugs.push(`${method}: ${errorMessage(error)}`),
    ...handlers,
  });
  const caller = new Peer(near, { request: () => ({}), notification: () => {}, closed: () => {} });
  return { server, caller, bugs };
}
const broken = (): never => {
  throw new Error("broken");
};

test("callbacks after a response may throw: the response is sent, the next callback runs, the connection stays open", async () => {
  const ran: number[] = [];
  const { caller, bugs } = pair({
    request: (_method, _params, after) => {
      after(() => ran.push(1));
      after(broken);
      after(() => ran.push(2));
      return { done: true };
    },
  });
  assert.deepEqual(await caller.call("one", {}), { done: true });
  assert.deepEqual(await caller.call("two", {}), { done: true });
  assert.deepEqual(ran, [1, 2, 1, 2]);
  assert.deepEqual(bugs, ["one: broken", "two: broken"]);
});

test("handlers of notifications and responses may throw, and so may the logger", async () => {
  const { caller, bugs } = pair({ notification: broken, answer: broken });
  caller.notify("odd", {});
  caller.send('{"id":77,"result":{}}');
  assert.deepEqual(await caller.call("ping", {}), {});
  assert.deepEqual(bugs, ["a message: broken", "a message: broken"]);
  const other = pair({ notification: broken, bug: broken });
  other.caller.notify("odd", {});
  assert.deepEqual(await other.caller.call("ping", {}), {});
});

test("a result that is too large for any connection is an error that says what to do, and the connection stays open", async () => {
  const large: Readonly<Record<string, unknown>> = {
    many: "x".repeat(maxAnswerBytes),
    wide: "€".repeat(maxAnswerBytes / 3),
    // Longer than any string can be.
    huge: Array(6).fill("x".repeat(maxAnswerBytes)),
  };
  const { caller, bugs } = pair({
    request: (method) => large[method] ?? {},
    tooLarge: (method) => new RpcError(-32600, `${method}: ask for less`),
  });
  for (const method of Object.keys(large)) await assert.rejects(caller.call(method, {}), { message: `${method}: ask for less` });
  assert.deepEqual(await caller.call("small", {}), {});
  assert.deepEqual(bugs, []);
});

test("a result that cannot be serialized as JSON is an internal error, not a missing response", async () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const { caller, server, bugs } = pair({ request: (method) => (method === "later" ? Promise.resolve(circular) : circular) });
  for (const method of ["now", "later"]) await assert.rejects(caller.call(method, {}), { code: -32603 });
  assert.equal(server.inFlight, 0);
  assert.equal(bugs.length, 2);
});

test("a handler that throws at the end of a connection affects nothing else", async () => {
  const { caller, server, bugs } = pair({ closed: broken });
  caller.close();
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(server.call("late", {}), { code: "connection_closed" });
  assert.deepEqual(bugs, ["the end of the connection: broken"]);
});

test("a result that is text already is sent as it is, and is JSON wherever else it is written", async () => {
  const text = new JsonText('{"data":["a\\n"],"big":12345678901234567890}');
  const [near, far] = memoryPair();
  new Peer(far, { request: () => Promise.resolve(text), notification: () => {}, closed: () => {} });
  const sent: string[] = [];
  near.onMessage = (message) => sent.push(message);
  near.send('{"id":1,"method":"list"}');
  while (sent.length === 0) await Promise.resolve();
  assert.deepEqual(sent, [`{"id":1,"result":${text.text}}`]);
  assert.deepEqual(JSON.parse(JSON.stringify({ text })), { text: JSON.parse(text.text) });
});

test("messages of a series are written once for all readers that take them one by one", () => {
  const series = new MessageSeries('{"a":', ["1", "2"], "}");
  const { messages } = series;
  const sent: string[][] = [[], []];
  for (const one of sent) {
    const [here] = memoryPair();
    here.send = (text) => void one.push(text);
    new Peer(here, { request() {}, notification() {}, closed() {} }).sendSeries(series);
  }
  assert.deepEqual(sent, [messages, messages]);
  assert.equal(series.messages, messages);
  assert.deepEqual(messages, ['{"a":1}', '{"a":2}']);
});

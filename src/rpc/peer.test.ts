import assert from "node:assert/strict";
import { test } from "node:test";
import { errorMessage } from "../lib/error-text.ts";
import { Peer, type PeerHandlers } from "./peer.ts";
import { memoryPair } from "./transport.ts";

/** A peer that serves, and another that asks it. */
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
  const asker = new Peer(near, { request: () => ({}), notification: () => {}, closed: () => {} });
  return { server, asker, bugs };
}
const broken = (): never => {
  throw new Error("broken");
};

test("what runs after an answer may throw: the answer stands, the next in line runs, the connection goes on", async () => {
  const ran: number[] = [];
  const { asker, bugs } = pair({
    request: (_method, _params, after) => {
      after(() => ran.push(1));
      after(broken);
      after(() => ran.push(2));
      return { done: true };
    },
  });
  assert.deepEqual(await asker.call("one", {}), { done: true });
  assert.deepEqual(await asker.call("two", {}), { done: true });
  assert.deepEqual(ran, [1, 2, 1, 2]);
  assert.deepEqual(bugs, ["one: broken", "two: broken"]);
});

test("handlers of notifications and answers may throw, and so may the one who logs it", async () => {
  const { asker, bugs } = pair({ notification: broken, answer: broken });
  asker.notify("odd", {});
  asker.send('{"id":77,"result":{}}');
  assert.deepEqual(await asker.call("ping", {}), {});
  assert.deepEqual(bugs, ["a message: broken", "a message: broken"]);
  const other = pair({ notification: broken, bug: broken });
  other.asker.notify("odd", {});
  assert.deepEqual(await other.asker.call("ping", {}), {});
});

test("a result that cannot be written as JSON is an internal error, not silence", async () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = circle;
  const { asker, server, bugs } = pair({ request: (method) => (method === "later" ? Promise.resolve(circle) : circle) });
  for (const method of ["now", "later"]) await assert.rejects(asker.call(method, {}), { code: -32603 });
  assert.equal(server.inFlight, 0);
  assert.equal(bugs.length, 2);
});

test("a handler that throws at the end of a connection harms nobody", async () => {
  const { asker, server, bugs } = pair({ closed: broken });
  asker.close();
  await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(server.call("late", {}), { code: "connection_closed" });
  assert.deepEqual(bugs, ["the end of the connection: broken"]);
});

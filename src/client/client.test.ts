import assert from "node:assert/strict";
import { test } from "node:test";
import { invalidRequest } from "../protocol/errors.ts";
import { Peer, type PeerHandlers } from "../rpc/peer.ts";
import { memoryPair } from "../rpc/transport.ts";
import { AnsweredElsewhere, Client, ConnectionClosed, openClient, RpcError, Timeout, TurnFailed } from "./client.ts";

/** A minimal server on the other end of a memory pair. */
async function joined(request: PeerHandlers["request"], options: { onTrouble?: (error: Error) => void } = {}) {
  const [near, far] = memoryPair();
  const received: string[] = [];
  const server: Peer = new Peer(far, {
    request: (method, params, after, id) => (method === "initialize" ? { userAgent: "test" } : request(method, params, after, id)),
    notification: (method) => received.push(method),
    closed: () => {},
  });
  const client = await openClient(near, { onTrouble: assert.fail, ...options });
  return { client, server, received };
}
const never = (): Promise<never> => new Promise(() => {});

test("opening performs the handshake and keeps the server's response", async () => {
  const { client, received } = await joined(never);
  await null;
  assert.equal(client.server.userAgent, "test");
  assert.deepEqual(received, ["initialized"]);
});

test("a refused handshake closes the connection", async () => {
  const [near, far] = memoryPair();
  const closed = Promise.withResolvers<void>();
  const server = new Peer(far, {
    request: () => {
      throw invalidRequest("go away");
    },
    notification: () => {},
    closed: () => closed.resolve(),
  });
  await assert.rejects(openClient(near), (error) => error instanceof RpcError && error.code === -32600);
  await closed.promise;
  assert.equal(server.closed, true);
});

test("call resolves with the result and rejects with the server's own error", async () => {
  const { client } = await joined((method, params) => {
    if (method === "model/list") return { data: [params], nextCursor: null };
    throw invalidRequest("no such thread", { hint: 1 });
  });
  assert.deepEqual(await client.call("model/list", { limit: 1 }), { data: [{ limit: 1 }], nextCursor: null });
  await assert.rejects(client.call("thread/read", { threadId: "x" }), { code: -32600, message: "no such thread", data: { hint: 1 } });
});

test("call stops on its timeout and on its signal, and late responses are dropped", async () => {
  const late = Promise.withResolvers<object>();
  const { client } = await joined(() => late.promise);
  await assert.rejects(client.call("model/list", {}, { timeoutMs: 5 }), (error) => error instanceof Timeout && error.code === "timeout");
  const abort = new AbortController();
  const call = client.call("model/list", {}, { signal: abort.signal, timeoutMs: 60_000 });
  abort.abort(new Error("not needed"));
  await assert.rejects(call, /not needed/);
  late.resolve({});
});

test("the end of the connection rejects pending and later calls", async () => {
  const { client, server } = await joined(never);
  const waiting = client.call("model/list", {});
  server.close();
  await assert.rejects(waiting, (error) => error instanceof ConnectionClosed && error.code === "connection_closed");
  await assert.rejects(client.call("model/list", {}), ConnectionClosed);
  assert.ok(client.ended.aborted && client.ended.reason instanceof ConnectionClosed);
});

test("on receives its method only, until it is stopped; a listener that throws does not affect others", async () => {
  const troubles: string[] = [];
  const { client, server } = await joined(never, { onTrouble: (error) => troubles.push(error.message) });
  const seen: unknown[] = [];
  const any: string[] = [];
  client.on("warning", () => {
    throw new Error("oops");
  });
  const stop = client.on("warning", (params) => seen.push(params.message));
  client.onAny((method) => any.push(method));
  server.notify("warning", { message: "one" });
  server.notify("unknown/method", {});
  await new Promise((resolve) => setImmediate(resolve));
  stop();
  server.notify("warning", { message: "two" });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen, ["one"]);
  assert.deepEqual(any, ["warning", "unknown/method", "warning"]);
  assert.deepEqual(troubles, ["listener of warning: oops", "listener of warning: oops"]);
});

test("answer handles the server's requests; without a handler the server gets an error", async () => {
  const { client, server } = await joined(never);
  await assert.rejects(server.call("item/fileChange/requestApproval", {}), /does not answer item\/fileChange\/requestApproval/);
  client.answer("item/fileChange/requestApproval", async () => ({ decision: "accept" }));
  assert.deepEqual(await server.call("item/fileChange/requestApproval", {}), { decision: "accept" });
});

test("a request that someone else answered is withdrawn, with the name", async () => {
  const { client, server } = await joined(never);
  const withdrawn = Promise.withResolvers<unknown>();
  client.answer("item/fileChange/requestApproval", async (_params, signal) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    withdrawn.resolve(signal.reason);
    throw signal.reason;
  });
  server.send(JSON.stringify({ id: 7, method: "item/fileChange/requestApproval", params: {} }));
  server.notify("serverRequest/resolved", { threadId: "T", requestId: 8, answeredBy: "nobody here" });
  server.notify("serverRequest/resolved", { threadId: "T", requestId: 7, answeredBy: "Editor" });
  const reason = await withdrawn.promise;
  assert.ok(reason instanceof AnsweredElsewhere);
  assert.equal(reason.by, "Editor");
});

/** Plays a turn: the response, followed immediately by the given notifications. */
function turnServer(play: (server: Peer) => void, server: () => Peer): PeerHandlers["request"] {
  return (method, _params, after) => {
    if (method === "thread/start") return { thread: { id: "T" } };
    if (method === "turn/start") {
      after(() => play(server()));
      return { turn: { id: "1", items: [], status: "inProgress" } };
    }
    if (method === "turn/interrupt") {
      after(() => server().notify("turn/completed", { threadId: "T", turn: { id: "1", items: [], status: "interrupted" } }));
      return {};
    }
    throw invalidRequest(method);
  };
}

test("thread.run waits for the whole turn and returns its text, items and usage", async () => {
  const texts: string[] = [];
  const message = { type: "agentMessage", id: "m", text: "Hello" };
  const { client, server } = await joined(
    turnServer(
      (s) => {
        s.notify("item/agentMessage/delta", { threadId: "T", turnId: "1", itemId: "m", delta: "Hel" });
        s.notify("item/agentMessage/delta", { threadId: "other", turnId: "9", itemId: "m", delta: "no" });
        s.notify("item/agentMessage/delta", { threadId: "T", turnId: "1", itemId: "m", delta: "lo" });
        s.notify("item/completed", { threadId: "T", turnId: "1", item: message });
        s.notify("item/completed", { threadId: "T", turnId: "0", item: { ...message, text: "of another turn" } });
        s.notify("thread/tokenUsage/updated", { threadId: "T", turnId: "1", tokenUsage: { total: 7 } });
        s.notify("turn/completed", { threadId: "other", turn: { id: "1", items: [], status: "failed" } });
        s.notify("turn/completed", { threadId: "T", turn: { id: "1", items: [], status: "completed" } });
      },
      () => server,
    ),
  );
  const thread = await client.startThread();
  const run = await thread.run("hi", { onText: (delta) => texts.push(delta) });
  assert.deepEqual(run, { turnId: "1", status: "completed", text: "Hello", items: [message], usage: { total: 7 } });
  assert.deepEqual(texts, ["Hel", "lo"]);
});

test("thread.run rejects when the turn fails, with the reason", async () => {
  const failed = { id: "1", items: [], status: "failed", error: { message: "out of credit" } };
  const { client, server } = await joined(
    turnServer(
      (s) => s.notify("turn/completed", { threadId: "T", turn: failed }),
      () => server,
    ),
  );
  const thread = await client.startThread();
  await assert.rejects(thread.run("hi"), (error) => error instanceof TurnFailed && error.message === "out of credit");
});

test("aborting thread.run interrupts the turn", async () => {
  const abort = new AbortController();
  const { client, server } = await joined(
    turnServer(
      () => abort.abort(),
      () => server,
    ),
  );
  const thread = await client.startThread();
  assert.equal((await thread.run("hi", { signal: abort.signal })).status, "interrupted");
  await assert.rejects(thread.run("hi", { signal: abort.signal }), { name: "AbortError" });
});

test("the end of the connection ends thread.run", async () => {
  const { client, server } = await joined(
    turnServer(
      (s) => s.close(),
      () => server,
    ),
  );
  const thread = await client.startThread();
  await assert.rejects(thread.run("hi"), ConnectionClosed);
});

test("a client has no server information before the handshake", () => {
  const [near] = memoryPair();
  assert.throws(() => new Client(near, assert.fail).server, /handshake/);
});

test("requests can be collected and answered by id later; one whose handler throws is answered at once", async () => {
  const [near, far] = memoryPair();
  const answers = new Map<unknown, unknown>();
  const troubles: string[] = [];
  const server = new Peer(far, {
    request: () => ({ userAgent: "test" }),
    notification: () => {},
    answer: (id, outcome) => answers.set(id, "error" in outcome ? outcome.error.message : outcome.result),
    closed: () => {},
  });
  const taken: unknown[] = [];
  const client = await openClient(near, {
    onTrouble: (error) => troubles.push(error.message),
    onRequest: ({ id, method, params }) => {
      if (method === "bad") throw new Error("no");
      taken.push([id, method, params]);
    },
  });
  for (const [id, method] of [
    ["a", "item/tool/call"],
    [7, "odd/method"],
    [8, "bad"],
  ] as const)
    server.send(JSON.stringify({ id, method, params: { x: 1 } }));
  await client.call("model/list", {});
  assert.deepEqual(taken, [
    ["a", "item/tool/call", { x: 1 }],
    [7, "odd/method", { x: 1 }],
  ]);
  client.respond(7, { result: { ok: true } });
  client.respond("a", { error: new RpcError(-32_000, "later no") });
  await client.call("model/list", {});
  assert.deepEqual(Object.fromEntries(answers), { 7: { ok: true }, 8: "the request could not be handled", a: "later no" });
  assert.equal(troubles.length, 1);
  client.close();
  await new Promise((resolve) => client.ended.addEventListener("abort", resolve));
  assert.throws(() => client.respond(7, { result: {} }), ConnectionClosed);
});

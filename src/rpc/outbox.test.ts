/** Clients that do not read: their backlog stays small, and they are disconnected by size and by time. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { WebSocket } from "ws";
import { cutFurthestBehind, type ReaderLimits, readerLimits } from "./outbox.ts";
import { type Transport, tooFarBehind } from "./transport.ts";
import { listenWebSocket } from "./websocket.ts";

interface Reader {
  readonly socket: WebSocket;
  readonly there: Transport;
  /** Number of received characters, excluding the close frame. */
  readonly got: () => number;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a listener; each call of the returned function connects one reader to it. */
async function readers(t: TestContext, limits: Partial<ReaderLimits> = {}): Promise<() => Promise<Reader>> {
  const waiting: ((transport: Transport) => void)[] = [];
  const listener = await listenWebSocket({
    host: "127.0.0.1",
    port: 0,
    readerLimits: { ...readerLimits, ...limits },
    onConnection: (transport) => waiting.shift()?.(transport),
  });
  t.after(() => listener.close());
  return async () => {
    const arrived = new Promise<Transport>((resolve) => waiting.push(resolve));
    const socket = new WebSocket(listener.url, { perMessageDeflate: false, maxPayload: 0 });
    t.after(() => socket.terminate());
    let got = 0;
    socket.on("message", (data) => {
      got += String(data).length;
    });
    socket.on("error", () => {});
    const closed = once(socket, "close").then(([code, reason]) => ({ code, reason: String(reason) }));
    const there = await arrived;
    await once(socket, "open");
    return { socket, there, got: () => got, closed };
  };
}
/** Megabytes in use after garbage collection. */
function held(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
const message = (i: number): string => JSON.stringify({ method: "item/agentMessage/delta", params: { i, delta: "x".repeat(150) } });
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Sends many small messages to all of them, like the deltas of a turn. */
async function sendMany(to: readonly Transport[], count: number): Promise<number> {
  let length = 0;
  for (let i = 0; i < count; i++) {
    const text = message(i);
    length += text.length;
    for (const transport of to) transport.send(text);
    if (i % 100 === 0) await tick();
  }
  await tick();
  return length;
}

test("the backlog of readers that do not read is stored once for all of them, and arrives complete and in order when they read", async (t) => {
  const open = await readers(t);
  const deaf = await Promise.all(Array.from({ length: 8 }, open));
  for (const { socket } of deaf) socket.pause();
  const before = held();
  const length = await sendMany(
    deaf.map(({ there }) => there),
    40_000,
  );
  const more = held() - before;
  assert.ok(more < 25, `${more.toFixed(0)} MB are held for 8 readers of the same ${(length / 2 ** 20).toFixed(0)} MB`);
  const [first] = deaf;
  assert.ok(first !== undefined && first.there.backlog > 1024 * 1024);
  const order: number[] = [];
  const all = new Promise<void>((resolve) =>
    first.socket.on("message", (data) => {
      order.push(JSON.parse(String(data)).params.i);
      if (order.length === 40_000) resolve();
    }),
  );
  const drained = new Promise<void>((resolve) => {
    first.there.onDrain = resolve;
  });
  first.socket.resume();
  await Promise.all([all, drained]);
  assert.equal(first.there.backlog, 0);
  assert.ok(order.every((i, at) => i === at));
});

test("a disconnected client soon receives the reason: unsent messages are dropped", async (t) => {
  const open = await readers(t);
  const { socket, there, got, closed } = await open();
  socket.pause();
  const length = await sendMany([there], 60_000);
  there.cutOff(tooFarBehind);
  socket.resume();
  assert.deepEqual(await closed, { code: 1013, reason: tooFarBehind });
  assert.ok(got() < length / 2, `${got()} of ${length} characters came before the close frame`);
});

test("a reader that reads nothing for too long is disconnected, even if its backlog is small", async (t) => {
  const open = await readers(t, { stallMs: 200 });
  const { socket, there, closed } = await open();
  socket.pause();
  const ended = new Promise<Error | undefined>((resolve) => {
    there.onClose = resolve;
  });
  await sendMany([there], 40_000);
  const { code } = await Promise.race([closed, untilBacklogIsGone(there, socket).then(() => closed)]);
  assert.equal(code, 1013);
  assert.match((await ended)?.message ?? "", /too far behind/);
});

/** Waits until the server has given up, before the reader continues to read. */
async function untilBacklogIsGone(there: Transport, socket: WebSocket): Promise<void> {
  while (there.backlog > 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 20));
  socket.resume();
}

test("a reader that reads now and then is not disconnected", async (t) => {
  const open = await readers(t, { stallMs: 2000 });
  const { socket, there, got, closed } = await open();
  const length = await sendMany([there], 20_000);
  let isCut = false;
  void closed.then(() => {
    isCut = true;
  });
  while (got() < length && !isCut) {
    socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.resume();
    await tick();
  }
  assert.equal(got(), length);
});

test("a flood of pings from a client that does not read is answered with one pong", async (t) => {
  const open = await readers(t);
  const { socket, there } = await open();
  socket.pause();
  await sendMany([there], 40_000);
  const before = there.backlog;
  for (let i = 0; i < 5000; i++) socket.ping(String(i));
  const answered = new Promise<string>((resolve) => {
    socket.on("pong", (data) => resolve(String(data)));
  });
  const received = new Promise<void>((resolve) => {
    there.onMessage = () => resolve();
  });
  socket.send("after the pings");
  await received;
  assert.equal(there.backlog, before);
  socket.resume();
  assert.equal(await answered, "4999");
});

test("if many readers within their limits are too much together, the one furthest behind is disconnected", () => {
  const cut: number[] = [];
  const crowd = [3, 9, 5].map((backlog) => ({ backlog, cutOff: () => cut.push(backlog) }));
  cutFurthestBehind(crowd, 17);
  assert.deepEqual(cut, []);
  cutFurthestBehind(crowd, 16);
  assert.deepEqual(cut, [9]);
});

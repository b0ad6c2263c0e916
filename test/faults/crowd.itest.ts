/**
 * Many clients that connect and disconnect at one server, half of them misbehaving: nobody waits for them, and their resources are freed.
 * PARLEY_CROWD sets how many connect to each listener; docs/reliability.md has the figure of 250, which makes 500.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { type Client, connectClient } from "../../src/client/client.ts";
import { atEnd } from "../support/ending.ts";
import { eventually } from "../support/live-server.ts";
import { preload, settings, stage } from "../support/live-stage.ts";
import { ServerProcess } from "../support/process.ts";

const crowd = Number(process.env["PARLEY_CROWD"] ?? 40);
const atOnce = 20;
const head = [
  "GET / HTTP/1.1",
  "Host: localhost",
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
].join("\r\n");
/** A masked text frame with a mask of zeros. */
function frame(text: string, length: number = text.length): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(length);
  return Buffer.concat([Buffer.from([0x81, 0xfe]), size, Buffer.alloc(4), Buffer.from(text)]);
}
const hello = JSON.stringify({ id: 1, method: "initialize", params: { clientInfo: { name: "rude", version: "1" } } });

type Dial = () => Socket;
/** Each misbehaves in its own way and returns while still connected. */
const rude: readonly ((dial: Dial) => Promise<Socket>)[] = [
  async (dial) => sendOn(dial(), head), // half a handshake
  async (dial) => sendOn(dial(), `${head}\r\n\r\n`, "101", Buffer.from([0x81, 0xfe, 0x10])), // half a frame header
  async (dial) => sendOn(dial(), `${head}\r\n\r\n`, "101", frame("{", 60_000)), // one byte of a long frame
  async (dial) => {
    const socket = await sendOn(dial(), `${head}\r\n\r\n`, "101", frame(hello));
    socket.pause(); // stops reading
    for (let id = 2; id < 30; id++) socket.write(frame(JSON.stringify({ id, method: "model/list", params: {} })));
    return socket;
  },
  async (dial) => {
    const socket = dial();
    const text = `${head}\r\n\r\n`;
    let sent = 0;
    const timer = setInterval(() => socket.write(text.charAt(sent++)), 1000); // a byte a second
    socket.on("close", () => clearInterval(timer));
    await once(socket, "connect");
    return socket;
  },
];

async function sendOn(socket: Socket, text: string, answer?: string, more?: Buffer): Promise<Socket> {
  await once(socket, "connect");
  socket.write(text);
  if (answer === undefined) return socket;
  const [data] = await once(socket, "data");
  assert.match(String(data), new RegExp(`^HTTP/1\\.1 ${answer}`));
  if (more !== undefined) socket.write(more);
  return socket;
}

async function opened(t: TestContext) {
  const folder = stage(t);
  const memory = path.join(folder, "memory.json");
  const socket = path.join(folder, "s");
  const flags = ["--listen", "ws://127.0.0.1:0", "--listen", `unix://${socket}`];
  const server = new ServerProcess(t, flags, { NODE_OPTIONS: preload("collected"), PARLEY_TEST_MEMORY: memory }, { folder });
  const url = await server.url();
  await eventually(() => existsSync(socket), "the unix socket");
  const figures = async (): Promise<{ held: number; rss: number; fds: number }> => {
    rmSync(memory, { force: true });
    server.child.kill("SIGUSR2");
    await eventually(() => existsSync(memory), "the server's figures");
    return { ...JSON.parse(readFileSync(memory, "utf8")), fds: readdirSync(`/proc/${server.child.pid}/fd`).length };
  };
  return { server, folder, figures, ws: url, unix: `unix://${socket}`, port: Number(new URL(url).port), socket };
}

async function turn(client: Client, threadId: string): Promise<void> {
  const ended = new Promise<string>((resolve) => client.on("turn/completed", (params) => resolve(params.turn.status)));
  await client.call("turn/start", { threadId, input: [{ type: "text", text: "hello", text_elements: [] }] });
  assert.equal(await ended, "completed");
}

test("clients that come and go, half of them rude, hold up nobody and leave nothing behind", { timeout: 280_000 }, async (t) => {
  const { server, folder, figures, ws, unix, port, socket } = await opened(t);
  const steady = await connectClient(ws);
  atEnd(t, () => steady.close());
  const { thread } = await steady.call("thread/start", { ...settings(folder) } as never);
  await turn(steady, thread.id);
  // Once each, so that modules loaded on first use do not count.
  await polite(unix);
  const before = await figures();

  const held: Socket[] = [];
  atEnd(t, () => {
    for (const one of held) one.destroy();
  });
  const dials: readonly Dial[] = [() => createConnection(port, "127.0.0.1"), () => createConnection(socket)];
  let longest = 0;
  for (let come = 0; come < crowd; come += atOnce) {
    const wave = Array.from({ length: Math.min(atOnce, crowd - come) }, (_, i) => come + i);
    await Promise.all(
      dials.flatMap((dial, listener) =>
        wave.map(async (i) => {
          if (i % 2 === 0) return await polite(listener === 0 ? ws : unix, i % 4 === 0);
          const one = await rude[Math.floor(i / 2) % rude.length]?.(() => {
            const made = dial();
            made.on("error", () => {});
            return made;
          });
          if (one !== undefined) held.push(one);
        }),
      ),
    );
    const from = performance.now();
    await steady.call("thread/read", { threadId: thread.id, includeTurns: true });
    longest = Math.max(longest, performance.now() - from);
  }
  await turn(steady, thread.id);
  const during = await figures();
  assert.ok(during.fds >= before.fds + held.length / 2, "the rude ones are there all the while");
  assert.ok(longest < 20_000, `a request beside them took ${longest.toFixed(0)} ms`);

  for (const one of held) one.destroy();
  await eventually(() => readdirSync(`/proc/${server.child.pid}/fd`).length <= before.fds + 3, "the descriptors' return", 90_000);
  const after = await figures();
  assert.ok(after.held - before.held < 12, `${before.held.toFixed(0)} MB before, ${after.held.toFixed(0)} MB after`);
  t.diagnostic(
    `${2 * crowd} clients, ${held.length} of them rude at once: longest request beside them ${longest.toFixed(0)} ms; ` +
      `${before.held.toFixed(1)} → ${during.held.toFixed(1)} → ${after.held.toFixed(1)} MB after a collection, ` +
      `${before.rss.toFixed(0)} → ${during.rss.toFixed(0)} → ${after.rss.toFixed(0)} MB resident, ` +
      `${before.fds} → ${during.fds} → ${after.fds} descriptors`,
  );
});

/** Completes the handshake, sends a request, and disconnects: with a close frame, or abruptly. */
async function polite(url: string, isCut = false): Promise<void> {
  const client = await connectClient(url);
  await client.call("thread/loaded/list", {});
  if (!isCut) return client.close();
  const left = once(client.ended, "abort");
  client.close();
  await left;
}

test("a client that does not finish the handshake is disconnected", { timeout: 120_000 }, async (t) => {
  const { port, socket } = await opened(t);
  const putOut = [createConnection(port, "127.0.0.1"), createConnection(socket)].map(async (one) => {
    atEnd(t, () => one.destroy());
    one.on("error", () => {});
    const closed = once(one, "close");
    one.write(head);
    one.resume();
    await closed;
  });
  await Promise.all(putOut);
});

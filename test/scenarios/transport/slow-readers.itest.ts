/** One client that does not read costs the others nothing: not their turn, not their memory; and it comes back to all that was said. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { type Client, connectClient } from "../../../src/client/client.ts";
import { peakOf, verifiesLive } from "../../support/live-server.ts";
import { settings, stage } from "../../support/live-stage.ts";
import { ServerProcess } from "../../support/process.ts";

/** 60,000 deltas in all. */
const messages = 20;
const deltas = 3000;
const said = "0123456789".repeat(10).repeat(deltas);
const turns = [
  { user: "/^hello/", steps: [{ say: "Hello." }] },
  { user: "/^go/", steps: Array(messages).fill({ say: said, deltas }) },
];

/** A client that shakes hands, joins a thread, and then reads nothing more. */
class Deaf {
  readonly #socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  heard = 0;

  private constructor(url: string) {
    this.#socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
    this.#socket.on("error", () => {});
    this.closed = new Promise((resolve) => this.#socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })));
  }
  static async joining(t: TestContext, url: string, threadId: string): Promise<Deaf> {
    const deaf = new Deaf(url);
    const socket = deaf.#socket;
    t.after(() => socket.terminate());
    await once(socket, "open");
    socket.send('{"id":1,"method":"initialize","params":{"clientInfo":{"name":"deaf","version":"1"}}}');
    socket.send(JSON.stringify({ id: 2, method: "thread/resume", params: { threadId } }));
    await new Promise<void>((resolve, reject) =>
      socket.on("message", (data) => {
        const { id, error } = JSON.parse(String(data));
        if (error !== undefined) reject(new Error(error.message));
        if (id === 2) resolve();
        deaf.heard++;
      }),
    );
    socket.pause();
    return deaf;
  }
  listens(): void {
    this.#socket.resume();
  }
}

async function opened(t: TestContext): Promise<{ server: ServerProcess; url: string; client: Client; threadId: string; folder: string }> {
  const folder = stage(t, turns);
  const server = new ServerProcess(t, ["--listen", "ws://127.0.0.1:0"], {}, { folder });
  const url = await server.url();
  const client = await connectClient(url, { clientInfo: { name: "reader", title: null, version: "1" } });
  t.after(() => client.close());
  const { thread } = await client.call("thread/start", { ...settings(folder) } as never);
  return { server, url, client, threadId: thread.id, folder };
}

function turnOf(client: Client, threadId: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.on("turn/completed", ({ turn }) => resolve(turn.status));
    client.call("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] }).catch(reject);
  });
}

verifiesLive("transport.stragglers", async (t) => {
  const { server, url, client, threadId } = await opened(t);
  // A turn's item must be stored before others can join the thread.
  assert.equal(await turnOf(client, threadId, "hello"), "completed");
  const deaf = await Promise.all([1, 2, 3].map(() => Deaf.joining(t, url, threadId)));
  const began = performance.now();
  assert.equal(await turnOf(client, threadId, "go"), "completed");
  const alone = performance.now() - began;
  assert.ok(alone < 30_000, `the turn took ${alone.toFixed(0)} ms beside clients that do not read`);
  assert.ok(peakOf(server) < 500, `${peakOf(server)} MB`);
  for (const one of deaf) {
    one.listens();
    const { code, reason } = await one.closed;
    assert.equal(code, 1013);
    assert.match(reason, /resume/);
  }
  const back = await connectClient(url, { clientInfo: { name: "deaf", title: null, version: "1" } });
  t.after(() => back.close());
  const { thread } = await back.call("thread/resume", { threadId });
  const texts = thread.turns.map(({ items }) => items.flatMap((item) => (item.type === "agentMessage" ? [item.text] : [])).join(""));
  assert.deepEqual(
    texts.map((text) => (text === said.repeat(messages) ? "all of it" : text)),
    ["Hello.", "all of it"],
  );
});

test("a stream waits while nobody keeps up, and goes on when somebody does", async (t) => {
  const { url, client, threadId, folder, server } = await opened(t);
  assert.equal(await turnOf(client, threadId, "hello"), "completed");
  const deaf = await Deaf.joining(t, url, threadId);
  const { turn } = await client.call("turn/start", { threadId, input: [{ type: "text", text: "go", text_elements: [] }] });
  client.close();
  // Another one looks from outside: nothing of the turn has ended while its only reader does not read.
  const watcher = await connectClient(url);
  t.after(() => watcher.close());
  const status = async (): Promise<string | undefined> =>
    (await watcher.call("thread/read", { threadId, includeTurns: true })).thread.turns.find(({ id }) => id === turn.id)?.status;
  await new Promise((resolve) => setTimeout(resolve, 1000)); // that nothing happens cannot be awaited
  assert.equal(await status(), "inProgress", folder);
  const ended = new Promise((resolve) => watcher.on("turn/completed", resolve));
  await watcher.call("thread/resume", { threadId });
  await ended;
  assert.equal(await status(), "completed");
  deaf.listens();
  assert.equal((await deaf.closed).code, 1013);
  assert.ok(peakOf(server) < 500, `${peakOf(server)} MB`);
});

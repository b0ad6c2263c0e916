/** A client that does not read costs the others nothing, neither time nor memory, and misses nothing after it reconnects. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { type Client, connectClient } from "../../../src/client/client.ts";
import { atEnd } from "../../support/ending.ts";
import { eventually, LiveServer, peakOf, verifiesLive } from "../../support/live-server.ts";
import { settings, stage } from "../../support/live-stage.ts";
import { ServerProcess } from "../../support/process.ts";

/** 60,000 deltas in all. */
const messages = 20;
const deltas = 3000;
const longText = "0123456789".repeat(10).repeat(deltas);
const turns = [
  { user: "/^hello/", steps: [{ say: "Hello." }] },
  { user: "/^go/", steps: Array(messages).fill({ say: longText, deltas }) },
];

/** How to reach a server: its address and credentials. */
interface Address {
  readonly url: string;
  readonly token?: string;
}

/** A client that completes the handshake, joins a thread, and then stops reading. */
class Deaf {
  readonly #socket: WebSocket;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  received = 0;

  private constructor(address: Address) {
    const options = { perMessageDeflate: false, maxPayload: 0 };
    const { url, token } = address;
    this.#socket = url.startsWith("unix://")
      ? new WebSocket("ws://localhost/", { ...options, createConnection: () => createConnection(url.slice("unix://".length)) })
      : new WebSocket(url, { ...options, ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }) });
    this.#socket.on("error", () => {});
    this.closed = new Promise((resolve) => this.#socket.on("close", (code, reason) => resolve({ code, reason: String(reason) })));
  }
  static async joining(t: TestContext, address: Address, threadId: string): Promise<Deaf> {
    const deaf = new Deaf(address);
    const socket = deaf.#socket;
    atEnd(t, () => socket.terminate());
    await once(socket, "open");
    socket.send('{"id":1,"method":"initialize","params":{"clientInfo":{"name":"deaf","version":"1"}}}');
    socket.send(JSON.stringify({ id: 2, method: "thread/resume", params: { threadId } }));
    await new Promise<void>((resolve, reject) =>
      socket.on("message", (data) => {
        const { id, error } = JSON.parse(String(data));
        if (error !== undefined) reject(new Error(error.message));
        if (id === 2) resolve();
        deaf.received++;
      }),
    );
    socket.pause();
    return deaf;
  }
  listens(): void {
    this.#socket.resume();
  }
}

interface Opened {
  readonly server: ServerProcess;
  readonly address: Address;
  readonly client: Client;
  readonly threadId: string;
}

type Opening = (t: TestContext, folder: string) => Promise<{ readonly server: ServerProcess; readonly address: Address }>;

const websocket: Opening = async (t, folder) => {
  const server = new ServerProcess(t, ["--listen", "ws://127.0.0.1:0"], {}, { folder });
  return { server, address: { url: await server.url() } };
};
const unixSocket: Opening = async (t, folder) => {
  const socket = path.join(folder, "s");
  const server = new ServerProcess(t, ["--listen", `unix://${socket}`], {}, { folder });
  await eventually(() => existsSync(socket), "the server's socket");
  return { server, address: { url: `unix://${socket}` } };
};
/** The manager's RPC address, in front of its own engine or a remote one. */
const manager =
  (flags: readonly string[]): Opening =>
  async (t, folder) => {
    const args = ["manager", "--listen", "127.0.0.1:0", "--no-open", ...flags];
    const server = new ServerProcess(t, [], {}, { folder, args });
    const isUp = /running at http:\/\/(\S+)/;
    await eventually(() => server.messages.some((line) => isUp.test(String(line))), "the manager");
    const [, host] = isUp.exec(server.messages.join("\n")) ?? [];
    const token = readFileSync(path.join(folder, "home/parley/manager/token"), "utf8").trim();
    return { server, address: { url: `ws://${host}/rpc`, token } };
  };
const managerElsewhere: Opening = async (t, folder) => {
  const engine = await unixSocket(t, folder);
  const { address } = await manager(["--connect", engine.address.url])(t, folder);
  return { server: engine.server, address };
};

async function opened(t: TestContext, opening: Opening = websocket): Promise<Opened> {
  const folder = stage(t, turns);
  const { server, address } = await opening(t, folder);
  const client = await connectTo(t, address);
  const { thread } = await client.call("thread/start", { ...settings(folder) } as never);
  // A turn's item must be stored before others can join the thread.
  assert.equal(await turnOf(client, thread.id, "hello"), "completed");
  return { server, address, client, threadId: thread.id };
}
async function connectTo(t: TestContext, { url, ...rest }: Address): Promise<Client> {
  const client = await connectClient(url, { clientInfo: { name: "reader", title: null, version: "1" }, ...rest });
  atEnd(t, () => client.close());
  return client;
}

function turnOf(client: Client, threadId: string, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    client.on("turn/completed", ({ turn }) => resolve(turn.status));
    client.call("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] }).catch(reject);
  });
}

/** The turn ends despite the clients that do not read; they get the reason for being disconnected, and a resume returns everything. */
async function stragglers(t: TestContext, opening: Opening): Promise<void> {
  const { server, address, client, threadId } = await opened(t, opening);
  const deaf = await Promise.all([1, 2, 3].map(() => Deaf.joining(t, address, threadId)));
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
  const back = await connectTo(t, address);
  const { thread } = await back.call("thread/resume", { threadId });
  const texts = thread.turns.map(({ items }) => items.flatMap((item) => (item.type === "agentMessage" ? [item.text] : [])).join(""));
  assert.deepEqual(
    texts.map((text) => (text === longText.repeat(messages) ? "all of it" : text)),
    ["Hello.", "all of it"],
  );
}

verifiesLive("transport.stragglers", (t) => stragglers(t, websocket));
test("the same holds over a unix socket", (t) => stragglers(t, unixSocket));
test("the same holds through the manager's address for programs", (t) => stragglers(t, manager([])));
test("the same holds through the manager before an engine elsewhere", (t) => stragglers(t, managerElsewhere));

test("a stream waits while nobody keeps up, and continues when somebody does", async (t) => {
  const { address, client, threadId, server } = await opened(t);
  const deaf = await Deaf.joining(t, address, threadId);
  const { turn } = await client.call("turn/start", { threadId, input: [{ type: "text", text: "go", text_elements: [] }] });
  client.close();
  // Another client checks: the turn has not ended while its only reader does not read.
  const watcher = await connectTo(t, address);
  const status = async (): Promise<string | undefined> =>
    (await watcher.call("thread/read", { threadId, includeTurns: true })).thread.turns.find(({ id }) => id === turn.id)?.status;
  await new Promise((resolve) => setTimeout(resolve, 1000)); // there is no event for nothing happening
  assert.equal(await status(), "inProgress");
  const ended = new Promise((resolve) => watcher.on("turn/completed", resolve));
  await watcher.call("thread/resume", { threadId });
  await ended;
  assert.equal(await status(), "completed");
  deaf.listens();
  assert.equal((await deaf.closed).code, 1013);
  assert.ok(peakOf(server) < 500, `${peakOf(server)} MB`);
});

test("over stdio the server waits for its only client, which gets all the text when it reads on", async (t) => {
  const folder = stage(t, turns);
  const server = await LiveServer.start(t, folder);
  const turnId = await server.startTurn(await server.startThread(settings(folder)), "go");
  await server.waitFor((m) => m.method === "item/agentMessage/delta", "the first word");
  server.child.stdout.pause();
  await new Promise((resolve) => setTimeout(resolve, 3000)); // long enough to send all of it
  assert.ok(peakOf(server) < 500, `${peakOf(server)} MB`);
  assert.equal(server.child.exitCode, null);
  server.child.stdout.resume();
  assert.equal((await server.turnEnd(turnId)).status, "completed");
  const deltas = server.messages.filter((m) => m["method"] === "item/agentMessage/delta").map((m) => m["params"].delta);
  assert.equal(deltas.join("").length, longText.length * messages);
});

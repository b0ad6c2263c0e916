/** Many clients on one thread: what those who never read cost the others and the server. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { type Client, connectClient } from "../../src/client/client.ts";
import type { Found, Programs } from "./sizes.ts";
import { peakMemory, Stage } from "./stage.ts";

const deltas = 500;
const deltaChars = 2_000;
const turns = 3;
/** Beyond what the system's buffers take for those who do not read. */
const moreTurns = 14;
/** How long one that was given up may take to read what was left for it. */
const restMs = 10_000;
const steps = `- say: "${"0123456789".repeat(deltaChars / 10).repeat(deltas)}"\n        deltas: ${deltas}`;

/** A client that counts the ends of turns; it parses nothing, so that the measuring process is not what is measured. */
class Watcher {
  readonly #socket: WebSocket;
  #ends = 0;
  #wake: () => void = () => {};
  isClosed = false;

  constructor(url: string) {
    this.#socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 0 });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }
  async join(threadId: string): Promise<void> {
    await once(this.#socket, "open");
    this.#socket.send('{"id":1,"method":"initialize","params":{"clientInfo":{"name":"watcher","version":"1"}}}');
    this.#socket.send(JSON.stringify({ id: 2, method: "thread/resume", params: { threadId } }));
    await new Promise<void>((resolve) => {
      this.#socket.on("message", (data: Buffer) => {
        const head = data.toString("latin1", 0, 80);
        if (/"id":\s*2\b/.test(head)) resolve();
        if (!head.includes('"turn/completed"')) return;
        this.#ends++;
        this.#wake();
      });
    });
  }
  /** Resolves at the end of the next turn. */
  async nextEnd(): Promise<void> {
    const wanted = this.#ends + 1;
    while (this.#ends < wanted && !this.isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#ends < wanted) throw new Error("a client that reads was disconnected");
  }
  stopReading(): void {
    this.#socket.pause();
  }
  /** Reads what was left for it, and is closed if it was given up. */
  async isGivenUp(): Promise<boolean> {
    this.#socket.resume();
    const closed = this.isClosed ? undefined : once(this.#socket, "close").catch(() => undefined);
    await Promise.race([closed, sleep(restMs)]);
    const isGivenUp = this.isClosed;
    this.#socket.terminate();
    return isGivenUp;
  }
}

export async function measureClients(count: number, { ours }: Programs, signal: AbortSignal): Promise<Found> {
  const stage = new Stage(ours, steps);
  try {
    const server = await stage.listen();
    const client = await connectClient(server.url, { clientInfo: { name: "bench", version: "1" } });
    const { thread } = await client.call("thread/start", { cwd: stage.workspace, approvalPolicy: "never" });
    await play(client, thread.id, []);
    const slow = Math.round(count / 10);
    const join = async (many: number): Promise<Watcher[]> => {
      const joined: Watcher[] = [];
      for (let i = 0; i < many; i++) {
        signal.throwIfAborted();
        const watcher = new Watcher(server.url);
        await watcher.join(thread.id);
        joined.push(watcher);
      }
      return joined;
    };
    const readers = await join(count - slow - 1);
    const alone: number[] = [];
    const beside: number[] = [];
    for (let i = 0; i < turns; i++) alone.push(await play(client, thread.id, readers));
    const silent = await join(slow);
    for (const one of silent) one.stopReading();
    for (let i = 0; i < turns; i++) beside.push(await play(client, thread.id, readers));
    for (let i = 0; i < moreTurns && !signal.aborted; i++) await play(client, thread.id, readers);
    const peak = peakMemory(server.child);
    const closed = (await Promise.all(silent.map((one) => one.isGivenUp()))).filter(Boolean).length;
    const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
    client.close();
    return { alone, beside, ratio: [middle(beside) / middle(alone)], memory: peak === undefined ? [] : [peak], closed: [closed] };
  } finally {
    stage.close();
  }
}

/** Milliseconds until every reader has the turn's end. */
async function play(client: Client, threadId: string, readers: readonly Watcher[]): Promise<number> {
  const ended = new Promise<void>((resolve, reject) => {
    const stop = client.on("turn/completed", ({ turn: { status } }) => {
      stop();
      if (status === "completed") resolve();
      else reject(new Error(`a turn ended as ${status}`));
    });
  });
  const wanted = readers.map((reader) => reader.nextEnd());
  const started = performance.now();
  await client.call("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
  await Promise.all([ended, ...wanted]);
  return performance.now() - started;
}

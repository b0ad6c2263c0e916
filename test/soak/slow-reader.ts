/** One who joins somebody else's thread on a server under soak and then does not read for a while: nobody else may notice. */
import { once } from "node:events";
import { createConnection } from "node:net";
import { WebSocket } from "ws";
import { pause, type Stand } from "./stand.ts";
import { counts } from "./visitor.ts";

const tryAgainLater = 1013;
const answerMs = 60_000;

export class SlowReader {
  readonly #stand: Stand;
  readonly #random: () => number;

  constructor(stand: Stand, random: () => number) {
    this.#stand = stand;
    this.#random = random;
  }

  async live(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#visit(isOver);
      await pause(this.#random() * 1000);
    }
  }

  /** Joins a thread that is loaded, reads nothing for some seconds, then reads on; sometimes it goes without a word instead. */
  async #visit(isOver: () => boolean): Promise<void> {
    const socket = new WebSocket("ws://localhost/", {
      perMessageDeflate: false,
      createConnection: () => createConnection(this.#stand.socket),
    });
    const waiting = new Map<number, (result: Record<string, unknown>) => void>();
    let code: number | undefined;
    socket.on("error", () => {});
    socket.on("close", (closed) => {
      code = closed;
    });
    socket.on("message", (data) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result?: Record<string, unknown> };
      if (id !== undefined) waiting.get(id)?.(result ?? {});
    });
    const ask = async (id: number, method: string, params: object): Promise<Record<string, unknown>> => {
      const answer = new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify({ id, method, params }));
      return await Promise.race([answer, pause(answerMs).then(() => Promise.reject(new Error(`no answer to ${method} of a slow reader`)))]);
    };
    try {
      await once(socket, "open");
      await ask(1, "initialize", { clientInfo: { name: "slow", version: "1" } });
      const loaded = (await ask(2, "thread/loaded/list", {}))["data"];
      const ids = Array.isArray(loaded) ? loaded : [];
      const threadId = ids[Math.floor(this.#random() * ids.length)];
      if (threadId === undefined) return;
      await ask(3, "thread/resume", { threadId });
      counts.slowReaders++;
      socket.pause();
      for (let left = 5 + this.#random() * 25; left > 0 && !isOver(); left--) await pause(1000);
      if (this.#random() < 0.3) return;
      socket.resume();
      await pause(500);
      if (code === tryAgainLater) counts.cutOff++;
    } finally {
      socket.terminate();
    }
  }
}

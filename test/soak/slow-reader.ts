/** One who joins somebody else's thread on a server under soak and then does not read for a while: nobody else may notice. */
import { once } from "node:events";
import { createConnection } from "node:net";
import { WebSocket } from "ws";
import { pause, type Stand } from "./stand.ts";
import { counts } from "./visitor.ts";

const tryAgainLater = 1013;
const answerMs = 300_000;
/** Threads that one of them joins. */
const joined = 4;
/** One in four sleeps for longer than a reader may take nothing; the others for less. */
const sleeps = { share: 0.25, long: 150, short: 30 };

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

  /** Joins threads that are loaded, reads nothing for some time, then reads on; sometimes it goes without a word instead. */
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
      if (ids.length === 0) return;
      const from = Math.floor(this.#random() * ids.length);
      for (let i = 0; i < joined; i++) await ask(3 + i, "thread/resume", { threadId: ids[(from + i) % ids.length] });
      counts.slowReaders++;
      socket.pause();
      const seconds = this.#random() < sleeps.share ? sleeps.long : 5 + this.#random() * (sleeps.short - 5);
      for (let left = seconds; left > 0 && !isOver(); left--) await pause(1000);
      if (isOver() || this.#random() < 0.3) return;
      socket.resume();
      await pause(1000);
      if (code === tryAgainLater) counts.cutOff++;
      else if (code !== undefined) counts.cutOffLong++;
    } finally {
      socket.terminate();
    }
  }
}

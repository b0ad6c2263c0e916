/** One thread as an object: `run` sends a message and waits for the whole turn. For simple scripts. */
import type { ThreadItem, UserInput } from "../protocol/item.ts";
import type { Thread as ThreadInfo, ThreadTokenUsage } from "../protocol/thread.ts";
import type { Turn, TurnError, TurnStartParams } from "../protocol/turn.ts";
import type { Client } from "./client.ts";

export interface RunOptions extends Omit<TurnStartParams, "threadId" | "input"> {
  /** Interrupts the turn; `run` then resolves with status "interrupted". */
  readonly signal?: AbortSignal;
  /** The agent's text as it streams. */
  readonly onText?: (delta: string) => void;
}

export interface Run {
  readonly turnId: string;
  readonly status: "completed" | "interrupted";
  /** The agent's last message; empty if there was none. */
  readonly text: string;
  /** All completed items, in the order of completion. */
  readonly items: readonly ThreadItem[];
  readonly usage: ThreadTokenUsage | undefined;
}

/** The turn failed because of the model or the account. */
export class TurnFailed extends Error {
  readonly code = "turn_failed";
  readonly turnId: string;
  readonly details: TurnError | undefined;
  constructor(turn: Turn) {
    super(turn.error?.message ?? "the turn failed");
    this.turnId = turn.id;
    this.details = turn.error ?? undefined;
  }
}

export class Thread {
  readonly id: string;
  readonly info: ThreadInfo;
  readonly #client: Client;

  constructor(client: Client, info: ThreadInfo) {
    this.#client = client;
    this.info = info;
    this.id = info.id;
  }

  /** Rejects with TurnFailed, with RpcError when the turn was not accepted, or with ConnectionClosed. */
  async run(input: string | readonly UserInput[], options: RunOptions = {}): Promise<Run> {
    const { signal, onText, ...settings } = options;
    signal?.throwIfAborted();
    const client = this.#client;
    const log = listenTo(client, this.id, onText);
    const interrupt = (): void => void log.turnId.promise.then((turnId) => this.interrupt(turnId)).catch(() => {});
    try {
      const message = typeof input === "string" ? [{ type: "text" as const, text: input }] : [...input];
      const { turn } = await client.call("turn/start", { ...settings, threadId: this.id, input: message });
      log.turnId.resolve(turn.id);
      signal?.addEventListener("abort", interrupt, { once: true });
      if (signal?.aborted === true) interrupt();
      return await log.finished;
    } finally {
      signal?.removeEventListener("abort", interrupt);
      log.stop();
    }
  }

  async interrupt(turnId: string): Promise<void> {
    await this.#client.call("turn/interrupt", { threadId: this.id, turnId });
  }
}

interface TurnLog {
  readonly turnId: PromiseWithResolvers<string>;
  readonly finished: Promise<Run>;
  stop(): void;
}

/**
 * Collects a thread's notifications from before the turn starts: the first ones may arrive in the same packet as the response with the
 * turn's id.
 */
function listenTo(client: Client, threadId: string, onText: ((delta: string) => void) | undefined): TurnLog {
  const items: { readonly turnId: string; readonly item: ThreadItem }[] = [];
  const usage = new Map<string, ThreadTokenUsage>();
  const completed = new Map<string, PromiseWithResolvers<Turn>>();
  const ending = (id: string): PromiseWithResolvers<Turn> => {
    const known = completed.get(id) ?? Promise.withResolvers<Turn>();
    completed.set(id, known);
    return known;
  };
  const turnId = Promise.withResolvers<string>();
  const closed = Promise.withResolvers<never>();
  const onEnd = (): void => closed.reject(client.ended.reason);
  client.ended.addEventListener("abort", onEnd, { once: true });
  const stops = [
    client.on("item/completed", (p) => p.threadId === threadId && items.push({ turnId: p.turnId, item: p.item })),
    client.on("item/agentMessage/delta", (p) => p.threadId === threadId && onText?.(p.delta)),
    client.on("thread/tokenUsage/updated", (p) => p.threadId === threadId && usage.set(p.turnId, p.tokenUsage)),
    client.on("turn/completed", (p) => p.threadId === threadId && ending(p.turn.id).resolve(p.turn)),
  ];
  const finish = async (): Promise<Run> => {
    const turn = await turnId.promise.then((id) => ending(id).promise);
    if (turn.status === "failed") throw new TurnFailed(turn);
    const own = items.filter((entry) => entry.turnId === turn.id).map((entry) => entry.item);
    const status = turn.status === "interrupted" ? "interrupted" : "completed";
    return { turnId: turn.id, status, text: lastMessage(own), items: own, usage: usage.get(turn.id) };
  };
  const finished = Promise.race([finish(), closed.promise]);
  finished.catch(() => {}); // a refused turn/start is reported by the call itself
  return {
    turnId,
    finished,
    stop: () => {
      for (const stop of stops) stop();
      client.ended.removeEventListener("abort", onEnd);
    },
  };
}

function lastMessage(items: readonly ThreadItem[]): string {
  const last = items.findLast((item) => item.type === "agentMessage");
  return last?.type === "agentMessage" ? last.text : "";
}

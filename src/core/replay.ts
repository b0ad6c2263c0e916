/** From a thread's records back to its turns and to what the model sees: for reading, resuming and forking. */
import type { ThreadItem } from "../protocol/item.ts";
import type { ThreadTokenUsage } from "../protocol/thread.ts";
import type { Turn } from "../protocol/turn.ts";
import { previewOf } from "./context.ts";
import type { ModelItem } from "./ports/model-client.ts";
import type { ThreadMeta, ThreadRecord } from "./ports/thread-store.ts";
import type { ThreadSettings } from "./settings.ts";

export interface Replayed {
  readonly meta: ThreadMeta | undefined;
  readonly turns: readonly Turn[];
  /** After compactions and rollbacks. */
  readonly modelHistory: readonly ModelItem[];
  readonly settings: ThreadSettings | undefined;
  readonly usage: ThreadTokenUsage | undefined;
  readonly preview: string;
}

interface PastTurn {
  turn: Turn;
  startedAtMs: number | undefined;
  /** Length of the model's history when the turn began, for rollbacks. */
  readonly historyBefore: number;
}

export function replay(records: readonly ThreadRecord[]): Replayed {
  const past = new Past();
  for (const record of records) past.take(record);
  return past.result();
}

class Past {
  #meta: ThreadMeta | undefined;
  #settings: ThreadSettings | undefined;
  #usage: ThreadTokenUsage | undefined;
  #history: ModelItem[] = [];
  #turns: PastTurn[] = [];
  #byId = new Map<string, PastTurn>();
  #preview = "";

  take(record: ThreadRecord): void {
    switch (record.type) {
      case "meta":
        this.#meta ??= record.meta; // a copied fork holds its parent's as well; the first one is its own
        return;
      case "turnStarted":
        this.#turn(record.turnId).startedAtMs = record.atMs;
        return;
      case "turnContext":
        this.#settings = record.settings;
        return;
      case "modelItem":
        this.#history.push(record.item);
        return;
      case "item":
        this.#item(record);
        return;
      case "tokenUsage":
        this.#usage = record.usage;
        return;
      case "compacted":
        this.#history = [...record.replacement]; // turns before it can no longer be taken back from what the model sees
        return;
      case "rolledBack":
        this.#rollBack(record.numTurns);
        return;
      case "turnEnded":
        this.#end(record);
        return;
    }
  }

  result(): Replayed {
    return {
      meta: this.#meta,
      turns: this.#turns.map(({ turn, startedAtMs }) => ({
        ...turn,
        status: turn.status === "inProgress" ? "interrupted" : turn.status, // its process died before it could end
        startedAt: startedAtMs === undefined ? null : Math.floor(startedAtMs / 1000),
      })),
      modelHistory: this.#history,
      settings: this.#settings,
      usage: this.#usage,
      preview: this.#preview,
    };
  }

  #turn(id: string): PastTurn {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const turn: Turn = {
      id,
      items: [],
      itemsView: "full",
      status: "inProgress",
      error: null,
      startedAt: null,
      completedAt: null,
      durationMs: null,
    };
    const fresh: PastTurn = { turn, startedAtMs: undefined, historyBefore: this.#history.length };
    this.#byId.set(id, fresh);
    this.#turns.push(fresh);
    return fresh;
  }

  #item({ turnId, item }: { turnId: string; item: ThreadItem }): void {
    const { turn } = this.#turn(turnId);
    if (this.#preview === "" && item.type === "userMessage") this.#preview = previewOf(item.content);
    const at = turn.items.findIndex((other) => other.id === item.id && other.type === item.type);
    if (at === -1) turn.items.push(item);
    else turn.items[at] = item;
  }

  #end(record: Extract<ThreadRecord, { type: "turnEnded" }>): void {
    const past = this.#turn(record.turnId);
    past.turn = {
      ...past.turn,
      status: record.status,
      error: record.error,
      completedAt: Math.floor(record.atMs / 1000),
      durationMs: record.durationMs,
    };
  }

  #rollBack(count: number): void {
    const dropped = this.#turns.splice(Math.max(0, this.#turns.length - count));
    for (const { turn } of dropped) this.#byId.delete(turn.id);
    const first = dropped[0];
    if (first !== undefined) this.#history.length = Math.min(this.#history.length, first.historyBefore);
  }
}

/** Stores the items of one turn, announces them to clients, and adds their content to the model's history. */
import type { ParamsOf } from "../../protocol/define.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { ServerNotifications } from "../../protocol/methods.ts";
import { wholeItem } from "../../protocol/whole-item.ts";
import type { History } from "../context/history.ts";
import type { CorePorts } from "../ports/core-ports.ts";
import type { ModelItem, TokenUsage } from "../ports/model-client.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import type { TurnKey } from "../ports/undo-store.ts";

/** The thread that the items are kept in. */
export interface ItemsThread {
  readonly history: Pick<History, "add">;
  readonly ports: Pick<CorePorts, "audience" | "clock">;
  record(records: readonly ThreadRecord[]): Promise<void>;
}

export class TurnItems {
  readonly #at: TurnKey;
  readonly #thread: ItemsThread;
  readonly #turnStartedAtMs: number;
  readonly #startedAt = new Map<string, number>();
  readonly #open = new Map<string, ThreadItem>();
  /** Items in progress that need no announcement. */
  readonly #known = new Set<string>();
  readonly #done: ThreadItem[] = [];
  /** Stored before the turn began, to be announced with it. */
  readonly #unannounced: ThreadItem[] = [];
  /** Raw items of the model's history for those who requested them; never before the turn itself is announced. */
  readonly #unsentRaw: ModelItem[] = [];

  constructor(at: TurnKey, thread: ItemsThread, turnStartedAtMs: number) {
    this.#at = at;
    this.#thread = thread;
    this.#turnStartedAtMs = turnStartedAtMs;
  }

  /** The completed items. */
  get all(): readonly ThreadItem[] {
    return this.#done;
  }
  /** Started, not yet completed items: shown to new subscribers. */
  get open(): readonly ThreadItem[] {
    return [...this.#open.values()];
  }
  byId(id: string): ThreadItem | undefined {
    return this.#done.findLast((item) => item.id === id);
  }

  /** The items of a turn that another process began; its clients know those in progress from its turn. */
  restore(done: readonly ThreadItem[], open: readonly ThreadItem[]): void {
    this.#done.push(...done);
    for (const item of open) {
      this.#open.set(item.id, item);
      this.#known.add(item.id);
    }
  }

  start(item: ThreadItem): void {
    const at = this.#thread.ports.clock.now();
    this.#startedAt.set(item.id, at);
    this.#open.set(item.id, item);
    if (this.#known.delete(item.id)) return;
    this.#notify("item/started", { ...this.#at, item: wholeItem({ ...item, startedAtMs: at }), startedAtMs: at });
  }

  /** Stores the item with its history items for the model, then announces it. */
  async complete(item: ThreadItem, forModel: readonly ModelItem[] = [], first: readonly ThreadRecord[] = []): Promise<void> {
    this.#announce(await this.store(item, forModel, first));
  }

  /** Stores an item that nobody is notified of. */
  async store(item: ThreadItem, forModel: readonly ModelItem[], first: readonly ThreadRecord[]): Promise<ThreadItem> {
    const completedAtMs = this.#thread.ports.clock.now();
    const startedAtMs = this.#startedAt.get(item.id) ?? completedAtMs;
    const whole = { ...item, startedAtMs, completedAtMs } as ThreadItem;
    this.#close(item);
    this.#done.push(whole);
    for (const modelItem of forModel) this.#thread.history.add(modelItem);
    this.#unsentRaw.push(...first.flatMap((record) => (record.type === "modelItem" ? [record.item] : [])), ...forModel);
    const { turnId } = this.#at;
    await this.#thread.record([
      ...first,
      ...forModel.map((modelItem): ThreadRecord => ({ type: "modelItem", item: modelItem, turnId })),
      { type: "item", turnId, item: whole, startedAtMs, completedAtMs },
    ]);
    return whole;
  }

  /** Stores an item of a turn that has not begun; `announceStored` sends its notifications later. */
  async storeEarly(item: ThreadItem, forModel: readonly ModelItem[], first: readonly ThreadRecord[]): Promise<void> {
    this.#unannounced.push(await this.store(item, forModel, first));
  }
  announceStored(): void {
    for (const item of this.#unannounced.splice(0)) {
      const startedAtMs = item.startedAtMs ?? this.#turnStartedAtMs;
      this.#notify("item/started", { ...this.#at, item: wholeItem(item), startedAtMs });
      this.#announce(item);
    }
  }

  /** Ends an item for subscribers; it becomes part of neither the turn nor the thread. */
  abandon(item: ThreadItem): void {
    const startedAtMs = this.#startedAt.get(item.id) ?? this.#turnStartedAtMs;
    this.#close(item);
    this.#announce({ ...item, startedAtMs, completedAtMs: this.#thread.ports.clock.now() } as ThreadItem);
  }

  /** Adds to the model's history without showing an item. */
  async addForModel(items: readonly ModelItem[]): Promise<void> {
    if (items.length === 0) return this.#sendRaw();
    for (const item of items) this.#thread.history.add(item);
    await this.#thread.record(items.map((item): ThreadRecord => ({ type: "modelItem", item, turnId: this.#at.turnId })));
    this.showRaw(items);
  }
  /** For subscribers of raw items. */
  showRaw(items: readonly ModelItem[]): void {
    this.#unsentRaw.push(...items);
    this.#sendRaw();
  }
  /** An answer of the model is over, for subscribers of raw items. */
  notifyAnswered(responseId: string, usage: TokenUsage | undefined): void {
    const used = usage === undefined ? null : { ...usage, cacheWriteInputTokens: usage.cacheWriteInputTokens ?? 0 };
    this.#notify("rawResponse/completed", { ...this.#at, responseId, usage: used });
  }

  #close({ id }: ThreadItem): void {
    this.#startedAt.delete(id);
    this.#open.delete(id);
  }
  #sendRaw(): void {
    for (const item of this.#unsentRaw.splice(0)) this.#notify("rawResponseItem/completed", { ...this.#at, item });
  }
  #announce(item: ThreadItem): void {
    const completedAtMs = item.completedAtMs ?? this.#thread.ports.clock.now();
    this.#notify("item/completed", { ...this.#at, item: wholeItem(item), completedAtMs });
    this.#sendRaw();
  }
  #notify<M extends keyof ServerNotifications>(method: M, params: ParamsOf<ServerNotifications[M]>): void {
    this.#thread.ports.audience.toThread(this.#at.threadId, method, params);
  }
}

/** The final form of an item that was cut short. */
export function closed(item: ThreadItem, why?: string): ThreadItem {
  if (!("status" in item) || item.status !== "inProgress") return item;
  const ended = { ...item, status: "failed" } as ThreadItem;
  if (ended.type === "dynamicToolCall") return { ...ended, success: false, contentItems: [] };
  if (why === undefined) return ended;
  if (ended.type === "mcpToolCall") return { ...ended, error: { message: why } };
  return ended.type === "commandExecution" ? { ...ended, aggregatedOutput: why } : ended;
}

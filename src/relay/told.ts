/**
 * What a client was told of one thread that it follows through a link. When another process continues the thread, it shows what the client
 * has missed, and what of the new process's notifications it knows already.
 */
import type { ParamsOf } from "../protocol/define.ts";
import type { ThreadItem } from "../protocol/item.ts";
import type { ServerNotifications } from "../protocol/methods.ts";
import type { Turn } from "../protocol/turn.ts";
import { type Json, objectOf } from "./messages.ts";

/** A notification that is still to be sent. */
export type News = {
  [M in keyof ServerNotifications]: { readonly method: M; readonly params: ParamsOf<ServerNotifications[M]> };
}[keyof ServerNotifications];

/** A message that waits until the past was told: a notification, or with an id a question. */
export interface Held {
  readonly id?: string | number;
  readonly method: string;
  readonly params: Json;
  readonly text: string;
}

export class Told {
  /** The process that holds the thread has answered the request for it. */
  isOpened = false;
  #running: string | undefined;
  /** The turn that ended last. */
  #ended: string | undefined;
  /** The client knows every turn up to `#ended`, not only what it has followed itself. */
  #knowsAll = false;
  /** Items of the running turn whose start the client knows, and those whose end. */
  readonly #started = new Set<string>();
  readonly #completed = new Set<string>();
  #held: Held[] | undefined;

  /** The turn that runs, as far as the client knows. */
  get running(): string | undefined {
    return this.#running;
  }

  /** The answer that opens the thread for the client. */
  opened(turns: unknown, isNew: boolean): void {
    this.isOpened = true;
    const known = Array.isArray(turns) ? turns.map(objectOf) : [];
    this.#knowsAll ||= isNew || known.length > 0;
    const last = known.at(-1);
    const running = known.findLast(({ status }) => status === "inProgress");
    if (last !== undefined && last !== running) this.#ended = String(last["id"]);
    if (running === undefined) return;
    this.#begin(String(running["id"]));
    for (const item of Array.isArray(running["items"]) ? running["items"].map(objectOf) : [])
      (isOver(item) ? this.#completed : this.#started).add(String(item["id"]));
  }

  /** A message on its way to the client. Returns false if it has to wait until the past was told. */
  passes(message: Held): boolean {
    if (this.#held !== undefined) {
      this.#held.push(message);
      return false;
    }
    this.#note(message.method, message.params);
    return true;
  }

  /** Another process is asked for the thread: what it sends waits for `release`. */
  hold(): void {
    this.#held = [];
  }

  /** What waited, in its order. What of it is no news to the client is left out when its turn comes. */
  release(): Iterable<Held> {
    const held = this.#held ?? [];
    this.#held = undefined;
    return held.values().filter(({ method, params }) => this.#isNews(method, params));
  }

  /** What of the stored turns the client was not told: the process that ran them may have ended before it could. */
  missing(threadId: string, turns: readonly Turn[]): News[] {
    const news: News[] = [];
    for (const turn of this.#unknown(turns)) {
      if (turn.id !== this.#running) {
        news.push({ method: "turn/started", params: { threadId, turn: { ...turn, items: [], status: "inProgress" } } });
        this.#begin(turn.id);
      }
      for (const item of turn.items) news.push(...this.#ofItem(threadId, turn.id, item));
      if (turn.status === "inProgress") continue;
      news.push({ method: "turn/completed", params: { threadId, turn } });
      this.#end(turn.id);
    }
    return news;
  }

  #unknown(turns: readonly Turn[]): readonly Turn[] {
    const running = turns.findIndex(({ id }) => id === this.#running);
    if (running >= 0) return turns.slice(running);
    const ended = turns.findIndex(({ id }) => id === this.#ended);
    if (ended >= 0) return turns.slice(ended + 1);
    return this.#knowsAll && this.#ended === undefined ? turns : [];
  }

  #ofItem(threadId: string, turnId: string, item: ThreadItem): News[] {
    if (this.#completed.has(item.id)) return [];
    const news: News[] = [];
    if (!this.#started.has(item.id))
      news.push({ method: "item/started", params: { threadId, turnId, item, startedAtMs: item.startedAtMs ?? Date.now() } });
    this.#started.add(item.id);
    if (!isOver(item)) return news;
    this.#completed.add(item.id);
    return [...news, { method: "item/completed", params: { threadId, turnId, item, completedAtMs: item.completedAtMs ?? Date.now() } }];
  }

  #isNews(method: string, params: Json): boolean {
    const turnId = objectOf(params["turn"])["id"];
    if (method === "turn/started") return turnId !== this.#running && turnId !== this.#ended;
    if (method === "turn/completed") return turnId !== this.#ended;
    const itemId = params["itemId"] ?? objectOf(params["item"])["id"];
    if (typeof itemId !== "string") return true;
    return !this.#completed.has(itemId) && !(method === "item/started" && this.#started.has(itemId));
  }

  #note(method: string, params: Json): void {
    if (method === "turn/started") this.#begin(String(objectOf(params["turn"])["id"]));
    else if (method === "turn/completed") this.#end(String(objectOf(params["turn"])["id"]));
    else if (method === "item/started") this.#started.add(String(objectOf(params["item"])["id"]));
    else if (method === "item/completed") this.#completed.add(String(objectOf(params["item"])["id"]));
  }

  #begin(turnId: string): void {
    if (this.#running === turnId) return;
    this.#running = turnId;
    this.#started.clear();
    this.#completed.clear();
  }

  /** Its items stay known: what is told of them late is no news. */
  #end(turnId: string): void {
    this.#ended = turnId;
    if (this.#running === turnId) this.#running = undefined;
  }
}

const isOver = (item: ThreadItem | Json): boolean => !("status" in item) || item["status"] !== "inProgress";

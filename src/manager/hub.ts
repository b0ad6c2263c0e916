/** Numbers every event, keeps the latest for reconnecting clients, and sends each to the sockets that subscribed to it. */
import { broadcast, type EventName, type EventPayload, type Family, inboxEvents, type PassThroughEvent } from "./events.ts";

export interface Subscriber {
  /** Null: every session. */
  threads: ReadonlySet<string> | null;
  families: ReadonlySet<Family>;
  send(json: string): void;
}

interface Kept {
  readonly seq: number;
  readonly type: string;
  readonly family: "core" | "raw" | "app_server";
  readonly threadId: string | null;
  readonly json: string;
}

/** A filter, and the sequence number since which a subscriber has received all matching events. */
export interface Received extends Pick<Subscriber, "threads" | "families"> {
  readonly since: number;
}

/** How many events are kept for replay: enough for minutes of several busy sessions. */
const maxEvents = 50_000;
const maxChars = 48 * 1024 * 1024;
/** A subscriber that missed more than this must reload: sending so many events at once would disconnect it again. */
const maxReplay = 4 * 1024 * 1024;

export class Hub {
  readonly bootId: string;
  readonly #isSystemOwned: (threadId: string) => boolean;
  readonly #subscribers = new Set<Subscriber>();
  #kept: Kept[] = [];
  #first = 0;
  #chars = 0;
  #seq = 0;
  #passesThrough = false;

  constructor(bootId: string, isSystemOwned: (threadId: string) => boolean) {
    this.bootId = bootId;
    this.#isSystemOwned = isSystemOwned;
  }

  get listeners(): number {
    return this.#subscribers.size;
  }
  get seq(): number {
    return this.#seq;
  }

  emit<N extends EventName>(type: N, threadId: string | null, payload: EventPayload<N>): void {
    this.#add(type, type === "notification" || type === "server_request" ? "raw" : "core", threadId, payload);
  }

  /** Publishes an engine event under its own name. Nothing is created or stored before the first socket subscribes to this family. */
  passThrough(type: string, threadId: string | null, payload: () => PassThroughEvent["payload"]): void {
    if (this.#passesThrough) this.#add(type, "app_server", threadId, payload());
  }

  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.familiesChanged(subscriber);
  }
  /** Call when a subscriber has changed its families. */
  familiesChanged({ families }: Pick<Subscriber, "families">): void {
    this.#passesThrough ||= families.has("app_server");
  }
  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
  }

  /**
   * Sends the events a subscriber missed since `since`, except those it has already received. Returns their number, or the reason why they
   * were not sent.
   */
  replay(subscriber: Subscriber, since: number, received: Received | undefined): number | string {
    const oldest = this.#kept[this.#first];
    if (since > this.#seq || (oldest === undefined ? since < this.#seq : since + 1 < oldest.seq)) return "the events are no longer stored";
    const missed: string[] = [];
    let size = 0;
    for (let at = this.#first; at < this.#kept.length; at++) {
      const event = this.#kept[at];
      if (event === undefined || event.seq <= since || !this.#wants(subscriber, event)) continue;
      if (received !== undefined && event.seq > received.since && this.#wants(received, event)) continue;
      missed.push(event.json);
      size += event.json.length;
      if (size > maxReplay) return "too much was missed";
    }
    for (const json of missed) subscriber.send(json);
    return missed.length;
  }

  #add(type: string, family: Kept["family"], threadId: string | null, payload: unknown): void {
    const seq = ++this.#seq;
    const json = JSON.stringify({ seq, bootId: this.bootId, type, threadId, payload });
    const event: Kept = { seq, type, family, threadId, json };
    this.#kept.push(event);
    this.#chars += json.length;
    this.#trim();
    for (const subscriber of this.#subscribers) if (this.#wants(subscriber, event)) subscriber.send(json);
  }

  #trim(): void {
    while (this.#kept.length - this.#first > maxEvents || this.#chars > maxChars) {
      this.#chars -= this.#kept[this.#first]?.json.length ?? 0;
      this.#first++;
    }
    if (this.#first > maxEvents) {
      this.#kept = this.#kept.slice(this.#first);
      this.#first = 0;
    }
  }

  #wants({ threads, families }: Pick<Subscriber, "threads" | "families">, event: Kept): boolean {
    const { threadId, type, family } = event;
    if (threadId !== null && this.#isSystemOwned(threadId) && !broadcast.has(type))
      return threads?.has(threadId) === true && families.has(family);
    if (family === "core" && broadcast.has(type)) return families.has("core") || families.has("inbox");
    if (family === "core" && families.has("inbox") && inboxEvents.has(type)) return true;
    if (!families.has(family)) return false;
    // Events that concern no session go to everyone.
    return threads === null || threadId === null || threads.has(threadId);
  }
}

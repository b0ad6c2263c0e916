/** A bidirectional channel of complete JSON messages as text. The transport handles framing, the peer interprets the messages. */
export interface Transport {
  /** Queues one message. All messages of one tick are sent together. Ignored after the end. */
  send(json: string): void;
  /** The same for messages that differ only in their middle, where that is cheaper than one after the other. */
  sendSeries?(series: MessageSeries): void;
  /** Sends what is queued now, not when the tick is over: for what must not wait for the rest of the tick. */
  flush?(): void;
  /** Characters queued and not yet delivered to the other side. */
  readonly backlog: number;
  /** Stops reading: back-pressure towards the sender. */
  pause(): void;
  resume(): void;
  onMessage: (text: string) => void;
  /** A message over the size limit was dropped; `head` is its beginning. */
  onTooLong: (head: string) => void;
  /** Called once, also after `close`. */
  onClose: (error?: Error) => void;
  /** The backlog is empty. */
  onDrain: () => void;
  /** Sends what was queued, then ends the connection. */
  close(): void;
  /** Disconnects a reader that does not keep up: unsent messages are dropped; if the transport has a close reason, it asks the client to reconnect. */
  cutOff(why: string): void;
  /** "stdio" ends with its client; the others outlive it. */
  readonly kind: "stdio" | "websocket" | "unix" | "memory";
}

/** Messages as JSON that begin and end alike: one for each middle. */
export class MessageSeries {
  readonly head: string;
  readonly middles: readonly string[];
  readonly tail: string;
  #messages: readonly string[] | undefined;

  constructor(head: string, middles: readonly string[], tail: string) {
    this.head = head;
    this.middles = middles;
    this.tail = tail;
  }

  /** Texts that all readers share: what waits for hundreds of slow ones is in memory once. */
  get messages(): readonly string[] {
    this.#messages ??= this.middles.map((middle) => `${this.head}${middle}${this.tail}`);
    return this.#messages;
  }
}

/** The reason for disconnecting a slow reader, in at most 123 bytes, the limit for a close frame's reason. */
export const tooFarBehind = "too far behind in reading; connect again and resume";

const ignore = (): void => {};

/** Two transports connected to each other; each receives what the other sends in a later microtask, in order. */
export function memoryPair(): [Transport, Transport] {
  const a = new MemoryEnd();
  const b = new MemoryEnd();
  a.other = b;
  b.other = a;
  return [a, b];
}

class MemoryEnd implements Transport {
  readonly kind = "memory";
  other: MemoryEnd | undefined;
  onMessage: (text: string) => void = ignore;
  onTooLong: (head: string) => void = ignore;
  onClose: (error?: Error) => void = ignore;
  onDrain: () => void = ignore;
  #inbox: string[] = [];
  #scheduled = false;
  #paused = false;
  #closed = false;

  get backlog(): number {
    return this.other?.waiting ?? 0;
  }
  get waiting(): number {
    return this.#paused ? this.#inbox.reduce((n, text) => n + text.length, 0) : 0;
  }
  send(json: string): void {
    if (!this.#closed) this.other?.deliver(json);
  }
  deliver(json: string): void {
    this.#inbox.push(json);
    this.#schedule();
  }
  pause(): void {
    this.#paused = true;
  }
  resume(): void {
    this.#paused = false;
    this.#schedule();
  }
  close(): void {
    if (this.#closed) return;
    const other = this.other;
    queueMicrotask(() => {
      this.end();
      other?.end();
    });
  }
  cutOff(): void {
    this.close();
  }
  end(): void {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    this.onClose();
  }
  #schedule(): void {
    if (this.#scheduled || this.#paused || this.#inbox.length === 0) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#flush());
  }
  #flush(): void {
    this.#scheduled = false;
    while (!this.#paused && !this.#closed) {
      const next = this.#inbox.shift();
      if (next === undefined) break;
      this.onMessage(next);
    }
    if (!this.#paused) this.other?.onDrain();
  }
}

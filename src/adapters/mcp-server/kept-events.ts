/** Keeps the events of one MCP session's streams, so that a client whose connection broke can fetch the rest. The oldest are dropped first. */
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

interface Limits {
  readonly events: number;
  readonly characters: number;
}
const usual: Limits = { events: 4096, characters: 8 * 1024 * 1024 };

interface Kept {
  readonly stream: string;
  readonly message: JSONRPCMessage;
  readonly length: number;
}

export class KeptEvents implements EventStore {
  readonly #limits: Limits;
  /** Oldest first. */
  readonly #events = new Map<string, Kept>();
  #next = 0;
  #length = 0;

  constructor(limits: Limits = usual) {
    this.#limits = limits;
  }

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = String(this.#next++);
    const { length } = JSON.stringify(message);
    this.#events.set(id, { stream, message, length });
    this.#length += length;
    for (const [oldest, event] of this.#events) {
      if (this.#events.size <= this.#limits.events && this.#length <= this.#limits.characters) break;
      this.#events.delete(oldest);
      this.#length -= event.length;
    }
    return id;
  }
  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events.get(id)?.stream;
  }
  async replayEventsAfter(id: string, { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> }): Promise<string> {
    const stream = this.#events.get(id)?.stream;
    if (stream === undefined) throw new Error("that event is no longer stored");
    for (const [later, event] of this.#events) if (event.stream === stream && Number(later) > Number(id)) await send(later, event.message);
    return stream;
  }
}

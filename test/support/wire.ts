/** A recorded connection: every message received on it, and ways to wait for one. Sends raw JSON, so that messages can be malformed on purpose. */
import type { Transport } from "../../src/rpc/transport.ts";

// biome-ignore lint/suspicious/noExplicitAny: server messages, for assertions to inspect
export type Message = any;

/** Longer than a healthy server takes to respond on a busy machine. */
const patienceMs = 60_000;

export class Wire {
  /** Messages received from the server, oldest first. */
  readonly received: Message[] = [];
  /** Resolves when the connection has ended. */
  readonly closed: Promise<Error | undefined>;
  readonly transport: Transport;
  readonly #waiting = new Set<() => void>();
  #nextId = 1;

  constructor(transport: Transport) {
    this.transport = transport;
    const ended = Promise.withResolvers<Error | undefined>();
    this.closed = ended.promise;
    transport.onMessage = (text) => {
      this.received.push(JSON.parse(text));
      for (const check of [...this.#waiting]) check();
    };
    transport.onClose = (error) => ended.resolve(error);
  }

  /** Strings are sent as they are, anything else as JSON. */
  send(message: unknown): void {
    this.transport.send(typeof message === "string" ? message : JSON.stringify(message));
  }
  /** Sends a request and returns the whole response, whether result or error. */
  ask(method: string, params?: unknown): Promise<Message> {
    const id = `ask-${this.#nextId++}`;
    this.send(params === undefined ? { id, method } : { id, method, params });
    return this.until((message) => message.id === id && !("method" in message), `the answer to ${method}`);
  }
  initialize(capabilities?: unknown, name = "scenario"): Promise<Message> {
    const params = { clientInfo: { name, title: null, version: "1" }, ...(capabilities === undefined ? {} : { capabilities }) };
    return this.ask("initialize", params);
  }
  /** The first matching message, already received or still to come. */
  until(fits: (message: Message) => boolean, what = "a message"): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`${what} did not come; received ${JSON.stringify(this.received).slice(0, 4000)}`));
      }, patienceMs);
      const check = (): void => {
        const found = this.received.find(fits);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }
  notification(method: string): Promise<Message> {
    return this.until((message) => message.method === method && message.id === undefined, method);
  }
  /** A server-to-client request; respond to its `id`. */
  request(method: string): Promise<Message> {
    return this.until((message) => message.method === method && message.id !== undefined, method);
  }
  /** What was received, in order: the method name, or `answer` for a response. */
  get order(): readonly string[] {
    return this.received.map((message) => message.method ?? "answer");
  }
  close(): void {
    this.transport.close();
  }
}

/** A recorded connection: every message that crossed it, and ways to wait for one. Speaks raw JSON, so that messages can be wrong on purpose. */
import type { Transport } from "../../src/rpc/transport.ts";

// biome-ignore lint/suspicious/noExplicitAny: what the server said, for assertions to look into
export type Message = any;

/** Longer than any answer of a healthy server takes on a busy machine. */
const patienceMs = 60_000;

export class Wire {
  /** What the server said, oldest first. */
  readonly heard: Message[] = [];
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
      this.heard.push(JSON.parse(text));
      for (const check of [...this.#waiting]) check();
    };
    transport.onClose = (error) => ended.resolve(error);
  }

  /** Text goes out as it is, anything else as JSON. */
  send(message: unknown): void {
    this.transport.send(typeof message === "string" ? message : JSON.stringify(message));
  }
  /** Sends a request and gives back the whole answer, be it a result or an error. */
  ask(method: string, params?: unknown): Promise<Message> {
    const id = `ask-${this.#nextId++}`;
    this.send(params === undefined ? { id, method } : { id, method, params });
    return this.until((message) => message.id === id && !("method" in message), `the answer to ${method}`);
  }
  initialize(capabilities?: unknown, name = "scenario"): Promise<Message> {
    const params = { clientInfo: { name, title: null, version: "1" }, ...(capabilities === undefined ? {} : { capabilities }) };
    return this.ask("initialize", params);
  }
  /** The first message, past or to come, that fits. */
  until(fits: (message: Message) => boolean, what = "a message"): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`${what} did not come; heard ${JSON.stringify(this.heard).slice(0, 4000)}`));
      }, patienceMs);
      const check = (): void => {
        const found = this.heard.find(fits);
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
  /** A question of the server; its `id` is to be answered. */
  request(method: string): Promise<Message> {
    return this.until((message) => message.method === method && message.id !== undefined, method);
  }
  /** Names of what was heard, in order: the method, or `answer`. */
  get order(): readonly string[] {
    return this.heard.map((message) => message.method ?? "answer");
  }
  close(): void {
    this.transport.close();
  }
}

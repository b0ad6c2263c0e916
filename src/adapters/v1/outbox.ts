/** Messages to a v1 client, held back while a request is in progress: the original servers always responded first. */
import type { V1Edge } from "./context.ts";

export class Outbox {
  readonly #edge: Pick<V1Edge, "notify" | "ask">;
  readonly #held: (() => void)[] = [];
  #holders = 0;

  constructor(edge: Pick<V1Edge, "notify" | "ask">) {
    this.#edge = edge;
  }

  notify(method: string, params: unknown): void {
    this.#inOrder(() => this.#edge.notify(method, params));
  }
  ask(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) =>
      this.#inOrder(() => {
        try {
          resolve(this.#edge.ask(method, params));
        } catch (error) {
          reject(error);
        }
      }),
    );
  }
  /** Runs a request; the notifications it causes are sent after its response or error. */
  async answeringFirst<T>(request: () => Promise<T>): Promise<T> {
    this.#holders++;
    try {
      return await request();
    } finally {
      setImmediate(() => this.#release());
    }
  }

  #inOrder(deliver: () => void): void {
    if (this.#holders === 0) deliver();
    else this.#held.push(deliver);
  }
  #release(): void {
    this.#holders--;
    if (this.#holders === 0) for (const deliver of this.#held.splice(0)) deliver();
  }
}

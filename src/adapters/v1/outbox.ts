/** What goes to a client of the older API, held back while a request is answered: the older servers always answered first. */
import type { V1Edge } from "./context.ts";

export class Outbox {
  readonly #edge: Pick<V1Edge, "notify" | "ask">;
  readonly #held: (() => void)[] = [];
  #holders = 0;

  constructor(edge: Pick<V1Edge, "notify" | "ask">) {
    this.#edge = edge;
  }

  notify(method: string, params: unknown): void {
    this.#inTurn(() => this.#edge.notify(method, params));
  }
  ask(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) =>
      this.#inTurn(() => {
        try {
          resolve(this.#edge.ask(method, params));
        } catch (error) {
          reject(error);
        }
      }),
    );
  }
  /** Runs a request; what it causes is announced once its answer, or its error, is sent. */
  async answeringFirst<T>(request: () => Promise<T>): Promise<T> {
    this.#holders++;
    try {
      return await request();
    } finally {
      setImmediate(() => this.#release());
    }
  }

  #inTurn(tell: () => void): void {
    if (this.#holders === 0) tell();
    else this.#held.push(tell);
  }
  #release(): void {
    this.#holders--;
    if (this.#holders === 0) for (const tell of this.#held.splice(0)) tell();
  }
}

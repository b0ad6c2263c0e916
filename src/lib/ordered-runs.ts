/** Runs tasks with equal keys one after another, in order of arrival. */
export class OrderedRuns {
  readonly #tails = new Map<string, Promise<unknown>>();

  run(key: string, start: () => unknown): unknown {
    const tail = this.#tails.get(key);
    const result = tail === undefined ? start() : tail.then(start, start);
    if (!(result instanceof Promise)) return result;
    const mine = result.finally(() => {
      if (this.#tails.get(key) === settled) this.#tails.delete(key);
    });
    const settled = mine.catch(() => {});
    this.#tails.set(key, settled);
    return mine;
  }
}

/** Runs tasks with equal keys one after another, in order of arrival. */
export class OrderedRuns {
  readonly #tails = new Map<string, Promise<unknown>>();
  readonly #alone = new Set<string>();

  /** Whether a task with this key waits or runs. */
  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

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

  /** As `run`, for tasks of which only one may wait or run: undefined if there is one of that name already. */
  runAlone(name: string, key: string, start: () => unknown): { readonly result: unknown } | undefined {
    if (this.#alone.has(name)) return undefined;
    this.#alone.add(name);
    const ended = (): void => void this.#alone.delete(name);
    try {
      const result = this.run(key, start);
      if (result instanceof Promise) return { result: result.finally(ended) };
      ended();
      return { result };
    } catch (error) {
      ended();
      throw error;
    }
  }
}

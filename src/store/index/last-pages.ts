/** The pages of threads that were read last: clients ask for the same one again and again, mostly while nothing has been written. */
import type { IndexRow } from "./sqlite-index.ts";

/** Several lists in several windows. */
const mostPages = 4;

export class LastPages {
  readonly #pages = new Map<string, readonly IndexRow[]>();
  #version: number | undefined;

  /** `version` changes when another connection has written; whoever writes through this one calls `clear`. */
  of(key: string, version: number, read: () => readonly IndexRow[]): readonly IndexRow[] {
    if (version !== this.#version) this.clear();
    this.#version = version;
    const rows = this.#pages.get(key) ?? read();
    this.#pages.delete(key);
    this.#pages.set(key, rows);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) break;
      this.#pages.delete(oldest);
    }
    return rows;
  }
  clear(): void {
    this.#pages.clear();
  }
}

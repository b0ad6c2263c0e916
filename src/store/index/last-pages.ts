/** The pages of threads that clients ask for again and again, mostly while nothing has been written. */
import type { IndexRow } from "./sqlite-index.ts";

/** Several lists in several windows. */
const mostPages = 4;

export interface PlaceOfPage {
  /** The same for the same page. */
  readonly key: string;
  /** It was read ahead. */
  readonly isExpected: boolean;
}

export class LastPages {
  /** By the query. */
  readonly #pages = new Map<string, readonly IndexRow[] | undefined>();
  #version: number | undefined;

  /**
   * `version` changes when another connection has written; whoever writes through this one calls `clear`. The beginning of a list that was
   * expected is kept at once, another page from the second time on: what is kept of pages that nobody asks for again takes longer to collect.
   */
  of(
    place: PlaceOfPage,
    version: number,
    read: () => readonly IndexRow[],
  ): { readonly rows: readonly IndexRow[]; readonly isKept: boolean } {
    if (version !== this.#version) this.clear();
    this.#version = version;
    const { key, isExpected } = place;
    const isKept = isExpected || this.#pages.has(key);
    const rows = this.#pages.get(key) ?? read();
    this.#pages.delete(key);
    this.#pages.set(key, isKept ? rows : undefined);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) break;
      this.#pages.delete(oldest);
    }
    return { rows, isKept };
  }
  /** The queries stay: their pages are kept again when they are asked for. */
  clear(): void {
    for (const key of this.#pages.keys()) this.#pages.set(key, undefined);
  }
}

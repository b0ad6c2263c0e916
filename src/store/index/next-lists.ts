/** Which lists probably come next, and what is read ahead for them. Only the index is read: files are looked at when they are asked for. */
import type { StoredThread, ThreadQuery } from "../../core/ports/thread-store.ts";
import type { Cursor } from "./cursor.ts";
import type { LastChanges } from "./last-changes.ts";
import type { IndexRow, SqliteIndex } from "./sqlite-index.ts";

type ThreadsOfRows = (rows: readonly IndexRow[], limit: number) => readonly StoredThread[];

export class NextLists {
  readonly #changes: LastChanges;
  /** The same threads, as an object, for the same rows. */
  readonly #threadsOf: ThreadsOfRows;
  #hasReadByChange = false;

  constructor(changes: LastChanges, threadsOf: ThreadsOfRows) {
    this.#changes = changes;
    this.#threadsOf = threadsOf;
  }

  /**
   * What to read after a list that began after `cursor`, where the next page begins after `next`; in portions, of which a request that comes
   * meanwhile waits for one.
   */
  stepsAfter(db: SqliteIndex, query: ThreadQuery, cursor: Cursor | undefined, next: Cursor | undefined): (() => void)[] {
    const steps = this.#changes.isUnprepared ? [() => this.#changes.prepare(db)] : [];
    if (query.searchTerm !== null || query.sortKey === "section_position") return steps;
    if (cursor === undefined) return [...steps, ...this.#stepsByChange(db, query)];
    // Who has gone on once goes on further. Only rows: threads and their texts would be copied by the collector, which costs more than it spares.
    const read = (): void => {
      db.preparePage(query, { after: next, named: [], narrowing: undefined });
    };
    return next === undefined ? steps : [...steps, read];
  }

  /** Once in a process: the first list by last change has its files to look at besides. */
  #stepsByChange(db: SqliteIndex, query: ThreadQuery): (() => void)[] {
    if (query.sortKey !== "created_at" || !this.#changes.isFirst || this.#hasReadByChange) return [];
    let rows: readonly IndexRow[] = [];
    const read = (): void => {
      this.#hasReadByChange = true;
      rows = db.preparePage({ ...query, sortKey: "updated_at" }, { after: undefined, named: [], narrowing: undefined });
    };
    return [read, () => query.onAhead?.(this.#threadsOf(rows, query.limit))];
  }
}

/** Day folders whose files are not known yet, and which of them a page of threads has to wait for. */
import path from "node:path";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { zoneSpanMs } from "../layout.ts";
import type { IndexRow } from "./sqlite-index.ts";

const dayMs = 86_400_000;
/** How much names and ids may differ in addition to time zones. */
const slackMs = 120_000;

export class UnseenFolders {
  /** Newest first. */
  #folders: string[] = [];

  get size(): number {
    return this.#folders.length;
  }
  replace(newestFirst: readonly string[]): void {
    this.#folders = [...newestFirst];
  }
  drop(folder: string): void {
    const at = this.#folders.indexOf(folder);
    if (at >= 0) this.#folders.splice(at, 1);
  }
  newest(): string | undefined {
    return this.#folders[0];
  }

  /** The next folder that may contain a thread created at this time or later. */
  newestSince(ms: number): string | undefined {
    const folder = this.#folders[0];
    return folder !== undefined && spanOf(folder).latest >= ms ? folder : undefined;
  }

  /** The next folder that may contain a thread before the page's border, the first row of the next page. */
  neededFor(query: ThreadQuery, border: IndexRow | undefined): string | undefined {
    if (query.archived) return undefined;
    const newestFirst = query.sortDirection === "desc";
    const folder = newestFirst || query.sortKey !== "created_at" ? this.#folders[0] : this.#folders.at(-1);
    // When sorting by last change, a thread of any day may come first.
    if (folder === undefined || border === undefined || query.sortKey !== "created_at") return folder;
    const { earliest, latest } = spanOf(folder);
    return (newestFirst ? latest >= border.createdMs : earliest <= border.createdMs) ? folder : undefined;
  }

  /** The first time, in the list's order, at which one of their threads may have been created. */
  frontier(query: ThreadQuery): number | undefined {
    if (query.archived) return undefined;
    const folder = query.sortDirection === "desc" ? this.#folders[0] : this.#folders.at(-1);
    if (folder === undefined) return undefined;
    return query.sortDirection === "desc" ? spanOf(folder).latest : spanOf(folder).earliest;
  }
}

/** The range of times in which the threads of a day folder were created. */
function spanOf(folder: string): { readonly earliest: number; readonly latest: number } {
  const [day = 1, month = 1, year = 1970] = folder.split(path.sep).reverse().map(Number);
  const midnight = new Date(year, month - 1, day).getTime();
  return { earliest: midnight - zoneSpanMs - slackMs, latest: midnight + dayMs + zoneSpanMs + slackMs };
}

/** Which day folders a page of threads has to wait for: those that it may show threads of, and those whose files are not known yet. */
import path from "node:path";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { zoneSpanMs } from "../layout.ts";
import type { Cursor } from "./cursor.ts";
import type { IndexRow } from "./sqlite-index.ts";

const dayMs = 86_400_000;
/** How much names and ids may differ in addition to time zones. */
const slackMs = 120_000;

/** A page's two ends: what it begins after, and the first row of the next one. */
export interface PagePlace {
  readonly query: ThreadQuery;
  readonly cursor: Cursor | undefined;
  readonly border: IndexRow | undefined;
}

interface Span {
  readonly earliest: number;
  readonly latest: number;
}
/** More days than a page looks at. */
const mostSpans = 1_000;

export class UnseenFolders {
  /** Newest first. */
  #folders: string[] = [];
  readonly #spans = new Map<string, Span>();

  get size(): number {
    return this.#folders.length;
  }
  replace(newestFirst: readonly string[]): void {
    this.#folders = [...newestFirst];
  }
  has(folder: string): boolean {
    return this.#folders.includes(folder);
  }
  drop(folder: string): void {
    const at = this.#folders.indexOf(folder);
    if (at >= 0) this.#folders.splice(at, 1);
  }
  newest(): string | undefined {
    return this.#folders[0];
  }

  /** Whether threads of this folder, and of all older ones, are too old for the page. */
  isBehind(folder: string, { query, cursor, border }: PagePlace): boolean {
    const oldest = query.sortKey !== "created_at" ? undefined : query.sortDirection === "desc" ? border?.createdMs : cursor?.ms;
    return oldest !== undefined && this.#spanOf(folder).latest < oldest;
  }
  /** Whether threads of this folder are too new for it. */
  isAhead(folder: string, { query, cursor, border }: PagePlace): boolean {
    const newest = query.sortKey !== "created_at" ? undefined : query.sortDirection === "desc" ? cursor?.ms : border?.createdMs;
    return newest !== undefined && this.#spanOf(folder).earliest > newest;
  }
  #spanOf(folder: string): Span {
    const known = this.#spans.get(folder);
    if (known !== undefined) return known;
    const span = spanOf(folder);
    if (this.#spans.size >= mostSpans) this.#spans.clear();
    this.#spans.set(folder, span);
    return span;
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
function spanOf(folder: string): Span {
  const [day = 1, month = 1, year = 1970] = folder.split(path.sep).reverse().map(Number);
  const midnight = new Date(year, month - 1, day).getTime();
  return { earliest: midnight - zoneSpanMs - slackMs, latest: midnight + dayMs + zoneSpanMs + slackMs };
}

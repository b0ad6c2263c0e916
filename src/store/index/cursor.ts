/** The opaque cursor between two pages: the time and id of a row, so that rows with equal times are neither lost nor repeated. */
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { invalidRequest } from "../../protocol/errors.ts";
import type { IndexRow } from "./sqlite-index.ts";

export interface Cursor {
  readonly ms: number;
  readonly id: string;
}

export const writeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify([cursor.ms, cursor.id])).toString("base64url");

/** Throws RpcError if the text is not one of our cursors. */
export function readCursor(text: string): Cursor {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (Array.isArray(value)) {
      const [ms, id]: unknown[] = value;
      if (value.length === 2 && typeof ms === "number" && typeof id === "string") return { ms, id };
    }
  } catch {}
  throw invalidRequest(`invalid cursor: ${text}`);
}

/** Where a row is in the list's order. */
export const placeOf = ({ id, createdMs, updatedMs }: IndexRow, { sortKey, ids }: ThreadQuery): Cursor => ({
  ms: sortKey === "created_at" ? createdMs : sortKey === "section_position" ? (ids?.indexOf(id) ?? 0) : updatedMs,
  id,
});

/** Threads of a section may have been moved since the last page: the cursor follows its thread. */
export function movedCursor(cursor: Cursor | undefined, { sortKey, ids }: ThreadQuery): Cursor | undefined {
  if (cursor === undefined || sortKey !== "section_position") return cursor;
  const at = ids?.indexOf(cursor.id) ?? -1;
  return at === -1 ? cursor : { ...cursor, ms: at };
}

/** `goOn` is where to continue when the rows are not all that there are and no more of them are known. */
export interface RowsOfPage {
  readonly rows: readonly IndexRow[];
  /** The same rows, as an object, are returned again while nothing changes. */
  readonly isKept?: boolean | undefined;
  readonly goOn?: Cursor | undefined;
}

/** Where the page after these rows begins, of which the last is its first if they are more than a page; and the cursor back from here. */
export function endsOf(
  query: ThreadQuery,
  rows: readonly IndexRow[],
  goOn: Cursor | undefined,
): { readonly next: Cursor | undefined; readonly backwardsCursor: string | null } {
  const [first, last] = [rows[0], rows[Math.min(rows.length, query.limit) - 1]];
  return {
    next: rows.length > query.limit && last !== undefined ? placeOf(last, query) : goOn,
    backwardsCursor: first === undefined ? null : writeCursor(placeOf(first, query)),
  };
}

/**
 * Where unread files may still sort between the rows, from one of these times on: only the rows that are certain. When sorting by last
 * change, no row is certain before all files are known.
 */
export function certainRows(
  query: ThreadQuery,
  cursor: Cursor | undefined,
  { rows, borders }: { readonly rows: readonly IndexRow[]; readonly borders: readonly number[] },
): RowsOfPage {
  const isDown = query.sortDirection === "desc";
  if (query.sortKey !== "created_at") {
    const last = rows.at(-1);
    const place = last === undefined ? cursor : placeOf(last, query);
    return { rows, goOn: place ?? (isDown ? { ms: Number.MAX_SAFE_INTEGER, id: "~" } : { ms: 0, id: "" }) };
  }
  const frontier = isDown ? Math.max(...borders) : Math.min(...borders);
  const isPast = cursor !== undefined && (isDown ? frontier >= cursor.ms : frontier <= cursor.ms);
  return {
    rows: rows.filter(({ createdMs }) => (isDown ? createdMs > frontier : createdMs < frontier)),
    // "~" sorts after every id.
    goOn: isPast ? cursor : { ms: frontier, id: isDown ? "~" : "" },
  };
}

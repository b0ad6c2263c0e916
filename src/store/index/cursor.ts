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

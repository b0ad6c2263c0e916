/** Pages of lists that are in memory as a whole. */
import { invalidRequest } from "../protocol/errors.ts";

/** The cursor is the position of the next entry. Without a limit, the whole rest. Throws invalidRequest for a cursor that this list never returned. */
export function page<T>(
  all: readonly T[],
  cursor: string | null | undefined,
  limit: number | null | undefined,
): { data: T[]; nextCursor: string | null } {
  const start = cursor === null || cursor === undefined ? 0 : Number(cursor);
  if (cursor !== null && cursor !== undefined && !/^\d{1,9}$/.test(cursor)) throw invalidRequest(`invalid cursor: ${cursor}`);
  if (start > all.length) throw invalidRequest(`cursor ${cursor} exceeds total of ${all.length} entries`);
  const end = limit === null || limit === undefined ? all.length : start + Math.max(1, limit);
  return { data: all.slice(start, end), nextCursor: end < all.length ? String(end) : null };
}

const defaultLimit = 25;
const maxLimit = 100;

/** The cursor is the key of the last entry, which may have been removed since; then the page is empty. At most a hundred entries. */
export function listPage<T>(
  all: readonly T[],
  keyOf: (entry: T) => string,
  { cursor, limit }: { readonly cursor?: string | null | undefined; readonly limit?: number | null | undefined },
): { data: T[]; nextCursor: string | null } {
  const at = typeof cursor === "string" ? all.findIndex((entry) => keyOf(entry) === cursor) : -1;
  const rest = typeof cursor === "string" && at === -1 ? [] : all.slice(at + 1);
  const data = rest.slice(0, Math.max(1, Math.min(limit ?? defaultLimit, maxLimit)));
  const last = data.at(-1);
  return { data, nextCursor: data.length < rest.length && last !== undefined ? keyOf(last) : null };
}

/** One page of a list whose cursor is the position of the next entry. */
import { invalidRequest } from "../protocol/errors.ts";

/** Without a limit, the whole rest. Throws invalidRequest for a cursor that this list never returned. */
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

/** The opaque cursor between two pages: the time and id of a row, so that rows with equal times are neither lost nor repeated. */
import { invalidRequest } from "../../protocol/errors.ts";

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

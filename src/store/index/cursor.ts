/** The opaque mark at the border of two pages: the time and id of a row, so that rows of equal time are neither lost nor doubled. */
import { invalidRequest } from "../../protocol/errors.ts";

export interface Cursor {
  readonly ms: number;
  readonly id: string;
}

export const writeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify([cursor.ms, cursor.id])).toString("base64url");

/** Throws RpcError when the text is not one of ours. */
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

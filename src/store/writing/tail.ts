/** Reads the end of a file before appending to it. */

import { parseLine } from "../rollout/line-records.ts";
import type { AppendFile } from "./disk.ts";

/** Whether the file is empty or ends with a newline. Otherwise a crash left an incomplete line, or a block of NULs. */
export async function endsLine(file: AppendFile, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = new Uint8Array(1);
  await file.read(last, size - 1);
  return last[0] === 10;
}

/** The ordinal of the next line of a paginated file: one more than that of the last readable line. */
export async function nextOrdinal(file: AppendFile, size: number): Promise<number> {
  for (let span = Math.min(size, 64 << 10); span > 0; span = Math.min(size, span * 4)) {
    const bytes = new Uint8Array(span);
    await file.read(bytes, size - span);
    const lines = Buffer.from(bytes).toString("utf8").split("\n");
    // The first piece may be the rest of a line that begins before the span.
    const ordinal = lines.slice(span < size ? 1 : 0).findLast((line) => parseLine(line)?.ordinal !== undefined);
    if (ordinal !== undefined) return (parseLine(ordinal)?.ordinal ?? -1) + 1;
    if (span === size) break;
  }
  return 0;
}

/** With its line end; empty if the file contains no complete line. */
export async function firstLine(file: AppendFile, size: number): Promise<string> {
  for (let span = Math.min(size, 64 << 10); span > 0; span = Math.min(size, span * 8)) {
    const bytes = Buffer.alloc(span);
    await file.read(bytes, 0);
    const end = bytes.indexOf(10);
    if (end >= 0) return bytes.toString("utf8", 0, end + 1);
    if (span === size) break;
  }
  return "";
}

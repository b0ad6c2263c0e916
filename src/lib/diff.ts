/** Unified diffs in git's form, and the git facts (blob id, binary or not) that stand in their headers. */
import { createHash } from "node:crypto";

/** Past this many edits a minimal diff costs more than it tells: the changed region is then shown as one block. */
const maxEdits = 4000;
const maxMs = 400;

/** The hunks that turn `before` into `after`, each line ended by LF; "" when they are equal. */
export async function unifiedDiff(before: string, after: string, context: number): Promise<string> {
  if (before === after) return "";
  const hunks = (before === "" || after === "" ? undefined : await minimal(before, after, context)) ?? [oneBlock(before, after, context)];
  return hunks.map((h) => `@@ -${range(h.oldStart, h.oldLines)} +${range(h.newStart, h.newLines)} @@\n${h.lines.join("\n")}\n`).join("");
}

async function minimal(before: string, after: string, context: number): Promise<readonly Hunk[] | undefined> {
  const { structuredPatch } = await import("diff");
  return structuredPatch("", "", before, after, "", "", { context, maxEditLength: maxEdits, timeout: maxMs })?.hunks;
}

/** git leaves a count of one out, and an empty side names the line before it. */
const range = (start: number, lines: number): string => (lines === 1 ? `${start}` : `${lines === 0 ? start - 1 : start},${lines}`);

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** Everything between the common beginning and the common end as one replacement: not minimal, but right and cheap at any size. */
function oneBlock(before: string, after: string, context: number): Hunk {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const from = Math.max(0, head - context);
  const aEnd = Math.min(a.length, a.length - tail + context);
  const bEnd = Math.min(b.length, b.length - tail + context);
  const marked = (sign: string, part: readonly string[]): string[] => part.flatMap((line) => signed(sign, line));
  return {
    oldStart: from + 1,
    oldLines: aEnd - from,
    newStart: from + 1,
    newLines: bEnd - from,
    lines: [
      ...marked(" ", a.slice(from, head)),
      ...marked("-", a.slice(head, a.length - tail)),
      ...marked("+", b.slice(head, b.length - tail)),
      ...marked(" ", a.slice(a.length - tail, aEnd)),
    ],
  };
}

const signed = (sign: string, line: string): string[] =>
  line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];

/** Lines with their LF; the last one lacks it when the text does. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? "";
  if (last !== "") lines.push(last);
  return lines;
}

/** git's name for a file's content. */
export const blobId = (bytes: Uint8Array): string => createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
export const noBlob = "0".repeat(40);

/** git's own rule: a NUL among the first 8000 bytes. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8000).includes(0);

/** The text of UTF-8 bytes with a byte-order mark kept, or undefined when they are not UTF-8 (so that no edit can damage them). */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Unified diffs in git's format, and the git facts (blob id, binary or not) that their headers contain. */
import { createHash } from "node:crypto";

/** Above this many edits a minimal diff costs more than it is worth: the changed region is then shown as one block. */
const maxEdits = 4000;
const maxMs = 400;

/** The hunks that turn `before` into `after`, each line terminated by LF; "" when they are equal. */
export async function unifiedDiff(before: string, after: string, context: number): Promise<string> {
  if (before === after) return "";
  const hunks = (before === "" || after === "" ? undefined : await minimal(before, after, context)) ?? [oneBlock(before, after, context)];
  return hunks.map((h) => `@@ -${range(h.oldStart, h.oldLines)} +${range(h.newStart, h.newLines)} @@\n${h.lines.join("\n")}\n`).join("");
}

async function minimal(before: string, after: string, context: number): Promise<readonly Hunk[] | undefined> {
  const { structuredPatch } = await import("diff");
  return structuredPatch("", "", before, after, "", "", { context, maxEditLength: maxEdits, timeout: maxMs })?.hunks;
}

/** git omits a count of one, and an empty side names the line before it. */
const range = (start: number, lines: number): string => (lines === 1 ? `${start}` : `${lines === 0 ? start - 1 : start},${lines}`);

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** Everything between the common prefix and the common suffix as one replacement: not minimal, but correct and cheap at any size. */
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

/** Lines including their LF; the last one has none when the text does not end with one. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? "";
  if (last !== "") lines.push(last);
  return lines;
}

/** git's object id of a file's content; which digest makes it depends on the repository. */
export const blobId = (bytes: Uint8Array, digest: "sha1" | "sha256" = "sha1"): string =>
  createHash(digest).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
export const noBlob = "0".repeat(40);

/** git's own rule: a NUL among the first 8000 bytes. */
export const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8000).includes(0);

/** Decodes UTF-8 and keeps a byte-order mark; undefined for bytes that are not UTF-8 (so that no edit can damage them). */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** One file's part of a git diff, with headers, in the format that `git apply` reads. */
import { blobId, isBinary, noBlob, unifiedDiff, utf8Text } from "./diff.ts";

/** What git stores of a file: its bytes (for a symlink, the target) and the kind. */
export interface Blob {
  readonly bytes: Uint8Array;
  readonly mode: "100644" | "100755" | "120000";
}

/** Context lines around each change. */
const context = 3;

/** `from` and `to` are names relative to the root, or absolute paths outside it; an undefined side does not exist. */
export async function gitFileDiff(from: string, to: string, old: Blob | undefined, young: Blob | undefined): Promise<string> {
  const head = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${to}`)}`, ...modeLines(old, young)];
  if (from !== to) head.push(`similarity index ${similarity(old, young)}%`, `rename from ${quoted(from)}`, `rename to ${quoted(to)}`);
  const [oldId, youngId] = [old, young].map((blob) => (blob === undefined ? noBlob : blobId(blob.bytes)));
  if (oldId === youngId) return `${head.join("\n")}\n`;
  const isSameMode = old !== undefined && young !== undefined && old.mode === young.mode;
  // Clients expect the index line without the mode; a changed mode has its own lines.
  head.push(`index ${oldId}..${youngId}${isSameMode && old.mode !== "100644" ? ` ${old.mode}` : ""}`);
  const names = [old === undefined ? "/dev/null" : quoted(`a/${from}`), young === undefined ? "/dev/null" : quoted(`b/${to}`)] as const;
  const [oldText, youngText] = [textOf(old), textOf(young)];
  if (oldText === undefined || youngText === undefined) return `${head.join("\n")}\nBinary files ${names[0]} and ${names[1]} differ\n`;
  const hunks = await unifiedDiff(oldText, youngText, context);
  return hunks === "" ? `${head.join("\n")}\n` : `${head.join("\n")}\n--- ${names[0]}\n+++ ${names[1]}\n${hunks}`;
}

const textOf = (blob: Blob | undefined): string | undefined =>
  blob === undefined ? "" : isBinary(blob.bytes) ? undefined : utf8Text(blob.bytes);

function modeLines(old: Blob | undefined, young: Blob | undefined): string[] {
  if (old === undefined) return young === undefined ? [] : [`new file mode ${young.mode}`];
  if (young === undefined) return [`deleted file mode ${old.mode}`];
  return old.mode === young.mode ? [] : [`old mode ${old.mode}`, `new mode ${young.mode}`];
}

/** Based on the lines that both have: a figure for people, which `git apply` does not use. */
function similarity(old: Blob | undefined, young: Blob | undefined): number {
  const [a, b] = [textOf(old), textOf(young)];
  if (a === b) return 100;
  if (a === undefined || b === undefined) return 0;
  const left = new Map<string, number>();
  for (const line of a.split("\n")) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of b.split("\n")) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    common += line.length + 1;
    left.set(line, count - 1);
  }
  return Math.min(99, Math.floor((common * 100) / Math.max(a.length, b.length, 1)));
}

/** git's own quoting, for names that would break a header line. */
function quoted(name: string): string {
  if (!/["\\\x00-\x1f\x7f]/.test(name)) return name;
  const escapes: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r" };
  return `"${name.replace(/["\\\x00-\x1f\x7f]/g, (c) => escapes[c] ?? `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`;
}

/** Parses an ordinary unified diff into file changes: some models send one instead of a patch. */
import type { Chunk, ChunkLine, FileHunk } from "../ports/file-hunk.ts";

const isFileStart = (lines: readonly string[], at: number): boolean =>
  /^--- \S/.test(lines[at] ?? "") && /^\+\+\+ \S/.test(lines[at + 1] ?? "");
const isPreamble = (line: string): boolean =>
  /^(?:diff --git |index [0-9a-f]+\.\.|(?:new|deleted) file mode |old mode |new mode |similarity index |rename (?:from|to) |Index: |=+$|\\ )/.test(
    line,
  );

/** Whether a text starts like a diff. */
export function isUnified(lines: readonly string[]): boolean {
  const first = lines.findIndex((line) => line.trim() !== "" && !isPreamble(line));
  return first >= 0 && isFileStart(lines, first);
}

/** The changes, or undefined when a line belongs to no file. */
export function hunksFromUnified(lines: readonly string[]): FileHunk[] | undefined {
  const hunks: FileHunk[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? "";
    if (line.trim() === "" || isPreamble(line)) {
      at++;
      continue;
    }
    if (!isFileStart(lines, at)) return undefined;
    const end = lines.findIndex((_, i) => i > at + 1 && (isFileStart(lines, i) || /^diff --git /.test(lines[i] ?? "")));
    const hunk = fileHunk(lines.slice(at, end < 0 ? lines.length : end));
    if (hunk === undefined) return undefined;
    hunks.push(hunk);
    at = end < 0 ? lines.length : end;
  }
  return hunks;
}

function fileHunk([before = "", after = "", ...body]: readonly string[]): FileHunk | undefined {
  const [from, to] = [nameIn(before, "a/"), nameIn(after, "b/")];
  if (to === undefined) return from === undefined ? undefined : { op: "delete", path: from };
  const chunks = chunksOf(body);
  if (chunks === undefined) return undefined;
  if (from === undefined) {
    const added = chunks.flatMap((chunk) => chunk.lines.filter((line) => line.sign === "+").map((line) => `${line.text}\n`));
    return { op: "add", path: to, content: added.join("") };
  }
  if (chunks.length === 0 && from === to) return undefined;
  return { op: "update", path: from, movePath: from === to ? undefined : to, chunks };
}

/** `--- a/src/x.ts<tab>date`; undefined for /dev/null. */
function nameIn(header: string, prefix: string): string | undefined {
  const name = header
    .slice(4)
    .replace(/\t.*$/, "")
    .trim()
    .replace(/^"(.*)"$/, "$1");
  if (name === "/dev/null") return undefined;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function chunksOf(body: readonly string[]): Chunk[] | undefined {
  const chunks: { anchors: string[]; lines: ChunkLine[]; atEnd: boolean }[] = [];
  for (const [i, line] of body.entries()) {
    const current = chunks.at(-1);
    if (line.startsWith("@@")) chunks.push({ anchors: [], lines: [], atEnd: false });
    else if (isPreamble(line) || (line === "" && isTail(body, i))) continue;
    else if (current === undefined) return undefined;
    else if (line.startsWith("+") || line.startsWith("-"))
      current.lines.push({ sign: line.startsWith("+") ? "+" : "-", text: line.slice(1) });
    else current.lines.push({ sign: " ", text: line.startsWith(" ") ? line.slice(1) : line });
  }
  return chunks.filter((chunk) => chunk.lines.length > 0);
}

const isTail = (body: readonly string[], at: number): boolean => body.slice(at).every((line) => line === "" || line.startsWith("@@"));

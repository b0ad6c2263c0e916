/** Parses the apply_patch grammar and common variations of it. Never throws: a parse error is returned as a sentence for the model. */

import { withoutFence } from "../../lib/repair-json.ts";
import type { Chunk, ChunkLine, FileHunk } from "../ports/file-hunk.ts";
import { hunksFromUnified, isUnified } from "./unified.ts";

export type Parsed = { readonly hunks: readonly FileHunk[] } | { readonly failed: string };

const begin = "*** Begin Patch";
const end = "*** End Patch";
const addHeader = "*** Add File: ";
const deleteHeader = "*** Delete File: ";
const updateHeader = "*** Update File: ";
const endOfFile = "*** End of File";
const environmentHeader = "*** Environment ID:";

/**
 * Lenient where models are sloppy (a fence or a here-document around the patch, prose before it, missing markers, CRLF, an ordinary diff),
 * strict where a guess could edit the wrong place or write half a file: a patch that starts but does not end may be truncated.
 */
export function parsePatch(text: string): Parsed {
  const lines = withLineBreaks(withoutFence(text))
    .split("\n")
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const bare = unindented(withoutHereDocument(lines));
  const starts = bare.flatMap((line, i) => (isMarker(line, begin) ? [i] : []));
  if (starts.length === 0) return withoutMarkers(bare);
  const hunks: FileHunk[] = [];
  let to = -1;
  // More than one patch: the model has several changes.
  for (const from of starts) {
    if (from < to) continue;
    to = bare.findIndex((line, i) => i > from && isMarker(line, end));
    if (to < 0) return { failed: `invalid patch: The last line of the patch must be '${end}'` };
    const body = bare.slice(0, to);
    const read = parseBody(body, from + 1) ?? new Reader(body, from + 1).patch();
    if ("failed" in read) return read;
    hunks.push(...read.hunks);
  }
  return { hunks };
}

/** A patch without its outer markers. */
function withoutMarkers(lines: readonly string[]): Parsed {
  const last = lines.findLastIndex((line) => line.trim() !== "");
  const body = isMarker(lines[last] ?? "", end) ? lines.slice(0, last) : lines;
  return parseBody(body, 0) ?? { failed: `invalid patch: The first line of the patch must be '${begin}'` };
}

/** The text between the markers; undefined when its start is not recognized. */
function parseBody(lines: readonly string[], at: number): Parsed | undefined {
  const body = lines.slice(at);
  if (isUnified(body)) {
    const hunks = hunksFromUnified(body);
    return hunks === undefined ? { failed: "invalid patch: the diff has lines that belong to no file" } : { hunks };
  }
  const first = body.find((line) => line.trim() !== "");
  return first === undefined || headerOf(first) === undefined ? undefined : new Reader(lines, at).patch();
}

const isMarker = (line: string, marker: string): boolean => line.trim().toLowerCase() === marker.toLowerCase();

/** Fixes line breaks that were escaped twice. */
function withLineBreaks(text: string): string {
  return text.includes("\n") || !text.includes("\\n")
    ? text
    : text.replaceAll(/\\([nt"\\])/g, (_, c: string) => ({ n: "\n", t: "\t" })[c] ?? c);
}

/** Removes a common indentation, as in a list or a quoted block. */
function unindented(lines: readonly string[]): readonly string[] {
  const margin = /^[ \t]+(?=\*\*\* Begin Patch)/i.exec(lines.find((line) => line.trim() !== "") ?? "")?.[0];
  if (margin === undefined || !lines.every((line) => line.trim() === "" || line.startsWith(margin))) return lines;
  return lines.map((line) => line.slice(margin.length));
}

const headerForm = /^\*{3}\s*(add|create|new|delete|remove|update|modify|edit|change)(?:\s+file\b\s*:?\s*|\s*:\s*)(\S.*)$/i;
const emptyHeader = /^\*\*\* (?:Add|Delete|Update) File:?\s*$/;
const operations: Readonly<Record<string, "add" | "delete">> = {
  add: "add",
  create: "add",
  new: "add",
  delete: "delete",
  remove: "delete",
};

/** `*** Update File: src/a.ts`, also without its colon or without the word "File". */
function headerOf(line: string): { readonly op: "add" | "delete" | "update"; readonly path: string } | undefined {
  const found = headerForm.exec(line.trim());
  if (found === null || emptyHeader.test(line.trim())) return undefined;
  return { op: operations[(found[1] ?? "").toLowerCase()] ?? "update", path: unquoted(found[2] ?? "") };
}

/** Removes quotes or backticks around a path. */
const unquoted = (path: string): string => /^(["'`])(.+)\1$/.exec(path)?.[2] ?? path;

/** Unwraps a patch inside `<<'EOF' … EOF`, with or without the command's name. */
function withoutHereDocument(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const opened = /^(?:apply_?patch\s*)?<<-?\s*(['"]?)([A-Za-z_][\w-]*)\1$/.exec(lines[first]?.trim() ?? "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (opened === null || last <= first || lines[last]?.trim() !== opened[2]) return lines;
  return [...lines.slice(0, first).map(() => ""), "", ...lines.slice(first + 1, last)];
}

/** Thrown only inside this file, to leave nested parsing at once. */
class BadHunk {
  readonly text: string;
  constructor(line: number, problem: string) {
    this.text = `invalid hunk at line ${line}, ${problem}`;
  }
}

class Reader {
  readonly #lines: readonly string[];
  #at: number;

  constructor(lines: readonly string[], at: number) {
    this.#lines = lines;
    this.#at = at;
  }

  patch(): Parsed {
    const hunks: FileHunk[] = [];
    try {
      if (this.#peek()?.trim().startsWith(environmentHeader)) this.#at++;
      while (this.#skipBlank()) hunks.push(this.#fileHunk());
    } catch (problem) {
      if (problem instanceof BadHunk) return { failed: problem.text };
      throw problem;
    }
    return { hunks };
  }

  #peek(): string | undefined {
    return this.#lines[this.#at];
  }

  /** Skips empty lines; false at the end. */
  #skipBlank(): boolean {
    while (this.#peek()?.trim() === "") this.#at++;
    return this.#peek() !== undefined;
  }

  #bad(problem: string, line = this.#at + 1): BadHunk {
    return new BadHunk(line, problem);
  }

  #fileHunk(): FileHunk {
    const line = (this.#peek() ?? "").trim();
    const at = this.#at + 1;
    if (emptyHeader.test(line)) throw this.#bad(`'${line}' names no file`);
    const header = headerOf(line);
    if (header === undefined)
      throw this.#bad(
        `'${clip(line)}' is not a valid hunk header. Valid hunk headers: '${addHeader}{path}', '${deleteHeader}{path}', '${updateHeader}{path}'`,
      );
    const { op, path } = header;
    this.#at++;
    if (op === "add") return { op, path, content: this.#added() };
    if (op === "delete") return { op, path };
    const movePath = this.#movePath();
    if (/^--- /.test(this.#peek() ?? "") && /^\+\+\+ /.test(this.#lines[this.#at + 1] ?? "")) this.#at += 2; // a diff's own header
    const chunks = this.#chunks();
    if (chunks.length === 0 && movePath === undefined) throw this.#bad(`Update file hunk for path '${path}' is empty`, at);
    return { op, path, movePath, chunks };
  }

  /** Every line begins with `+`, or none does; blank lines between may lack it. */
  #added(): string {
    const lines: string[] = [];
    const from = this.#at;
    const isEnd = (line: string): boolean => headerOf(line) !== undefined || line.trim() === endOfFile;
    for (let line = this.#peek(); line !== undefined && !isEnd(line); line = this.#peek()) {
      lines.push(line);
      this.#at++;
    }
    if (this.#peek()?.trim() === endOfFile) this.#at++;
    while (lines.at(-1)?.trim() === "") lines.pop();
    const isMarked = lines.some((line) => line.startsWith("+"));
    const odd = isMarked ? lines.findIndex((line) => line.trim() !== "" && !line.startsWith("+")) : -1;
    if (odd >= 0)
      throw this.#bad(
        `'${clip(lines[odd] ?? "")}' is neither a line of the new file, which begins with '+', nor a hunk header`,
        from + odd + 1,
      );
    return lines.map((line) => `${isMarked && line.startsWith("+") ? line.slice(1) : isMarked ? "" : line}\n`).join("");
  }

  #movePath(): string | undefined {
    const line = this.#peek()?.trim() ?? "";
    const found = /^\*{3}\s*(?:move|rename)(?:\s+file)?\s+to\s*:?\s*(.*)$/i.exec(line);
    if (found === null) return undefined;
    if (found[1] === "") throw this.#bad(`'${line}' names no file`);
    this.#at++;
    return unquoted(found[1] ?? "");
  }

  #chunks(): Chunk[] {
    const chunks: Chunk[] = [];
    while (this.#skipBlank() && !this.#peek()?.startsWith("***")) chunks.push(this.#chunk(chunks.length === 0));
    return chunks;
  }

  /** The first chunk of a file may leave its `@@` out. */
  #chunk(isFirst: boolean): Chunk {
    const anchors: string[] = [];
    const at = this.#at;
    while (isAnchor(this.#peek())) {
      const anchor = anchorText(this.#peek() ?? "");
      if (anchor !== "") anchors.push(anchor);
      this.#at++;
    }
    if (this.#at === at && !isFirst)
      throw this.#bad(`Expected update hunk to start with a @@ context marker, got: '${clip(this.#peek() ?? "")}'`);
    const lines: ChunkLine[] = [];
    for (let line = this.#chunkLine(); line !== undefined; line = this.#chunkLine()) lines.push(line);
    const atEnd = this.#peek()?.trim() === endOfFile;
    if (lines.length === 0) throw this.#bad("Update hunk does not contain any lines");
    if (atEnd) this.#at++;
    return { anchors, lines, atEnd };
  }

  #chunkLine(): ChunkLine | undefined {
    while (this.#peek()?.startsWith("\\ No newline")) this.#at++;
    const line = this.#peek();
    if (line === undefined || isAnchor(line) || line.startsWith("***")) return undefined;
    this.#at++;
    const sign = line[0];
    if (sign === " " || sign === "+" || sign === "-") return { sign, text: line.slice(1) };
    return { sign: " ", text: line }; // a context line without its leading space: it must match the file like any other
  }
}

const isAnchor = (line: string | undefined): boolean => line?.startsWith("@@") === true;

/** Line numbers of a unified diff are ignored: places are found by their text. */
function anchorText(line: string): string {
  const text = line
    .slice(2)
    .replace(/^ /, "")
    .replace(/\s+@@$/, "");
  return /^\s*-\d+(?:,\d+)? \+\d+(?:,\d+)?(?: @@|$)/.test(text) || text.trim() === "" ? "" : text;
}

const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

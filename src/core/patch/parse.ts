/** Reads the apply_patch grammar. Never throws: what cannot be read comes back as a sentence for the model. */

export interface ChunkLine {
  /** Kept, added or removed. */
  readonly sign: " " | "+" | "-";
  readonly text: string;
}
export interface Chunk {
  /** Lines to jump past before looking for the chunk's own lines, in order. */
  readonly anchors: readonly string[];
  readonly lines: readonly ChunkLine[];
  /** The chunk's lines are the last ones of the file. */
  readonly atEnd: boolean;
}
export type FileHunk =
  | { readonly op: "add"; readonly path: string; readonly content: string }
  | { readonly op: "delete"; readonly path: string }
  | { readonly op: "update"; readonly path: string; readonly movePath: string | undefined; readonly chunks: readonly Chunk[] };

export type Parsed = { readonly hunks: readonly FileHunk[] } | { readonly failed: string };

const begin = "*** Begin Patch";
const end = "*** End Patch";
const addHeader = "*** Add File: ";
const deleteHeader = "*** Delete File: ";
const updateHeader = "*** Update File: ";
const moveHeader = "*** Move to: ";
const endOfFile = "*** End of File";
const environmentHeader = "*** Environment ID:";

/** Lenient where models are sloppy (a here-document around the patch, spaces around markers, CRLF), strict where a guess could edit the wrong place. */
export function parsePatch(text: string): Parsed {
  const body = withoutHereDocument(text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)));
  const from = body.findIndex((line) => line.trim() !== "");
  const to = body.findLastIndex((line) => line.trim() !== "");
  if (from < 0 || body[from]?.trim() !== begin) return { failed: `invalid patch: The first line of the patch must be '${begin}'` };
  if (from === to || body[to]?.trim() !== end) return { failed: `invalid patch: The last line of the patch must be '${end}'` };
  return new Reader(body.slice(0, to), from + 1).patch();
}

/** A patch that the model wrapped in `<<'EOF' … EOF`, with or without the command's name. */
function withoutHereDocument(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const opened = /^(?:apply_?patch\s*)?<<-?\s*(['"]?)([A-Za-z_][\w-]*)\1$/.exec(lines[first]?.trim() ?? "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (opened === null || last <= first || lines[last]?.trim() !== opened[2]) return lines;
  return [...lines.slice(0, first).map(() => ""), "", ...lines.slice(first + 1, last)];
}

/** Thrown inside this file only, to leave nested reading at once. */
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

  /** Moves past empty lines; false at the end. */
  #skipBlank(): boolean {
    while (this.#peek()?.trim() === "") this.#at++;
    return this.#peek() !== undefined;
  }

  #bad(problem: string, line = this.#at + 1): BadHunk {
    return new BadHunk(line, problem);
  }

  #fileHunk(): FileHunk {
    const header = (this.#peek() ?? "").trim();
    const at = this.#at + 1;
    const named = (marker: string): string | undefined =>
      header.startsWith(marker.trimEnd()) ? header.slice(marker.trimEnd().length).trim() : undefined;
    const [added, deleted, updated] = [named(addHeader), named(deleteHeader), named(updateHeader)];
    const path = added ?? deleted ?? updated;
    if (path === undefined)
      throw this.#bad(
        `'${clip(header)}' is not a valid hunk header. Valid hunk headers: '${addHeader}{path}', '${deleteHeader}{path}', '${updateHeader}{path}'`,
      );
    if (path === "") throw this.#bad(`'${header}' names no file`);
    this.#at++;
    if (added !== undefined) return { op: "add", path, content: this.#added() };
    if (deleted !== undefined) return { op: "delete", path };
    const movePath = this.#movePath();
    const chunks = this.#chunks();
    if (chunks.length === 0 && movePath === undefined) throw this.#bad(`Update file hunk for path '${path}' is empty`, at);
    return { op: "update", path, movePath, chunks };
  }

  #added(): string {
    let content = "";
    for (let line = this.#peek(); line?.startsWith("+"); line = this.#peek()) {
      content += `${line.slice(1)}\n`;
      this.#at++;
    }
    return content;
  }

  #movePath(): string | undefined {
    const line = this.#peek()?.trim() ?? "";
    if (!line.startsWith(moveHeader.trimEnd())) return undefined;
    const path = line.slice(moveHeader.trimEnd().length).trim();
    if (path === "") throw this.#bad(`'${line}' names no file`);
    this.#at++;
    return path;
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
    const line = this.#peek();
    if (line === undefined || isAnchor(line) || line.startsWith("***")) return undefined;
    const sign = line === "" ? " " : line[0];
    if (sign !== " " && sign !== "+" && sign !== "-")
      throw this.#bad(
        `Unexpected line found in update hunk: '${clip(line)}'. Every line should start with ' ' (context line), '+' (added line), or '-' (removed line)`,
      );
    this.#at++;
    return { sign, text: line.slice(1) };
  }
}

const isAnchor = (line: string | undefined): boolean => line !== undefined && /^@@(?:\s|$)/.test(line);

/** Line numbers of an ordinary unified diff say nothing here: places are found by their text. */
function anchorText(line: string): string {
  const text = line.slice(2).replace(/^ /, "");
  return /^\s*-\d+(?:,\d+)? \+\d+(?:,\d+)? @@/.test(text) || text.trim() === "" ? "" : text;
}

const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Reads unified diffs, complete or truncated, into files, hunks and numbered lines. Never throws: a streaming diff is shown as far as it has arrived. */

export interface DiffLine {
  readonly kind: "same" | "add" | "remove";
  readonly text: string;
  readonly oldLine: number | null;
  readonly newLine: number | null;
}
export interface Hunk {
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}
export interface FileDiff {
  readonly path: string;
  readonly oldPath: string | null;
  readonly change: "add" | "delete" | "update" | "rename";
  readonly binary: boolean;
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
  /** Shown where there are no lines to show. */
  readonly note?: string;
}

interface OpenFile {
  path: string;
  oldPath: string | null;
  change: FileDiff["change"];
  binary: boolean;
  hunks: { heading: string; lines: DiffLine[] }[];
}

export function parseDiff(diff: string): readonly FileDiff[] {
  const files: OpenFile[] = [];
  let file: OpenFile | undefined;
  let left = { old: 0, new: 0 };
  let at = { old: 0, new: 0 };
  const open = (path: string): OpenFile => {
    const fresh: OpenFile = { path, oldPath: null, change: "update", binary: false, hunks: [] };
    files.push(fresh);
    return fresh;
  };
  for (const line of splitLines(diff)) {
    const inHunk = left.old > 0 || left.new > 0;
    const body = inHunk && file !== undefined ? bodyLine(line, at) : undefined;
    if (body !== undefined && file !== undefined) {
      file.hunks.at(-1)?.lines.push(body);
      if (body.kind !== "add") left.old--;
      if (body.kind !== "remove") left.new--;
      continue;
    }
    if (line.startsWith("\\")) continue;
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(line);
    if (hunk !== null) {
      file ??= open("");
      at = { old: Number(hunk[1]), new: Number(hunk[3]) };
      left = { old: Number(hunk[2] ?? 1), new: Number(hunk[4] ?? 1) };
      file.hunks.push({ heading: (hunk[5] ?? "").trim(), lines: [] });
      continue;
    }
    const git = /^diff --git (?:"?a\/)(.*?)"? (?:"?b\/)(.*?)"?$/.exec(line);
    if (git !== null) {
      file = open(unquote(git[2] ?? ""));
      left = { old: 0, new: 0 };
      continue;
    }
    file = headerLine(line, file, open);
  }
  return files.filter((f) => f.path !== "" || f.hunks.length > 0).map(finish);
}

function headerLine(line: string, file: OpenFile | undefined, open: (path: string) => OpenFile): OpenFile | undefined {
  const value = (prefix: string): string => unquote(line.slice(prefix.length).split("\t")[0] ?? "").replace(/^[ab]\//, "");
  if (line.startsWith("--- ")) {
    const target = file === undefined || file.hunks.length > 0 ? open(value("--- ")) : file;
    if (line.startsWith("--- /dev/null")) target.change = "add";
    else if (target.path === "") target.path = value("--- ");
    return target;
  }
  if (file === undefined) return undefined;
  if (line.startsWith("+++ /dev/null")) file.change = "delete";
  else if (line.startsWith("+++ ")) file.path = value("+++ ");
  else if (line.startsWith("new file mode")) file.change = "add";
  else if (line.startsWith("deleted file mode")) file.change = "delete";
  else if (line.startsWith("rename from ")) {
    file.oldPath = unquote(line.slice(12));
    file.change = "rename";
  } else if (line.startsWith("rename to ")) file.path = unquote(line.slice(10));
  else if (line.startsWith("Binary files ") || line.startsWith("GIT binary patch")) file.binary = true;
  return file;
}

function bodyLine(line: string, at: { old: number; new: number }): DiffLine | undefined {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "add", text, oldLine: null, newLine: at.new++ };
  if (line.startsWith("-")) return { kind: "remove", text, oldLine: at.old++, newLine: null };
  // Some tools write an unchanged blank line as an empty line.
  if (line.startsWith(" ") || line === "") return { kind: "same", text, oldLine: at.old++, newLine: at.new++ };
  return undefined;
}

/** A file change as in an item: for a new or deleted file it is the whole text, not a diff. */
export function diffOfChange(change: {
  readonly path: string;
  readonly diff: string;
  readonly kind: { readonly type: string; readonly move_path?: string | null | undefined };
}): FileDiff {
  // Even if the text itself looks like a diff: parsed as one, lines outside its hunks would not be shown.
  if (change.kind.type === "add" || change.kind.type === "delete") return wholeFile(change.path, change.diff, change.kind.type);
  const parsed = parseDiff(change.diff)[0];
  const base: OpenFile = { path: change.path, oldPath: null, change: "update", binary: false, hunks: [] };
  const moved = change.kind.move_path;
  return {
    ...(parsed ?? finish(base)),
    path: moved ?? change.path,
    oldPath: moved == null ? null : change.path,
    change: moved != null ? "rename" : "update",
  };
}

function wholeFile(path: string, text: string, change: "add" | "delete"): FileDiff {
  const rows = splitLines(text);
  const lines = rows.map(
    (row, i): DiffLine =>
      change === "add"
        ? { kind: "add", text: row, oldLine: null, newLine: i + 1 }
        : { kind: "remove", text: row, oldLine: i + 1, newLine: null },
  );
  return finish({ path, oldPath: null, change, binary: false, hunks: lines.length === 0 ? [] : [{ heading: "", lines }] });
}

function finish(file: OpenFile): FileDiff {
  const all = file.hunks.flatMap((h) => h.lines);
  return { ...file, added: all.filter((l) => l.kind === "add").length, removed: all.filter((l) => l.kind === "remove").length };
}

function splitLines(text: string): string[] {
  const lines = text.split("\n").map((l) => (l.endsWith("\r") ? l.slice(0, -1) : l));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function unquote(path: string): string {
  if (!path.startsWith('"')) return path;
  const inner = path.slice(1, path.endsWith('"') ? -1 : undefined);
  if (!inner.includes("\\")) return inner;
  const bytes = new TextEncoder().encode(inner);
  const plain: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const octal = bytes[i] === 0x5c ? /^[0-3][0-7]{2}/.exec(String.fromCharCode(...bytes.slice(i + 1, i + 4)))?.[0] : undefined;
    if (octal !== undefined) {
      plain.push(Number.parseInt(octal, 8));
      i += 3;
    } else if (bytes[i] === 0x5c && i + 1 < bytes.length) {
      const letter = String.fromCharCode(bytes[++i] ?? 0);
      plain.push(({ n: 10, t: 9, r: 13 } as Record<string, number>)[letter] ?? letter.charCodeAt(0));
    } else plain.push(bytes[i] ?? 0);
  }
  return new TextDecoder().decode(Uint8Array.from(plain));
}

/** Merges several diffs of one session per file, with the hunks in chronological order. */
export function mergeFiles(files: readonly FileDiff[]): readonly FileDiff[] {
  const byPath = new Map<string, FileDiff>();
  for (const file of files) {
    const before = byPath.get(file.oldPath ?? file.path);
    if (before === undefined) {
      byPath.set(file.path, file);
      continue;
    }
    byPath.delete(file.oldPath ?? file.path);
    byPath.set(file.path, {
      ...file,
      oldPath: before.oldPath ?? file.oldPath,
      change: before.change === "add" && file.change !== "delete" ? "add" : file.change,
      hunks: [...before.hunks, ...file.hunks],
      added: before.added + file.added,
      removed: before.removed + file.removed,
      binary: before.binary || file.binary,
    });
  }
  return [...byPath.values()];
}

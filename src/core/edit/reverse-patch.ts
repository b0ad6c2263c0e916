/** Takes a shown change of one file back: a git diff of that file, applied the other way round to the file as it is now. */

export interface FilePatch {
  /** Relative to the folder that the diff is of; null for a file that the change made. */
  readonly before: string | null;
  /** Null for a file that the change deleted. */
  readonly after: string | null;
  readonly hunks: readonly PatchHunk[];
}
export interface PatchHunk {
  /** The first line that it replaces, counted from 0. */
  readonly start: number;
  /** Lines with their LF; the last line of a file may have none. */
  readonly removed: readonly string[];
  readonly shown: readonly string[];
}

/** Why a change cannot be taken back, in words. */
export class PatchMisfit extends Error {}

const maxHunks = 10_000;

/** Throws PatchMisfit for anything but the diff of exactly one text file. */
export function parseFilePatch(text: string): FilePatch {
  const lines = text.split("\n");
  let [before, after]: [string | null | undefined, string | null | undefined] = [undefined, undefined];
  const hunks: PatchHunk[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.startsWith("diff --git ") && at > 0) throw new PatchMisfit("it is a diff of more than one file");
    if (line.startsWith("Binary files ") || line.startsWith("GIT binary patch")) throw new PatchMisfit("it is not text");
    if (line.startsWith("--- ")) before = nameIn(line.slice(4), "a/");
    else if (line.startsWith("+++ ")) after = nameIn(line.slice(4), "b/");
    else if (line.startsWith("@@ ")) {
      if (hunks.length >= maxHunks) throw new PatchMisfit(`it has more than ${maxHunks} parts`);
      const [hunk, end] = readHunk(lines, at);
      hunks.push(hunk);
      at = end - 1;
    }
  }
  if (before === undefined || after === undefined || hunks.length === 0) throw new PatchMisfit("it shows no changed lines");
  if (before === null && after === null) throw new PatchMisfit("it names no file");
  return { before, after, hunks };
}

function nameIn(raw: string, prefix: string): string | null {
  const name = unquoted(raw.replace(/\t.*$/, ""));
  if (name === "/dev/null") return null;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", '"': '"', "\\": "\\", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** git's quoting of names; octal escapes are bytes of UTF-8. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const bytes: number[] = [];
  const inner = Buffer.from(name.slice(1, -1), "utf8").toString("latin1");
  for (const [, octal, letter, plain] of inner.matchAll(/\\([0-3][0-7]{2})|\\(.)|([^\\])/gs))
    bytes.push(
      octal !== undefined ? Number.parseInt(octal, 8) : (letter !== undefined ? (escapes[letter] ?? letter) : (plain ?? "")).charCodeAt(0),
    );
  return Buffer.from(bytes).toString("utf8");
}

function readHunk(lines: readonly string[], at: number): [PatchHunk, number] {
  const head = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(lines[at] ?? "");
  if (head === null) throw new PatchMisfit("it is not a diff that can be read");
  let [old, young] = [Number(head[1] ?? 1), Number(head[3] ?? 1)];
  const [removed, shown]: [string[], string[]] = [[], []];
  let i = at + 1;
  for (; i < lines.length && (old > 0 || young > 0); i++) {
    const line = lines[i] ?? "";
    const sign = line[0] ?? " ";
    if (sign === "\\") continue;
    if (!"+- ".includes(sign)) throw new PatchMisfit("it is not a diff that can be read");
    const body = `${line.slice(1)}\n`;
    if (sign !== "+") old--;
    if (sign !== "-") young--;
    const isLast = (lines[i + 1] ?? "").startsWith("\\");
    const kept = isLast ? body.slice(0, -1) : body;
    if (sign !== "+") removed.push(kept);
    if (sign !== "-") shown.push(kept);
  }
  if (old !== 0 || young !== 0) throw new PatchMisfit("it is cut off");
  if ((lines[i] ?? "").startsWith("\\")) i++;
  const count = Number(head[3] ?? 1);
  return [{ start: Number(head[2]) - (count === 0 ? 0 : 1), removed, shown }, i];
}

/** The text before the change. The lines must be there exactly; they may have moved, if there is only one place where they fit. */
export function reversePatch(text: string, hunks: readonly PatchHunk[]): string {
  let lines = linesOf(text);
  let shift = 0;
  for (const { start, shown, removed } of hunks) {
    const at = placeOf(lines, shown, start + shift);
    lines = [...lines.slice(0, at), ...removed, ...lines.slice(at + shown.length)];
    shift = at - start + removed.length - shown.length;
  }
  return lines.join("");
}

function placeOf(lines: readonly string[], shown: readonly string[], expected: number): number {
  const fits = (at: number): boolean => at >= 0 && at + shown.length <= lines.length && shown.every((line, i) => lines[at + i] === line);
  if (fits(expected)) return expected;
  if (shown.length === 0) throw new PatchMisfit("the lines around it have changed since");
  const places: number[] = [];
  for (let at = 0; at + shown.length <= lines.length && places.length < 2; at++) if (fits(at)) places.push(at);
  const [only, second] = places;
  if (only === undefined) throw new PatchMisfit("its lines have changed since");
  if (second !== undefined) throw new PatchMisfit("its lines have moved, and they are in more than one place");
  return only;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? "";
  return last === "" ? lines : [...lines, last];
}

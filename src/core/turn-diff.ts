/** What one turn did to the files: remembered for undo, and shown as one git-style diff that `git apply` takes. */
import { blobId, isBinary, noBlob, unifiedDiff, utf8Text } from "../lib/diff.ts";
import { relativeInside, withSlashes } from "../lib/paths.ts";
import type { BeforeImages } from "./patch/apply.ts";
import type { Log } from "./ports/log.ts";
import type { TurnKey, UndoStore } from "./ports/undo-store.ts";
import { absent, type FileState, sameState, type Workspace } from "./ports/workspace.ts";
import { folderMark, stateMark } from "./undo.ts";

export interface TurnFilesPorts {
  readonly workspace: Workspace;
  /** Absent for threads that leave nothing behind. */
  readonly undo: UndoStore | undefined;
  readonly log: Log;
}

/** Lines of context in the turn's diff. */
const context = 3;

/** The files of one turn. Patches report to it; the diff is made from what they were and what is there now. */
export class TurnFiles implements BeforeImages {
  readonly #turn: TurnKey;
  /** Paths are shown relative to this resolved folder: the repository's, else the turn's own. */
  readonly #root: string;
  readonly #ports: TurnFilesPorts;
  readonly #before = new Map<string, FileState>();
  readonly #movedTo = new Map<string, string>();
  readonly #drawn = new Map<string, { before: FileState; after: FileState; text: string }>();

  constructor(turn: TurnKey, root: string, ports: TurnFilesPorts) {
    this.#turn = turn;
    this.#root = root;
    this.#ports = ports;
  }

  async keep(real: string, before: FileState): Promise<void> {
    if (this.#before.has(real)) return;
    this.#before.set(real, before);
    await this.#note(real, async (undo) => await undo.keep(this.#turn, real, before));
  }

  async left(real: string, after: FileState): Promise<void> {
    await this.#note(real, async (undo) => await undo.left(this.#turn, real, stateMark(after)));
  }

  async made(folder: string): Promise<void> {
    await this.#note(folder, async (undo) => {
      await undo.keep(this.#turn, folder, absent);
      await undo.left(this.#turn, folder, folderMark);
    });
  }

  moved(from: string, to: string): void {
    const origin = [...this.#movedTo].find(([, place]) => place === from)?.[0] ?? from;
    this.#movedTo.delete(from);
    if (origin === to) this.#movedTo.delete(origin);
    else this.#movedTo.set(origin, to);
  }

  /** A lost before-image costs an undo, never the edit itself. */
  async #note(real: string, write: (undo: UndoStore) => Promise<void>): Promise<void> {
    if (this.#ports.undo === undefined) return;
    try {
      await write(this.#ports.undo);
    } catch (error) {
      this.#ports.log.warn("undo data could not be kept", { path: real, error: String(error) });
    }
  }

  /** The whole diff of the turn so far; "" when every file is as it was. */
  async diff(): Promise<string> {
    const now = new Map<string, FileState>();
    for (const real of this.#before.keys()) now.set(real, await this.#ports.workspace.read(real).catch(() => absent));
    const renames = this.#renames(now);
    const targets = new Set(renames.values());
    const parts: { name: string; text: string }[] = [];
    for (const [from, before] of this.#before) {
      if (targets.has(from)) continue;
      const to = renames.get(from) ?? from;
      const after = now.get(to) ?? absent;
      if (to === from && sameState(before, after)) continue;
      parts.push({ name: this.#name(from), text: await this.#part(from, to, before, after) });
    }
    parts.sort((a, b) => (a.name < b.name ? -1 : 1));
    return parts.map((part) => part.text).join("");
  }

  /** Moves that are still the whole story: the file left one place and arrived where none was. */
  #renames(now: ReadonlyMap<string, FileState>): Map<string, string> {
    const isMove = ([from, to]: [string, string]): boolean =>
      now.get(from)?.kind === "absent" &&
      this.#before.get(from)?.kind === "file" &&
      this.#before.get(to)?.kind === "absent" &&
      now.get(to)?.kind === "file";
    return new Map([...this.#movedTo].filter(isMove));
  }

  async #part(from: string, to: string, before: FileState, after: FileState): Promise<string> {
    const key = `${from}\0${to}`;
    const drawn = this.#drawn.get(key);
    if (drawn !== undefined && sameState(drawn.before, before) && sameState(drawn.after, after)) return drawn.text;
    const text = await fileDiff(this.#name(from), this.#name(to), before, after);
    this.#drawn.set(key, { before, after, text });
    return text;
  }

  /** Outside the root the whole path is the name. */
  #name(real: string): string {
    return withSlashes(relativeInside(real, this.#root) ?? real);
  }
}

/** One file's part of a git diff. */
export async function fileDiff(from: string, to: string, before: FileState, after: FileState): Promise<string> {
  const [old, young] = [blobOf(before), blobOf(after)];
  const head = [`diff --git ${quoted(`a/${from}`)} ${quoted(`b/${to}`)}`, ...modeLines(old, young)];
  if (from !== to) head.push(`similarity index ${similarity(old, young)}%`, `rename from ${quoted(from)}`, `rename to ${quoted(to)}`);
  const [oldId, youngId] = [old, young].map((blob) => (blob === undefined ? noBlob : blobId(blob.bytes)));
  if (oldId === youngId) return `${head.join("\n")}\n`;
  const isSameMode = old !== undefined && young !== undefined && old.mode === young.mode;
  // Codex leaves the mode out of the index line; a changed mode stands in its own lines.
  head.push(`index ${oldId}..${youngId}${isSameMode && old.mode !== "100644" ? ` ${old.mode}` : ""}`);
  const names = [old === undefined ? "/dev/null" : quoted(`a/${from}`), young === undefined ? "/dev/null" : quoted(`b/${to}`)] as const;
  const [oldText, youngText] = [textOf(old), textOf(young)];
  if (oldText === undefined || youngText === undefined) return `${head.join("\n")}\nBinary files ${names[0]} and ${names[1]} differ\n`;
  const hunks = await unifiedDiff(oldText, youngText, context);
  return hunks === "" ? `${head.join("\n")}\n` : `${head.join("\n")}\n--- ${names[0]}\n+++ ${names[1]}\n${hunks}`;
}

interface Blob {
  readonly bytes: Uint8Array;
  readonly mode: "100644" | "100755" | "120000";
}

function blobOf(state: FileState): Blob | undefined {
  if (state.kind === "link") return { bytes: Buffer.from(state.target), mode: "120000" };
  if (state.kind !== "file") return undefined;
  return { bytes: state.bytes, mode: (state.mode & 0o100) === 0 ? "100644" : "100755" };
}

const textOf = (blob: Blob | undefined): string | undefined =>
  blob === undefined ? "" : isBinary(blob.bytes) ? undefined : utf8Text(blob.bytes);

function modeLines(old: Blob | undefined, young: Blob | undefined): string[] {
  if (old === undefined) return young === undefined ? [] : [`new file mode ${young.mode}`];
  if (young === undefined) return [`deleted file mode ${old.mode}`];
  return old.mode === young.mode ? [] : [`old mode ${old.mode}`, `new mode ${young.mode}`];
}

/** By the lines that both have: a figure for people, which `git apply` does not use. */
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

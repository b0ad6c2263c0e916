/** The file changes of one turn: stored for undo, and shown as one git-style diff that `git apply` accepts. */
import { type Blob, gitFileDiff } from "../../lib/git-diff.ts";
import { relativeInside, withSlashes } from "../../lib/paths.ts";
import type { BeforeImages } from "../patch/apply.ts";
import type { Log } from "../ports/log.ts";
import type { TurnKey, UndoEntry, UndoStore } from "../ports/undo-store.ts";
import { absent, type FileState, sameState, type Workspace } from "../ports/workspace.ts";
import { folderMark, stateMark } from "./undo.ts";

export interface TurnFilesPorts {
  readonly workspace: Workspace;
  /** Absent for ephemeral threads. */
  readonly undo: UndoStore | undefined;
  readonly log: Log;
}

/** The files of one turn. Patches report to it; the diff compares their first state with the current one. */
export class TurnFiles implements BeforeImages {
  readonly #turn: TurnKey;
  /** Paths are shown relative to this resolved folder: the repository's, else the turn's own. */
  readonly #root: string;
  readonly #ports: TurnFilesPorts;
  readonly #before = new Map<string, FileState>();
  /** Paths that this turn changed at least once. */
  readonly #changed = new Set<string>();
  /** Their first state was too large to keep; the diff leaves them out. */
  readonly #notKept = new Set<string>();
  readonly #movedTo = new Map<string, string>();
  readonly #drawn = new Map<string, { before: FileState; after: FileState; text: string }>();

  constructor(turn: TurnKey, root: string, ports: TurnFilesPorts) {
    this.#turn = turn;
    this.#root = root;
    this.#ports = ports;
  }

  /** What the turn had changed in a process that died. */
  restore(entries: readonly UndoEntry[]): void {
    for (const { path, before, leftMark } of entries) {
      if (leftMark === folderMark) continue;
      this.#changed.add(path);
      if (before !== "notKept") this.#before.set(path, before);
      else this.#notKept.add(path);
    }
  }

  async changing(real: string, before: FileState, after: FileState): Promise<void> {
    const isFirst = !this.#before.has(real) && !this.#notKept.has(real);
    if (isFirst) this.#before.set(real, before);
    await this.#note(real, async (undo) => {
      if (isFirst) await undo.keep(this.#turn, real, before, stateMark(after));
      else await undo.left(this.#turn, real, stateMark(after));
    });
  }

  changed(real: string): void {
    this.#changed.add(real);
  }

  async notChanged(real: string, before: FileState): Promise<void> {
    const wasChanged = this.#changed.has(real);
    if (!wasChanged) this.#before.delete(real);
    await this.#note(real, async (undo) => {
      if (wasChanged) await undo.left(this.#turn, real, stateMark(before));
      else await undo.drop(this.#turn, real);
    });
  }

  async made(folder: string): Promise<void> {
    await this.#note(folder, async (undo) => await undo.keep(this.#turn, folder, absent, folderMark));
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

  /** The whole diff of the turn so far; "" when every file is unchanged. */
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

  /** Moves that can be shown as such: the file left one path and arrived at one that did not exist. */
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

  /** Outside the root, the absolute path is the name. */
  #name(real: string): string {
    return withSlashes(relativeInside(real, this.#root) ?? real);
  }
}

/** The same for workspace states. */
export const fileDiff = (from: string, to: string, before: FileState, after: FileState): Promise<string> =>
  gitFileDiff(from, to, blobOf(before), blobOf(after));

function blobOf(state: FileState): Blob | undefined {
  if (state.kind === "link") return { bytes: Buffer.from(state.target), mode: "120000" };
  if (state.kind !== "file") return undefined;
  return { bytes: state.bytes, mode: (state.mode & 0o100) === 0 ? "100644" : "100755" };
}

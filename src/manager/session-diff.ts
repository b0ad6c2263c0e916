/** The file changes of a session, or of one turn, as one diff from the state before to the state after, computed from the files the engine keeps and from the recorded patches. */
import { utf8Text } from "../lib/diff.ts";
import { type Blob, gitFileDiff } from "../lib/git-diff.ts";
import type { FileUpdateChange } from "../protocol/item.ts";
import type { Turn } from "../protocol/turn.ts";
import type { FileBefore } from "../protocol/turn-revert.ts";

/** A file at one point in time: its text, absent, or unknown. */
type State = { readonly text: string } | "absent" | "unknown";

export interface DiffRequest {
  /** Oldest first. */
  readonly turns: readonly Turn[];
  /** The turn to show; undefined shows all of them together. */
  readonly turnId: string | undefined;
  /** File names are shown relative to this folder. */
  readonly cwd: string;
  /** The files of a turn before it started, if the engine keeps them: they also cover changes made by commands. */
  kept(turnId: string): readonly KeptFile[];
  /** The current file; undefined if there is none. Rejects if it cannot be read. */
  read(path: string): Promise<Uint8Array | undefined>;
}

export interface KeptFile {
  readonly path: string;
  readonly before: FileBefore;
}

export interface SessionDiff {
  readonly diff: string;
  /** Files that something else changed in between, so that a single diff is impossible: they are shown patch by patch. */
  readonly inexact: string[];
  /** Some files were omitted because there is too much. */
  readonly truncated: boolean;
}

const maxChars = 8_000_000;
const maxFiles = 1000;

/**
 * Goes back from the current files, newest turn first: to the files the engine has kept, otherwise by reverting patches. Changes that
 * others made elsewhere in the same files are on both sides and so do not show; if they changed the very lines of a patch, the patch cannot
 * be reverted.
 */
export async function diffOfSession(request: DiffRequest): Promise<SessionDiff> {
  const { cwd } = request;
  const all = request.turns.map((turn) => ({
    id: turn.id,
    changes: changesOf(turn).map((change) => absolute(change, cwd)),
    kept: request.kept(turn.id),
  }));
  const shown = (turnId: string): boolean => request.turnId === undefined || turnId === request.turnId;
  const wanted = all.filter(({ id }) => shown(id));
  const places = new Set(
    wanted.flatMap(({ changes, kept }) => [
      ...changes.flatMap((change) => [change.path, ...(moveOf(change) ?? [])]),
      ...kept.map((file) => file.path),
    ]),
  );
  const files = new Files(request.read);
  const after = new Map<string, State>();
  let isAfter = true;
  for (const turn of all.toReversed()) {
    if (isAfter && shown(turn.id)) {
      for (const place of places) after.set(place, await files.at(place));
      isAfter = false;
    }
    // Older than the displayed turns: stop here.
    if (!isAfter && !shown(turn.id)) break;
    const known = new Set(turn.kept.map((file) => file.path));
    for (const change of turn.changes.toReversed()) if (touches(change, places) && !known.has(change.path)) await files.takeBack(change);
    for (const file of turn.kept) if (places.has(file.path)) files.put(file.path, stateOf(file.before));
  }
  const before = new Map<string, State>();
  for (const place of places) before.set(place, await files.at(place));
  return await draw({ before, after, changes: wanted.flatMap((turn) => turn.changes), cwd });
}

function stateOf(before: FileBefore): State {
  if (before.type === "absent") return "absent";
  return before.type === "file" ? textState(Buffer.from(before.dataBase64, "base64")) : "unknown";
}

function textState(bytes: Uint8Array): State {
  const text = utf8Text(bytes);
  return text === undefined || text.includes("\0") ? "unknown" : { text };
}

const changesOf = (turn: Turn): FileUpdateChange[] =>
  turn.items.flatMap((item) => (item.type === "fileChange" && item.status === "completed" ? item.changes : []));

const moveOf = ({ kind }: FileUpdateChange): [string] | undefined =>
  kind.type === "update" && kind.move_path != null && kind.move_path !== "" ? [kind.move_path] : undefined;

function touches(change: FileUpdateChange, places: ReadonlySet<string>): boolean {
  return places.has(change.path) || (moveOf(change)?.some((to) => places.has(to)) ?? false);
}

/** Some engines name files relative to the session's folder. */
function absolute(change: FileUpdateChange, cwd: string): FileUpdateChange {
  const whole = (place: string): string => (/^([/\\]|[A-Za-z]:[/\\])/.test(place) ? place : `${cwd.replace(/[/\\]$/, "")}/${place}`);
  const path = whole(change.path);
  const [to] = moveOf(change) ?? [];
  return to === undefined ? { ...change, path } : { ...change, path, kind: { type: "update", move_path: whole(to) } };
}

/** The files' states while going back in time. */
class Files {
  readonly #read: DiffRequest["read"];
  readonly #states = new Map<string, State>();

  constructor(read: DiffRequest["read"]) {
    this.#read = read;
  }

  async at(place: string): Promise<State> {
    const known = this.#states.get(place);
    if (known !== undefined) return known;
    const state = await this.#now(place);
    this.#states.set(place, state);
    return state;
  }

  put(place: string, state: State): void {
    this.#states.set(place, state);
  }

  async takeBack(change: FileUpdateChange): Promise<void> {
    const { path, kind, diff } = change;
    if (kind.type === "add") return void this.#states.set(path, "absent");
    if (kind.type === "delete") return void this.#states.set(path, { text: diff });
    const [to = path] = moveOf(change) ?? [];
    const state = await this.at(to);
    if (to !== path) this.#states.set(to, "absent");
    this.#states.set(path, typeof state === "string" ? "unknown" : await undone(state.text, diff));
  }

  async #now(place: string): Promise<State> {
    try {
      const bytes = await this.#read(place);
      if (bytes === undefined) return "absent";
      return textState(bytes);
    } catch {
      return "unknown";
    }
  }
}

async function undone(text: string, patch: string): Promise<State> {
  const { applyPatch, parsePatch, reversePatch } = await import("diff");
  try {
    const [parsed] = parsePatch(hunksOnly(patch));
    if (parsed === undefined || parsed.hunks.length === 0) return { text };
    const older = applyPatch(text, reversePatch(parsed));
    return older === false ? "unknown" : { text: older };
  } catch {
    return "unknown";
  }
}

/** Removes the note about a move that items have at their end. */
const hunksOnly = (patch: string): string => patch.replace(/\n*Moved to: [^\n]*\n?$/, "\n");

interface Drawing {
  readonly before: ReadonlyMap<string, State>;
  readonly after: ReadonlyMap<string, State>;
  readonly changes: readonly FileUpdateChange[];
  readonly cwd: string;
}

async function draw(drawing: Drawing): Promise<SessionDiff> {
  const { before, after, changes, cwd } = drawing;
  const name = (place: string): string => (place.startsWith(`${cwd}/`) ? place.slice(cwd.length + 1) : place).replaceAll("\\", "/");
  const renames = renamesIn(drawing);
  const arrived = new Set(renames.values());
  const parts: { name: string; text: string }[] = [];
  const inexact: string[] = [];
  for (const [place, old] of before) {
    const to = renames.get(place) ?? place;
    const young = after.get(to) ?? "unknown";
    if (old === "unknown" || young === "unknown") {
      const text = patchByPatch(
        name(place),
        changes.filter((c) => c.path === place),
      );
      if (text !== "") inexact.push(name(place));
      parts.push({ name: name(place), text: text === "" ? notText(name(place)) : text });
    } else if (!arrived.has(place) && (to !== place || textIn(old) !== textIn(young)))
      parts.push({ name: name(to), text: await gitFileDiff(name(place), name(to), blobOf(old), blobOf(young)) });
  }
  parts.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...bounded(parts.map((p) => p.text)), inexact: inexact.sort() };
}

/** Moves without any other change: the file left one path and appeared at one that was free. */
function renamesIn({ before, after, changes }: Drawing): Map<string, string> {
  const movedTo = new Map<string, string>();
  for (const change of changes) {
    const [to] = moveOf(change) ?? [];
    if (to === undefined) continue;
    const origin = [...movedTo].find(([, place]) => place === change.path)?.[0] ?? change.path;
    movedTo.delete(change.path);
    movedTo.set(origin, to);
  }
  const isFile = (state: State | undefined): boolean => typeof state === "object";
  return new Map(
    [...movedTo].filter(
      ([from, to]) => isFile(before.get(from)) && after.get(from) === "absent" && before.get(to) === "absent" && isFile(after.get(to)),
    ),
  );
}

const textIn = (state: State): string | undefined => (typeof state === "object" ? state.text : undefined);
const blobOf = (state: State): Blob | undefined =>
  typeof state === "object" ? { bytes: Buffer.from(state.text), mode: "100644" } : undefined;

function patchByPatch(name: string, changes: readonly FileUpdateChange[]): string {
  const hunks = changes.map(({ kind, diff }) => {
    if (kind.type === "update") return hunksOnly(diff);
    const lines = diff.replace(/\n$/, "").split("\n");
    const sign = kind.type === "add" ? "+" : "-";
    const range = kind.type === "add" ? `-0,0 +1,${lines.length}` : `-1,${lines.length} +0,0`;
    return `@@ ${range} @@\n${lines.map((line) => `${sign}${line}\n`).join("")}`;
  });
  return hunks.length === 0 ? "" : `diff --git a/${name} b/${name}\n--- a/${name}\n+++ b/${name}\n${hunks.join("")}`;
}

/** A file changed by a command that is not text, or was too large to be kept. */
const notText = (name: string): string => `diff --git a/${name} b/${name}\nBinary files a/${name} and b/${name} differ\n`;

function bounded(parts: readonly string[]): { diff: string; truncated: boolean } {
  let length = 0;
  const kept = parts.slice(0, maxFiles).filter((part) => {
    length += part.length;
    return length <= maxChars;
  });
  return { diff: kept.join(""), truncated: kept.length < parts.length };
}

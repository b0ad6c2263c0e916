/** Undoes the file changes of one turn, unless the files were changed since. Separate from `thread/rollback`, which only changes history. */
import { createHash } from "node:crypto";
import type { TurnKey, UndoEntry, UndoStore } from "../ports/undo-store.ts";
import { type FileState, sameState, type Workspace, WorkspaceRefusal } from "../ports/workspace.ts";

export interface Conflict {
  readonly path: string;
  readonly reason: string;
}
export interface Reverted {
  readonly restored: string[];
  readonly conflicts: Conflict[];
}

/** A digest of the state at a path: equal contents have equal marks, whatever their modes. */
export function stateMark(state: FileState): string {
  if (state.kind === "file") return `file:${createHash("sha256").update(state.bytes).digest("hex")}`;
  return state.kind === "link" ? `link:${state.target}` : state.kind;
}

/** Represents a folder that the turn created. */
export const folderMark = "folder";

/**
 * Restores a turn's files to their state before it. All or nothing: with a conflict and without `force` no file is touched. `force` overwrites
 * files that were changed since; files that were not kept stay conflicts. Undefined when nothing is stored for this turn.
 */
export async function revertTurn(turn: TurnKey, force: boolean, store: UndoStore, workspace: Workspace): Promise<Reverted | undefined> {
  const entries = await store.read(turn);
  if (entries === undefined) return undefined;
  const looks = await Promise.all(entries.map((entry) => look(entry, workspace)));
  const conflicts = looks.flatMap((found) => (found.reason === undefined ? [] : [{ path: found.entry.path, reason: found.reason }]));
  if (conflicts.length > 0 && !force) return { restored: [], conflicts };
  return await restore(looks, workspace);
}

export interface RevertCheck {
  readonly files: { readonly path: string; readonly becomes: "restored" | "deleted" }[];
  readonly conflicts: Conflict[];
}

/** What reverting several turns, newest first, would do: each is compared with the files as the turns after it would leave them. */
export async function checkRevert(turns: readonly TurnKey[], store: UndoStore, workspace: Workspace): Promise<RevertCheck> {
  const found = new Map<string, FileState | "notKept">();
  const conflicts = new Map<string, string>();
  for (const turn of turns)
    for (const entry of (await store.read(turn)) ?? []) {
      if (isFolder(entry)) continue;
      const reached = found.get(entry.path);
      const { reason } = reached === undefined ? await look(entry, workspace) : compare(entry, reached);
      if (reason !== undefined && !conflicts.has(entry.path)) conflicts.set(entry.path, reason);
      found.set(entry.path, entry.before);
    }
  const files = [...found].map(([path, state]) => ({
    path,
    becomes: state !== "notKept" && state.kind === "absent" ? ("deleted" as const) : ("restored" as const),
  }));
  return {
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    conflicts: [...conflicts].map(([path, reason]) => ({ path, reason })),
  };
}

const notKeptReason = "its earlier content was not kept: it was too large, ignored, or git had stored it in another form";

interface Look {
  readonly entry: UndoEntry;
  readonly now: FileState | undefined;
  /** Why it cannot simply be restored. */
  readonly reason: string | undefined;
}

async function look(entry: UndoEntry, workspace: Workspace): Promise<Look> {
  if (isFolder(entry)) return { entry, now: undefined, reason: undefined };
  if (entry.before === "notKept") return { entry, now: undefined, reason: notKeptReason };
  try {
    return compare(entry, await workspace.read(entry.path));
  } catch (error) {
    if (error instanceof WorkspaceRefusal) return { entry, now: undefined, reason: error.message };
    throw error;
  }
}

function compare(entry: UndoEntry, now: FileState | "notKept"): Look {
  if (entry.before === "notKept" || now === "notKept") return { entry, now: undefined, reason: notKeptReason };
  if (sameState(now, entry.before)) return { entry, now, reason: undefined };
  return { entry, now, reason: stateMark(now) === entry.leftMark ? undefined : changedSince(now) };
}

function changedSince(now: FileState): string {
  if (now.kind === "absent") return "it was deleted since the turn";
  return now.kind === "other" ? `a ${now.what} stands there now` : "it was changed since the turn";
}

/** Restores files first, then deletes files, then the folders that the turn created, deepest first, if they are empty. */
async function restore(looks: readonly Look[], workspace: Workspace): Promise<Reverted> {
  const restored: string[] = [];
  const conflicts: Conflict[] = [];
  const rank = ({ entry }: Look): number => (isFolder(entry) ? 2 : entry.before !== "notKept" && entry.before.kind === "absent" ? 1 : 0);
  for (const { entry, now, reason } of looks.toSorted((a, b) => rank(a) - rank(b) || b.entry.path.length - a.entry.path.length)) {
    if (isFolder(entry)) {
      await workspace.removeFolder(entry.path);
      continue;
    }
    if (entry.before === "notKept" || now === undefined) {
      conflicts.push({ path: entry.path, reason: reason ?? "it cannot be read" });
      continue;
    }
    if (sameState(now, entry.before)) continue;
    try {
      await workspace.replace(entry.path, now, entry.before);
      restored.push(entry.path);
    } catch (error) {
      if (!(error instanceof WorkspaceRefusal)) throw error;
      conflicts.push({ path: entry.path, reason: error.message });
    }
  }
  return { restored: restored.sort(), conflicts };
}

export const isFolder = (entry: UndoEntry): boolean => entry.leftMark === folderMark;

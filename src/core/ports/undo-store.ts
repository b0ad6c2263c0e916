/** Port: stores files as they were before a turn changed them, across restarts, up to a size limit. */
import type { FileState } from "./workspace.ts";

export interface TurnKey {
  readonly threadId: string;
  readonly turnId: string;
}

export interface UndoEntry {
  /** Resolved path. */
  readonly path: string;
  /** "notKept": it was too large, or the disk was full. */
  readonly before: FileState | "notKept";
  /** Mark of the state that the turn left there, or was about to leave when it was interrupted (see `stateMark`). */
  readonly leftMark: string;
}

export interface UndoStore {
  /** Call before the first change of a path in a turn. Resolves when the entry would survive a crash of this process. Rejects when it cannot be written. */
  keep(turn: TurnKey, path: string, before: FileState | "notKept", leftMark: string): Promise<void>;
  /** Call before each further change; the last call counts. */
  left(turn: TurnKey, path: string, mark: string): Promise<void>;
  /** The turn did not change the path after all. */
  drop(turn: TurnKey, path: string): Promise<void>;
  /** Undefined when nothing is stored for the turn: it touched no file, or was pruned. */
  read(turn: TurnKey): Promise<readonly UndoEntry[] | undefined>;
  /** Drops everything of a thread that was deleted. */
  forget(threadId: string): Promise<void>;
}

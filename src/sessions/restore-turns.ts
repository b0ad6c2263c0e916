/** Restores the files that turns have changed: the one loop for every interface that goes back to before a turn. */
import type { ParamsOf, ResultOf } from "../protocol/define.ts";
import type { ClientRequests } from "../protocol/methods.ts";

/** A file that someone else has changed since, or whose earlier content was not kept. */
export interface FileConflict {
  readonly path: string;
  readonly reason: string;
}

export interface RestoredTurns {
  /** False when conflicts stopped it: then no file of that turn and of older ones was touched. */
  readonly isDone: boolean;
  /** Files that could not be restored even by force. */
  readonly left: readonly FileConflict[];
}

/** A link or a client: whatever calls the engine. */
interface Engine {
  call<M extends "turn/files/read" | "turn/revert">(method: M, params: ParamsOf<ClientRequests[M]>): Promise<ResultOf<ClientRequests[M]>>;
}

interface TurnsToRestore {
  readonly threadId: string;
  /** Newest first, so that each turn finds the files as it left them. */
  readonly turnIds: readonly string[];
}

/** `overwrite` decides whether changes that others made since may be lost. Turns that changed no file are skipped: the engine refuses to revert them. */
export async function restoreTurns(
  engine: Engine,
  { threadId, turnIds }: TurnsToRestore,
  overwrite: (conflicts: readonly FileConflict[]) => Promise<boolean>,
): Promise<RestoredTurns> {
  const left: FileConflict[] = [];
  for (const turnId of turnIds) {
    const { files } = await engine.call("turn/files/read", { threadId, turnId });
    if (files.length === 0) continue;
    const { conflicts } = await engine.call("turn/revert", { threadId, turnId });
    if (conflicts.length === 0) continue;
    if (!(await overwrite(conflicts))) return { isDone: false, left };
    left.push(...(await engine.call("turn/revert", { threadId, turnId, force: true })).conflicts);
  }
  return { isDone: true, left };
}

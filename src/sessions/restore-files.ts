/** Restores files to their state before a session's last turns, for the manager and the extension. */
import type { EngineLink } from "./link.ts";
import type { FilesOnRollback } from "./records.ts";
import { type FileConflict, restoreTurns } from "./restore-turns.ts";
import { readTurns } from "./sessions.ts";

/** Someone else has changed files since: the conversation stays, and no file of the affected turn was touched. */
export class FilesChanged extends Error {
  readonly code = "files_changed";
}

/** Maximum number of turns at once. */
const maxTurns = 100;

/** Throws FilesChanged. */
export async function restoreFiles(link: EngineLink, threadId: string, numTurns: number, files: FilesOnRollback): Promise<void> {
  if (files === "keep") return;
  if (numTurns > maxTurns) throw new FilesChanged(`Files are restored for at most ${maxTurns} turns at once.`);
  const { data } = await readTurns(link, threadId, null, numTurns);
  const turnIds = data.slice(0, numTurns).map(({ id }) => id);
  await restoreTurns(link, { threadId, turnIds }, async (conflicts) => {
    if (files === "restore") throw changedSince(conflicts);
    return true;
  });
}

const changedSince = (conflicts: readonly FileConflict[]): FilesChanged =>
  new FilesChanged(
    `Changed by somebody else since: ${conflicts.map(({ path, reason }) => `${path} (${reason})`).join(", ")}. The conversation stays as it is.`,
  );

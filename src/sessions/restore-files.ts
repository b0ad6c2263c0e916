/** Restores files to their state before a session's last turns, for the manager and the extension. */
import type { ResultOf } from "../protocol/define.ts";
import type { ClientRequests } from "../protocol/methods.ts";
import type { EngineLink } from "./link.ts";
import type { FilesOnRollback } from "./records.ts";
import { isUnsupported } from "./refusals.ts";
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
  const turnIds = await lastTurns(link, threadId, numTurns);
  if (files === "restore") {
    const { conflicts } = await check(link, threadId, turnIds).catch((error: unknown) => {
      if (isUnsupported(error)) return { conflicts: [] };
      throw error;
    });
    if (conflicts.length > 0) throw changedSince(conflicts);
  }
  await restoreTurns(link, { threadId, turnIds }, async (conflicts) => {
    if (files === "restore") throw changedSince(conflicts);
    return true;
  });
}

/** What restoring would do, and what is in its way; nothing is touched. */
export async function checkFiles(link: EngineLink, threadId: string, numTurns: number): Promise<Checked> {
  return await check(link, threadId, await lastTurns(link, threadId, Math.min(numTurns, maxTurns)));
}

type Checked = ResultOf<ClientRequests["turn/revert/check"]>;
const check = (link: EngineLink, threadId: string, turnIds: string[]): Promise<Checked> =>
  link.call("turn/revert/check", { threadId, turnIds });

async function lastTurns(link: EngineLink, threadId: string, numTurns: number): Promise<string[]> {
  const { data } = await readTurns(link, threadId, null, numTurns);
  return data.slice(0, numTurns).map(({ id }) => id);
}

const changedSince = (conflicts: readonly FileConflict[]): FilesChanged =>
  new FilesChanged(
    `Changed by somebody else since: ${conflicts.map(({ path, reason }) => `${path} (${reason})`).join(", ")}. The conversation stays as it is.`,
  );

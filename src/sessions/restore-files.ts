/** Restores files to their state before a session's last turns, for every interface that reverts turns. */
import type { EngineLink } from "./link.ts";
import type { FilesOnRollback } from "./records.ts";
import { readTurns } from "./sessions.ts";

/** Someone else has changed files since: the conversation stays, and no file of the affected turn was touched. */
export class FilesChanged extends Error {
  readonly code = "files_changed";
}

/** Maximum number of turns at once. */
const maxTurns = 100;

/** Newest turn first, so that each turn finds the files as it left them. Throws FilesChanged. */
export async function restoreFiles(link: EngineLink, threadId: string, numTurns: number, files: FilesOnRollback): Promise<void> {
  if (files === "keep") return;
  if (numTurns > maxTurns) throw new FilesChanged(`Files are restored for at most ${maxTurns} turns at once.`);
  const { data } = await readTurns(link, threadId, null, numTurns);
  for (const { id: turnId } of data.slice(0, numTurns)) {
    const { files: changed } = await link.call("turn/files/read", { threadId, turnId });
    if (changed.length === 0) continue;
    const { conflicts } = await link.call("turn/revert", { threadId, turnId, force: files === "force" });
    if (conflicts.length > 0 && files !== "force")
      throw new FilesChanged(
        `Changed by somebody else since: ${conflicts.map(({ path, reason }) => `${path} (${reason})`).join(", ")}. The conversation stays as it is.`,
      );
  }
}

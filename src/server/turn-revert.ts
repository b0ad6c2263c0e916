/** `turn/files/read`: a turn's files as they were before it. `turn/revert`: restores the files that a turn changed, unless someone has changed them since. The history stays unchanged. */

import { checkRevert, isFolder, revertTurn } from "../core/edit/undo.ts";
import type { UndoEntry } from "../core/ports/undo-store.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { FileBefore, turnRevertRequests } from "../protocol/turn-revert.ts";
import type { HandlersFor } from "./app.ts";

export const turnRevertHandlers: HandlersFor<typeof turnRevertRequests> = {
  async "turn/files/read"({ threadId, turnId }, { app }) {
    const entries = (await app.undo.read({ threadId, turnId })) ?? [];
    return { files: entries.filter((entry) => !isFolder(entry)).map(({ path, before }) => ({ path, before: wireState(before) })) };
  },
  async "turn/revert/check"({ threadId, turnIds }, { app }) {
    return await checkRevert(
      turnIds.map((turnId) => ({ threadId, turnId })),
      app.undo,
      app.workspace,
    );
  },
  async "turn/revert"({ threadId, turnId, force }, { app }) {
    // The thread need not be loaded: the stored files outlive the process.
    if (app.threads.find(threadId)?.turn !== undefined)
      throw invalidRequest("cannot revert files while a turn is running; interrupt it first");
    const reverted = await revertTurn({ threadId, turnId }, force ?? false, app.undo, app.workspace);
    if (reverted !== undefined) return reverted;
    throw invalidRequest(
      `no file changes are kept for turn ${turnId} of thread ${threadId}: it changed no files, it is too old, or its commands ran in a folder that is too large to remember and no git repository`,
    );
  },
};

function wireState(before: UndoEntry["before"]): FileBefore {
  if (before === "notKept" || before.kind === "other") return { type: "notKept" };
  if (before.kind === "file") return { type: "file", dataBase64: Buffer.from(before.bytes).toString("base64") };
  return { type: before.kind };
}

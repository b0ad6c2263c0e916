/** Read marks: `thread/readState/update`, and the notification when a turn ends. */
import { checkId } from "../core/thread/threads.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { threadReadStateRequests } from "../protocol/thread-read-state.ts";
import type { App, HandlersFor } from "./app.ts";
import { readStateOf } from "./thread-place.ts";

export const threadReadStateHandlers: HandlersFor<typeof threadReadStateRequests> = {
  async "thread/readState/update"({ threadId, expectedRevision, operation }, { app, after }) {
    checkId(threadId, "thread");
    if (app.threads.find(threadId) === undefined && (await app.store.find(threadId)) === undefined)
      throw invalidRequest(`thread not loaded: ${threadId}`);
    const readState = await app.lists.readMarks.set(threadId, expectedRevision, operation.type);
    if (readState === undefined) {
      const current = await readStateOf(threadId, app);
      throw invalidRequest("read state changed", { reason: "readStateConflict", readState: current });
    }
    after(() => app.subscriptions.toCurrent("thread/readState/changed", { threadId, readState }));
    return { readState };
  },
};

/** Marks threads as unread when their turns end. Serves the composition root, which lets it watch all turns. */
export const unreadWatcher = (app: () => Pick<App, "lists" | "subscriptions" | "threads">) => ({
  turnStarted: (): void => app().lists.prepare(),
  turnCompleted({ threadId, turn }: { readonly threadId: string; readonly turn: { readonly id: string } }): void {
    const { lists, subscriptions, threads } = app();
    if (threads.find(threadId)?.ephemeral !== false) return;
    const readState = lists.readMarks.turnEnded(threadId, turn.id);
    if (readState !== undefined) subscriptions.toCurrent("thread/readState/changed", { threadId, readState });
  },
});

/** `thread/queue/*`: messages that wait in a thread until its turn has ended, for all clients of the server. */
import { archivedError, checkId } from "../core/thread/threads.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { threadQueueRequests } from "../protocol/thread-queue.ts";
import type { App, Call, HandlersFor } from "./app.ts";

export const threadQueueHandlers: HandlersFor<typeof threadQueueRequests> = {
  async "thread/queue/add"({ threadId, input, clientUserMessageId }, call) {
    await requireThread(threadId, call.app);
    const queuedSubmission = await call.app.queue.add(threadId, { input, clientUserMessageId });
    changed(threadId, call);
    const thread = call.app.threads.find(threadId);
    if (thread !== undefined) call.after(() => call.app.queue.whenIdle(thread));
    return { queuedSubmission };
  },

  async "thread/queue/list"({ threadId, cursor, limit }, { app }) {
    await requireThread(threadId, app);
    const from = cursor ? Number(cursor) : 0;
    if (!Number.isSafeInteger(from) || from < 0)
      throw invalidRequest(`invalid queue pagination cursor: ${cursor}; use nextCursor of the last page`);
    const all = await app.queue.list(threadId);
    const to = from + Math.min(Math.max(limit ?? pageSize, 1), mostPerPage);
    return { data: all.slice(from, to), nextCursor: to < all.length ? String(to) : null };
  },

  async "thread/queue/update"({ threadId, queuedSubmissionId, input }, call) {
    await requireThread(threadId, call.app);
    const queuedSubmission = await call.app.queue.update(threadId, queuedSubmissionId, input);
    changed(threadId, call);
    return { queuedSubmission };
  },

  async "thread/queue/delete"({ threadId, queuedSubmissionId }, call) {
    await requireThread(threadId, call.app);
    const deleted = await call.app.queue.delete(threadId, queuedSubmissionId);
    if (deleted) changed(threadId, call);
    return { deleted };
  },

  async "thread/queue/reorder"({ threadId, queuedSubmissionIds }, call) {
    await requireThread(threadId, call.app);
    await call.app.queue.reorder(threadId, queuedSubmissionIds);
    changed(threadId, call);
    return {};
  },

  async "thread/queue/start"({ threadId, queuedSubmissionId }, { app, after }) {
    await requireThread(threadId, app);
    const thread = app.threads.find(threadId);
    if (thread === undefined) throw invalidRequest("resume the thread before starting a queued message");
    const { turn, begin } = await app.queue.start(thread, queuedSubmissionId);
    after(begin);
    return { turn: turn.toWire("inProgress", "empty") };
  },
};

const pageSize = 25;
const mostPerPage = 100;

const changed = (threadId: string, { app, after }: Call): void => after(() => app.queue.announce(threadId));

async function requireThread(id: string, app: App): Promise<void> {
  checkId(id, "thread");
  const live = app.threads.find(id);
  if (live?.ephemeral) throw invalidRequest(`ephemeral thread does not support queued submissions: ${id}`);
  if (live !== undefined) return;
  const stored = await app.store.find(id);
  if (stored === undefined) throw invalidRequest(`thread not found: ${id}`);
  if (stored.archived) throw archivedError(id);
}

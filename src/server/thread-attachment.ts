/** `thread/attachment/*` and `thread/attachmentOwner/list`. */
import { checkId } from "../core/thread/threads.ts";
import { invalidParams, invalidRequest } from "../protocol/errors.ts";
import type { ThreadAttachmentUpdatedNotification, threadAttachmentRequests } from "../protocol/thread-attachment.ts";
import type { App, HandlersFor } from "./app.ts";
import { listPage } from "./page.ts";

export const threadAttachmentHandlers: HandlersFor<typeof threadAttachmentRequests> = {
  async "thread/attachment/add"({ threadId, attachmentType, identityKey, payload }, { app, after }) {
    await requireKept(threadId, app);
    const { attachment, isNew } = await app.lists.attachments.add(threadId, attachmentType, identityKey, payload);
    if (isNew) after(() => announce({ threadId, attachmentType, identityKey, attachmentId: attachment.id, operation: "created" }, app));
    return { outcome: isNew ? "created" : "existing", attachment };
  },
  async "thread/attachment/list"({ threadId, cursor, limit }, { app }) {
    checkId(threadId, "thread");
    return listPage(await app.lists.attachments.list(threadId), (attachment) => attachment.id, { cursor, limit });
  },
  async "thread/attachment/remove"({ threadId, attachmentType, identityKey }, { app, after }) {
    checkId(threadId, "thread");
    const attachmentId = await app.lists.attachments.remove(threadId, attachmentType, identityKey);
    if (attachmentId !== undefined)
      after(() => announce({ threadId, attachmentType, identityKey, attachmentId, operation: "deleted" }, app));
    return {};
  },
  async "thread/attachmentOwner/list"({ attachmentType, identityKey, archived, cursor, limit }, { app }) {
    const ids = await app.lists.attachments.owners(attachmentType, identityKey);
    const owners = await Promise.all(
      ids.map(async (threadId) => ({ threadId, archived: (await app.store.find(threadId))?.archived === true })),
    );
    const wanted = owners.filter((owner) => archived === undefined || archived === null || owner.archived === archived);
    return listPage(wanted, (owner) => owner.threadId, { cursor, limit });
  },
};

function announce(params: ThreadAttachmentUpdatedNotification, app: App): void {
  app.subscriptions.toAll("thread/attachment/updated", params);
}

/** Something can be attached to a thread that will outlive this process, even before its first turn. */
async function requireKept(threadId: string, app: App): Promise<void> {
  checkId(threadId, "thread");
  const live = app.threads.find(threadId);
  if (live?.ephemeral === true) throw invalidRequest(`ephemeral thread does not support attachments: ${threadId}`);
  if (live === undefined && (await app.store.find(threadId)) === undefined) throw invalidParams(`thread not found: ${threadId}`);
}

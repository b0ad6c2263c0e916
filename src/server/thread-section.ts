/** `threadSection/*` and `thread/section/move`. */
import { checkId } from "../core/thread/threads.ts";
import { invalidParams, invalidRequest } from "../protocol/errors.ts";
import { pinnedSectionId, type threadSectionRequests } from "../protocol/thread-section.ts";
import type { HandlersFor } from "./app.ts";
import { listPage } from "./page.ts";
import { findThread } from "./stored-thread.ts";

export const threadSectionHandlers: HandlersFor<typeof threadSectionRequests> = {
  async "threadSection/list"({ cursor, limit }, { app }) {
    return listPage(await app.lists.sections.list(), (section) => section.id, { cursor, limit });
  },
  async "threadSection/create"({ name, appearance }, { app }) {
    return { section: await app.lists.sections.create(name.trim(), appearance ?? null) };
  },
  async "threadSection/update"({ sectionId, name, appearance }, { app }) {
    refuseBuiltIn(sectionId, "renamed");
    return { section: await app.lists.sections.update(sectionId, name.trim(), appearance) };
  },
  async "threadSection/delete"({ sectionId }, { app }) {
    refuseBuiltIn(sectionId, "deleted");
    await app.lists.sections.delete(sectionId);
    return {};
  },
  async "thread/section/move"({ threadId, sectionId, beforeThreadId }, { app }) {
    await findThread(threadId, app);
    if (app.threads.find(threadId)?.ephemeral === true)
      throw invalidRequest(`ephemeral thread does not support section moves: ${threadId}`);
    if (beforeThreadId && sectionId === null) throw invalidRequest("beforeThreadId requires a non-null sectionId");
    if (beforeThreadId) checkId(beforeThreadId, "thread");
    await app.lists.sections.move(threadId, sectionId, beforeThreadId ?? undefined);
    return {};
  },
};

function refuseBuiltIn(sectionId: string, change: "renamed" | "deleted"): void {
  if (sectionId.trim() === "") throw invalidParams("sectionId must not be empty");
  if (sectionId === pinnedSectionId) throw invalidParams(`the built-in pinned section cannot be ${change}`);
}

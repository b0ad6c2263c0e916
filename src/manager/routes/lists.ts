/** Handlers for arranging sessions: sections, read marks, snoozing, attachments, archiving many. */
import { errorMessage } from "../../lib/error-text.ts";
import { markRead, readAttachments, readSections } from "../../sessions/lists.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { listRoutes } from "../api/lists.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { open } from "./sessions.ts";

/** The engine announces no changes of sections: every client of the manager gets the new list. */
async function sectionsChanged(manager: Manager): Promise<{ data: Awaited<ReturnType<typeof readSections>> }> {
  const data = await readSections(manager.link);
  manager.hub.emit("sections_updated", null, { data });
  return { data };
}

async function attachments(manager: Manager, session: Session) {
  const data = await readAttachments(manager.link, session.id);
  return ok({
    data: data.map(({ attachmentType, identityKey, payload, createdAt }) => ({ attachmentType, identityKey, payload, createdAt })),
  });
}

export const listHandlers: HandlersFor<typeof listRoutes> = {
  "GET /api/sections": async ({ manager }) => ok({ data: await readSections(manager.link) }),
  async "POST /api/sections"({ manager, body }) {
    await manager.link.call("threadSection/create", { name: body.name });
    return ok(await sectionsChanged(manager));
  },
  async "POST /api/sections/:sectionId"({ manager, path, body }) {
    await manager.link.call("threadSection/update", { sectionId: path.sectionId, name: body.name });
    return ok(await sectionsChanged(manager));
  },
  async "DELETE /api/sections/:sectionId"({ manager, path }) {
    await manager.link.call("threadSection/delete", { sectionId: path.sectionId });
    for (const session of manager.sessions.all()) {
      if (session.thread.section?.id !== path.sectionId) continue;
      session.thread = { ...session.thread, section: null };
      manager.sessions.announce(session);
    }
    return ok(await sectionsChanged(manager));
  },

  async "POST /api/sessions/:sessionId/section"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    const { sectionId, beforeSessionId } = body;
    await manager.link.call("thread/section/move", { threadId: session.id, sectionId, beforeThreadId: beforeSessionId ?? null });
    const sections = await sectionsChanged(manager);
    const section = sections.data.find((one) => one.sectionId === sectionId);
    session.thread = { ...session.thread, section: section === undefined ? null : { id: section.sectionId, name: section.name } };
    manager.sessions.announce(session);
    return ok(sections);
  },

  async "POST /api/sessions/:sessionId/read"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    session.readState = await markRead(manager.link, session.id, session.readState, body.read);
    manager.sessions.announce(session);
    return ok({ status: "ok", session: manager.sessions.summary(session) });
  },

  async "POST /api/sessions/:sessionId/snooze"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    const now = Math.floor(manager.now() / 1000);
    // Those that are over are of no use any more.
    const rest = Object.entries(manager.store.state.snoozed).filter(([id, until]) => id !== session.id && until > now);
    manager.store.change({ snoozed: Object.fromEntries(body.until === null ? rest : [...rest, [session.id, body.until]]) });
    manager.sessions.announce(session);
    return ok({ status: "ok", session: manager.sessions.summary(session) });
  },

  async "POST /api/archive"({ manager, body }) {
    const archived: string[] = [];
    const failed: { sessionId: string; message: string }[] = [];
    for (const sessionId of new Set(body.sessionIds)) {
      try {
        const session = await open(manager, sessionId);
        await manager.link.call("thread/archive", { threadId: session.id });
        session.archived = true;
        manager.sessions.announce(session);
        archived.push(sessionId);
      } catch (error) {
        failed.push({ sessionId, message: errorMessage(error) });
      }
    }
    return ok({ status: "ok", archived, failed });
  },

  "GET /api/sessions/:sessionId/attachments": async ({ manager, path }) => attachments(manager, await open(manager, path.sessionId)),
  async "POST /api/sessions/:sessionId/attachments"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    await manager.link.call("thread/attachment/add", { threadId: session.id, ...body });
    return attachments(manager, session);
  },
  async "POST /api/sessions/:sessionId/attachments/remove"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    await manager.link.call("thread/attachment/remove", { threadId: session.id, ...body });
    return attachments(manager, session);
  },
};

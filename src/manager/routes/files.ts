/** Handlers for looking at a file of a session, small edits of it, and finding folders. */
import { homedir } from "node:os";
import { findFolders, readSessionFile, saveSessionFile } from "../../sessions/session-file.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { fileRoutes } from "../api/files.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { open } from "./sessions.ts";

const ownerOf = (manager: Manager, session: Session) => ({
  cwd: session.thread.cwd,
  sandbox: manager.sessions.controls(session).filesystemSandbox,
});

export const fileHandlers: HandlersFor<typeof fileRoutes> = {
  async "GET /api/sessions/:sessionId/file"({ manager, path, query }) {
    const session = await open(manager, path.sessionId);
    return ok(await readSessionFile(manager.link, ownerOf(manager, session), query.path));
  },
  async "POST /api/sessions/:sessionId/file"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    const saved = await saveSessionFile(manager.link, ownerOf(manager, session), body);
    manager.audit.write({ type: "file", by: caller.actor, threadId: session.id, summary: `edited ${saved.path}` });
    return ok({ status: "ok", ...saved });
  },
  async "GET /api/folders"({ manager, query }) {
    // Only where the engine is on this machine is this user's home the right one.
    const typed = manager.engine.remote ? query.path : query.path.replace(/^~(?=\/|$)/, homedir());
    return ok(await findFolders(manager.link, typed));
  },
};

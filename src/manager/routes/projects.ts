/** Handlers for projects: named groups of sessions that only the manager knows. */

import { isUnknownThread } from "../../sessions/refusals.ts";
import type { projectRoutes } from "../api/projects.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";

function checkName(manager: Manager, name: string, except?: string): string {
  const clean = name.trim();
  const taken = manager.store.state.projects.some((p) => p.projectId !== except && p.name.toLowerCase() === clean.toLowerCase());
  if (taken) throw failure(409, "duplicate_name", `There is already a project named ${clean}.`);
  if (clean === "") throw failure(409, "duplicate_name", "A project needs a name.");
  return clean;
}

export const projectHandlers: HandlersFor<typeof projectRoutes> = {
  "GET /api/projects": ({ manager }) => ok({ data: [...manager.store.state.projects].sort((a, b) => a.name.localeCompare(b.name)) }),

  async "POST /api/projects"({ manager, body }) {
    const project = await manager.projects.create(checkName(manager, body.name), body.workingDirectory ?? null);
    return ok({ status: "ok", project });
  },

  async "POST /api/projects/:projectId/rename"({ manager, path, body }) {
    const before = manager.projects.require(path.projectId);
    const name = checkName(manager, body.name, before.projectId);
    const folder = body.workingDirectory === undefined ? before.workingDirectory : body.workingDirectory;
    return ok({ status: "ok", project: await manager.projects.change(before, name, folder) });
  },

  async "DELETE /api/projects/:projectId"({ manager, path }) {
    const project = manager.projects.require(path.projectId);
    if ((await manager.projects.members(project.projectId)).length > 0)
      throw failure(409, "project_not_empty", "The project still has sessions. Move or delete them first.");
    await manager.projects.remove(project);
    return ok({ status: "ok", projectId: project.projectId });
  },

  "GET /api/projects/:projectId/agent-sessions"({ manager, path }) {
    const project = manager.projects.require(path.projectId);
    const own = manager.sessions
      .all()
      .filter(
        (s) => manager.sessions.isSystemOwned(s.id) && manager.store.state.assignments[manager.sessions.rootOf(s.id)] === project.projectId,
      );
    return ok({ projectId: project.projectId, data: own.map((s) => manager.sessions.summary(s)) });
  },

  async "POST /api/projects/:projectId/chats/move-all"({ manager, path, body }) {
    const project = manager.projects.require(path.projectId);
    const sessions = await manager.projects.members(project.projectId);
    if (body.destination === "archive") await archiveAll(manager, sessions);
    else for (const id of sessions) await manager.projects.assign(id, null);
    return ok({ status: "ok", projectId: project.projectId, movedSessionIds: sessions });
  },

  async "POST /api/projects/:projectId/chats/delete-all"({ manager, caller, path }) {
    const project = manager.projects.require(path.projectId);
    const deleted: string[] = [];
    const failed: string[] = [];
    for (const id of await manager.projects.members(project.projectId))
      await manager.delete(id, caller.actor).then(
        () => deleted.push(id),
        () => failed.push(id),
      );
    return ok({ status: "ok", projectId: project.projectId, deletedSessionIds: deleted, failed });
  },
};

/** Checked first, so that all are archived or none: a session without a message cannot be archived. */
async function archiveAll(manager: Manager, sessions: readonly string[]): Promise<void> {
  const bare: string[] = [];
  for (const id of sessions) {
    const session = await manager.sessions.require(id);
    if (!manager.sessions.summary(session).materialized) bare.push(id);
  }
  if (bare.length > 0)
    throw failure(409, "not_materialized_sessions", "Some sessions have no message yet and cannot be archived.", { sessionIds: bare });
  for (const id of sessions) {
    await manager.link.call("thread/archive", { threadId: id }).catch((error: unknown) => {
      if (!isUnknownThread(error)) throw error;
    });
  }
}

/** Handlers for projects: named groups of sessions that only the manager knows. */

import { randomUuid } from "../../lib/random.ts";
import { isUnknownThread } from "../../sessions/refusals.ts";
import type { projectRoutes } from "../api/projects.ts";
import type { Project } from "../api/records.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";

function requireProject(manager: Manager, projectId: string): Project {
  const project = manager.store.state.projects.find((p) => p.projectId === projectId);
  if (project === undefined) throw failure(404, "no_such_project", "There is no such project.");
  return project;
}

function checkName(manager: Manager, name: string, except?: string): string {
  const clean = name.trim();
  const taken = manager.store.state.projects.some((p) => p.projectId !== except && p.name.toLowerCase() === clean.toLowerCase());
  if (taken) throw failure(409, "duplicate_name", `There is already a project named ${clean}.`);
  if (clean === "") throw failure(409, "duplicate_name", "A project needs a name.");
  return clean;
}

const members = (manager: Manager, projectId: string): string[] =>
  Object.entries(manager.store.state.assignments).flatMap(([session, project]) => (project === projectId ? [session] : []));

/** Assigns a session to a project, or to none, and notifies every client. */
export function assign(manager: Manager, sessionId: string, projectId: string | null): void {
  const { [sessionId]: _, ...rest } = manager.store.state.assignments;
  manager.store.change({ assignments: projectId === null ? rest : { ...rest, [sessionId]: projectId } });
  manager.hub.emit("session_project_updated", sessionId, { sessionId, projectId });
  const session = manager.sessions.find(sessionId);
  if (session !== undefined) manager.sessions.announce(session);
}

const maxProjects = 1000;

export const projectHandlers: HandlersFor<typeof projectRoutes> = {
  "GET /api/projects": ({ manager }) => ok({ data: [...manager.store.state.projects].sort((a, b) => a.name.localeCompare(b.name)) }),

  "POST /api/projects"({ manager, body }) {
    if (manager.store.state.projects.length >= maxProjects)
      throw failure(409, "too_many_projects", `There are ${maxProjects} projects, the most that there may be. Remove one first.`);
    const now = new Date(manager.now()).toISOString();
    const project: Project = {
      projectId: randomUuid(),
      name: checkName(manager, body.name),
      workingDirectory: body.workingDirectory ?? null,
      createdAt: now,
      updatedAt: now,
    };
    manager.store.change({ projects: [...manager.store.state.projects, project] });
    manager.hub.emit("project_upserted", null, project);
    return ok({ status: "ok", project });
  },

  "POST /api/projects/:projectId/rename"({ manager, path, body }) {
    const before = requireProject(manager, path.projectId);
    const project: Project = {
      ...before,
      name: checkName(manager, body.name, before.projectId),
      workingDirectory: body.workingDirectory === undefined ? before.workingDirectory : body.workingDirectory,
      updatedAt: new Date(manager.now()).toISOString(),
    };
    manager.store.change({ projects: manager.store.state.projects.map((p) => (p === before ? project : p)) });
    manager.hub.emit("project_upserted", null, project);
    return ok({ status: "ok", project });
  },

  "DELETE /api/projects/:projectId"({ manager, path }) {
    const project = requireProject(manager, path.projectId);
    if (members(manager, project.projectId).length > 0)
      throw failure(409, "project_not_empty", "The project still has sessions. Move or delete them first.");
    manager.store.change({ projects: manager.store.state.projects.filter((p) => p !== project) });
    manager.hub.emit("project_deleted", null, { projectId: project.projectId });
    return ok({ status: "ok", projectId: project.projectId });
  },

  "GET /api/projects/:projectId/agent-sessions"({ manager, path }) {
    const project = requireProject(manager, path.projectId);
    const own = manager.sessions
      .all()
      .filter(
        (s) => manager.sessions.isSystemOwned(s.id) && manager.store.state.assignments[manager.sessions.rootOf(s.id)] === project.projectId,
      );
    return ok({ projectId: project.projectId, data: own.map((s) => manager.sessions.summary(s)) });
  },

  async "POST /api/projects/:projectId/chats/move-all"({ manager, path, body }) {
    const project = requireProject(manager, path.projectId);
    const sessions = members(manager, project.projectId);
    if (body.destination === "archive") await archiveAll(manager, sessions);
    else for (const id of sessions) assign(manager, id, null);
    return ok({ status: "ok", projectId: project.projectId, movedSessionIds: sessions });
  },

  async "POST /api/projects/:projectId/chats/delete-all"({ manager, caller, path }) {
    const project = requireProject(manager, path.projectId);
    const deleted: string[] = [];
    const failed: string[] = [];
    for (const id of members(manager, project.projectId))
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

/** Handlers for projects: named groups of sessions that only the manager knows. */

import { randomUuid } from "../../lib/random.ts";
import { isUnknownThread } from "../../sessions/refusals.ts";
import type { projectRoutes } from "../api/projects.ts";
import type { Project } from "../api/records.ts";
import type { Core } from "../core.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import { failure } from "../problems.ts";

function requireProject(core: Core, projectId: string): Project {
  const project = core.store.state.projects.find((p) => p.projectId === projectId);
  if (project === undefined) throw failure(404, "no_such_project", "There is no such project.");
  return project;
}

function checkName(core: Core, name: string, except?: string): string {
  const clean = name.trim();
  const taken = core.store.state.projects.some((p) => p.projectId !== except && p.name.toLowerCase() === clean.toLowerCase());
  if (taken) throw failure(409, "duplicate_name", `There is a project named ${clean} already.`);
  if (clean === "") throw failure(409, "duplicate_name", "A project needs a name.");
  return clean;
}

const members = (core: Core, projectId: string): string[] =>
  Object.entries(core.store.state.assignments).flatMap(([session, project]) => (project === projectId ? [session] : []));

/** Puts a session into a project, or into none, and tells everyone. */
export function assign(core: Core, sessionId: string, projectId: string | null): void {
  const { [sessionId]: _, ...rest } = core.store.state.assignments;
  core.store.change({ assignments: projectId === null ? rest : { ...rest, [sessionId]: projectId } });
  core.hub.emit("session_project_updated", sessionId, { sessionId, projectId });
  const session = core.sessions.find(sessionId);
  if (session !== undefined) core.sessions.announce(session);
}

const maxProjects = 1000;

export const projectHandlers: HandlersFor<typeof projectRoutes> = {
  "GET /api/projects": ({ core }) => ok({ data: [...core.store.state.projects].sort((a, b) => a.name.localeCompare(b.name)) }),

  "POST /api/projects"({ core, body }) {
    if (core.store.state.projects.length >= maxProjects)
      throw failure(409, "too_many_projects", `There are ${maxProjects} projects, the most that there may be. Remove one first.`);
    const now = new Date(core.now()).toISOString();
    const project: Project = {
      projectId: randomUuid(),
      name: checkName(core, body.name),
      workingDirectory: body.workingDirectory ?? null,
      createdAt: now,
      updatedAt: now,
    };
    core.store.change({ projects: [...core.store.state.projects, project] });
    core.hub.emit("project_upserted", null, project);
    return ok({ status: "ok", project });
  },

  "POST /api/projects/:projectId/rename"({ core, path, body }) {
    const before = requireProject(core, path.projectId);
    const project: Project = {
      ...before,
      name: checkName(core, body.name, before.projectId),
      workingDirectory: body.workingDirectory === undefined ? before.workingDirectory : body.workingDirectory,
      updatedAt: new Date(core.now()).toISOString(),
    };
    core.store.change({ projects: core.store.state.projects.map((p) => (p === before ? project : p)) });
    core.hub.emit("project_upserted", null, project);
    return ok({ status: "ok", project });
  },

  "DELETE /api/projects/:projectId"({ core, path }) {
    const project = requireProject(core, path.projectId);
    if (members(core, project.projectId).length > 0)
      throw failure(409, "project_not_empty", "The project still has sessions. Move or delete them first.");
    core.store.change({ projects: core.store.state.projects.filter((p) => p !== project) });
    core.hub.emit("project_deleted", null, { projectId: project.projectId });
    return ok({ status: "ok", projectId: project.projectId });
  },

  "GET /api/projects/:projectId/agent-sessions"({ core, path }) {
    const project = requireProject(core, path.projectId);
    const own = core.sessions
      .all()
      .filter((s) => core.sessions.isSystemOwned(s.id) && core.store.state.assignments[core.sessions.rootOf(s.id)] === project.projectId);
    return ok({ projectId: project.projectId, data: own.map((s) => core.sessions.summary(s)) });
  },

  async "POST /api/projects/:projectId/chats/move-all"({ core, path, body }) {
    const project = requireProject(core, path.projectId);
    const sessions = members(core, project.projectId);
    if (body.destination === "archive") await archiveAll(core, sessions);
    else for (const id of sessions) assign(core, id, null);
    return ok({ status: "ok", projectId: project.projectId, movedSessionIds: sessions });
  },

  async "POST /api/projects/:projectId/chats/delete-all"({ core, caller, path }) {
    const project = requireProject(core, path.projectId);
    const deleted: string[] = [];
    const failed: string[] = [];
    for (const id of members(core, project.projectId))
      await core.delete(id, caller.actor).then(
        () => deleted.push(id),
        () => failed.push(id),
      );
    return ok({ status: "ok", projectId: project.projectId, deletedSessionIds: deleted, failed });
  },
};

/** All or nothing is looked at first: a session without a message cannot be put away. */
async function archiveAll(core: Core, sessions: readonly string[]): Promise<void> {
  const bare: string[] = [];
  for (const id of sessions) {
    const session = await core.sessions.require(id);
    if (!core.sessions.summary(session).materialized) bare.push(id);
  }
  if (bare.length > 0)
    throw failure(409, "not_materialized_sessions", "Some sessions have no message yet and cannot be archived.", { sessionIds: bare });
  for (const id of sessions) {
    await core.link.call("thread/archive", { threadId: id }).catch((error: unknown) => {
      if (!isUnknownThread(error)) throw error;
    });
  }
}

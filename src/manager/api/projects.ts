/** The routes for projects: named groups of sessions. */
import { array, literals, maybe, named, object, string } from "../../lib/schema.ts";
import { SessionSummary } from "../../sessions/records.ts";
import { bounded, route } from "./define.ts";
import { Failure, InvalidRequest, Project } from "./records.ts";

export const projectRoutes = {
  "GET /api/projects": route({
    summary: "Projects",
    scope: "read",
    answers: { 200: named("ProjectList", () => object({ data: array(Project()) })) },
  }),
  "POST /api/projects": route({
    summary: "Create a project",
    scope: "drive",
    body: named("ProjectWrite", () =>
      object({ name: bounded(string(), { minLength: 1, maxLength: 120 }), workingDirectory: maybe(string()) }),
    ),
    answers: {
      200: named("ProjectSaved", () => object({ status: literals("ok"), project: Project() })),
      400: InvalidRequest,
      409: Failure,
    },
  }),
  "POST /api/projects/:projectId/rename": route({
    summary: "Rename a project or move its folder",
    scope: "drive",
    body: named("ProjectRename", () =>
      object({ name: bounded(string(), { minLength: 1, maxLength: 120 }), workingDirectory: maybe(string()) }),
    ),
    answers: {
      200: named("ProjectRenamed", () => object({ status: literals("ok"), project: Project() })),
      400: InvalidRequest,
      404: Failure,
      409: Failure,
    },
  }),
  "DELETE /api/projects/:projectId": route({
    summary: "Remove an empty project",
    scope: "drive",
    answers: {
      200: named("ProjectDeleted", () => object({ status: literals("ok"), projectId: string() })),
      404: Failure,
      409: Failure,
    },
  }),
  "GET /api/projects/:projectId/agent-sessions": route({
    summary: "Sessions that the system runs for a project",
    scope: "read",
    answers: {
      200: named("AgentSessions", () => object({ projectId: string(), data: array(SessionSummary()) })),
      404: Failure,
    },
  }),
  "POST /api/projects/:projectId/chats/move-all": route({
    summary: "Empty a project: its sessions are assigned to no project, or archived",
    scope: "drive",
    body: named("MoveAll", () => object({ destination: literals("unassigned", "archive") })),
    answers: {
      200: named("MovedAll", () => object({ status: literals("ok"), projectId: string(), movedSessionIds: array(string()) })),
      400: InvalidRequest,
      404: Failure,
      409: Failure,
    },
  }),
  "POST /api/projects/:projectId/chats/delete-all": route({
    summary: "Delete all sessions of a project",
    scope: "drive",
    answers: {
      200: named("DeletedAll", () =>
        object({ status: literals("ok"), projectId: string(), deletedSessionIds: array(string()), failed: array(string()) }),
      ),
      404: Failure,
    },
  }),
} as const;

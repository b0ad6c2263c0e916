/** `project/*`. */
import path from "node:path";
import { invalidParams } from "../protocol/errors.ts";
import type { Project, ProjectCreateParams, ProjectListParams, projectRequests } from "../protocol/project.ts";
import type { App, Call, HandlersFor } from "./app.ts";
import { listPage } from "./page.ts";

export const projectHandlers: HandlersFor<typeof projectRequests> = {
  async "project/list"(params, { app }) {
    const { cursor, limit, sortKey } = params;
    if (params.sortDirection && !sortKey) throw invalidParams("sortDirection requires sortKey");
    const all = sorted(await app.lists.projects.list(), params);
    if (cursor && !all.some((project) => project.id === cursor)) throw invalidParams(`invalid project cursor: ${cursor}`);
    return listPage(all, (project) => project.id, { cursor, limit });
  },
  async "project/read"({ projectId }, { app }) {
    return { project: await requireProject(projectId, app) };
  },
  async "project/create"(params, call) {
    return { project: await create(params, [], call) };
  },
  async "project/import"({ threads, ...params }, call) {
    return { project: await create(params, threads ?? [], call) };
  },
  async "project/update"({ projectId, name, roots, metadata }, { app, after }) {
    const { project, isChanged } = await app.lists.projects.update(projectId, {
      name: name?.trim(),
      roots: roots?.map((root) => path.resolve(root.path)),
      metadata: metadata ?? undefined,
    });
    if (isChanged) after(() => app.subscriptions.toAll("project/changed", { projectId, changeType: "updated" }));
    return { project };
  },
  async "project/move"({ projectId, beforeProjectId }, { app, after }) {
    const isMoved = await app.lists.projects.move(projectId, beforeProjectId ?? undefined);
    if (isMoved) after(() => app.subscriptions.toAll("project/changed", { projectId, changeType: "updated" }));
    return {};
  },
  async "project/delete"({ projectId }, { app, after }) {
    const threads = await app.lists.projects.delete(projectId);
    after(() => {
      app.subscriptions.toAll("project/changed", { projectId, changeType: "deleted" });
      for (const threadId of threads) app.subscriptions.toAll("thread/project/updated", { threadId, projectId: null });
    });
    return {};
  },
};

/** Throws for a project that does not exist. */
export async function requireProject(projectId: string, app: App): Promise<Project> {
  const project = await app.lists.projects.find(projectId);
  if (project === undefined) throw invalidParams(`project not found: ${projectId}`);
  return project;
}

async function create(params: ProjectCreateParams, threadIds: readonly string[], { app, after }: Call): Promise<Project> {
  const threads = await Promise.all(threadIds.map((id) => usedThread(id, app)));
  const { project, isNew } = await app.lists.projects.create({
    key: params.idempotencyKey,
    name: params.name.trim(),
    roots: params.roots.map((root) => path.resolve(root.path)),
    metadata: params.metadata ?? {},
    threads,
  });
  if (isNew)
    after(() => {
      app.subscriptions.toAll("project/changed", { projectId: project.id, changeType: "created" });
      for (const { id } of threads) app.subscriptions.toAll("thread/project/updated", { threadId: id, projectId: project.id });
    });
  return project;
}

/** Throws for a thread that is not stored. */
async function usedThread(id: string, app: App): Promise<{ readonly id: string; readonly usedMs: number }> {
  const stored = await app.store.find(id);
  if (stored === undefined) throw invalidParams(`thread not found: ${id}`);
  return { id, usedMs: stored.updatedAtMs };
}

/** By position ascending, by last use descending; projects without threads come last then. */
function sorted(projects: readonly Project[], { sortKey, sortDirection }: ProjectListParams): readonly Project[] {
  if (sortKey !== "recencyAt") return sortDirection === "desc" ? projects.toReversed() : projects;
  const ascending = projects.toSorted((a, b) => (a.recencyAt ?? 0) - (b.recencyAt ?? 0) || (a.id < b.id ? -1 : 1));
  return sortDirection === "asc" ? ascending : ascending.toReversed();
}

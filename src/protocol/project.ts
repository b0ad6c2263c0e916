/** Projects: named groups of folders and threads. Implemented in server/project.ts. */
import { array, type Infer, integer, literals, maybe, named, natural, nullable, object, record, string } from "../lib/schema.ts";
import { byLists, notification, request } from "./define.ts";
import { invalidParams } from "./errors.ts";
import { limitAbsolutePath } from "./limits.ts";
import { AbsolutePathBuf } from "./policy.ts";
import { SortDirection } from "./thread.ts";

export const ProjectListParams = named("ProjectListParams", () =>
  object({ cursor: maybe(string()), limit: maybe(natural()), sortDirection: maybe(SortDirection()), sortKey: maybe(ProjectSortKey()) }),
);
export type ProjectListParams = Infer<typeof ProjectListParams>;

export const ProjectSortKey = named("ProjectSortKey", () => literals("position", "recencyAt"));
export type ProjectSortKey = Infer<typeof ProjectSortKey>;

export const ProjectListResponse = named("ProjectListResponse", () => object({ data: array(Project()), nextCursor: maybe(string()) }));
export type ProjectListResponse = Infer<typeof ProjectListResponse>;

export const Project = named("Project", () =>
  object({
    createdAt: integer(),
    id: string(),
    metadata: record(string()),
    name: string(),
    position: integer(),
    recencyAt: maybe(integer()),
    roots: array(ProjectRoot()),
    updatedAt: integer(),
  }),
);
export type Project = Infer<typeof Project>;

export const ProjectRoot = named("ProjectRoot", () => object({ path: AbsolutePathBuf() }));
export type ProjectRoot = Infer<typeof ProjectRoot>;

export const ProjectReadParams = named("ProjectReadParams", () => object({ projectId: string() }));
export type ProjectReadParams = Infer<typeof ProjectReadParams>;

export const ProjectReadResponse = named("ProjectReadResponse", () => object({ project: Project() }));
export type ProjectReadResponse = Infer<typeof ProjectReadResponse>;

export const ProjectCreateParams = named("ProjectCreateParams", () =>
  object({ idempotencyKey: string(), metadata: maybe(record(string())), name: string(), roots: array(ProjectRoot()) }),
);
export type ProjectCreateParams = Infer<typeof ProjectCreateParams>;

export const ProjectCreateResponse = named("ProjectCreateResponse", () => object({ project: Project() }));
export type ProjectCreateResponse = Infer<typeof ProjectCreateResponse>;

export const ProjectImportParams = named("ProjectImportParams", () =>
  object({
    idempotencyKey: string(),
    metadata: maybe(record(string())),
    name: string(),
    roots: array(ProjectRoot()),
    threads: maybe(array(string())),
  }),
);
export type ProjectImportParams = Infer<typeof ProjectImportParams>;

export const ProjectImportResponse = named("ProjectImportResponse", () => object({ project: Project() }));
export type ProjectImportResponse = Infer<typeof ProjectImportResponse>;

export const ProjectUpdateParams = named("ProjectUpdateParams", () =>
  object({ metadata: maybe(record(string())), name: maybe(string()), projectId: string(), roots: maybe(array(ProjectRoot())) }),
);
export type ProjectUpdateParams = Infer<typeof ProjectUpdateParams>;

export const ProjectUpdateResponse = named("ProjectUpdateResponse", () => object({ project: Project() }));
export type ProjectUpdateResponse = Infer<typeof ProjectUpdateResponse>;

export const ProjectMoveParams = named("ProjectMoveParams", () => object({ beforeProjectId: maybe(string()), projectId: string() }));
export type ProjectMoveParams = Infer<typeof ProjectMoveParams>;

export const ProjectMoveResponse = named("ProjectMoveResponse", () => object({}));
export type ProjectMoveResponse = Infer<typeof ProjectMoveResponse>;

export const ProjectDeleteParams = named("ProjectDeleteParams", () => object({ projectId: string() }));
export type ProjectDeleteParams = Infer<typeof ProjectDeleteParams>;

export const ProjectDeleteResponse = named("ProjectDeleteResponse", () => object({}));
export type ProjectDeleteResponse = Infer<typeof ProjectDeleteResponse>;

export const ProjectChangedNotification = named("ProjectChangedNotification", () =>
  object({ changeType: ProjectChangeType(), projectId: string() }),
);
export type ProjectChangedNotification = Infer<typeof ProjectChangedNotification>;

export const ProjectChangeType = named("ProjectChangeType", () => literals("created", "updated", "deleted"));
export type ProjectChangeType = Infer<typeof ProjectChangeType>;

export const ThreadProjectUpdatedNotification = named("ThreadProjectUpdatedNotification", () =>
  object({ projectId: nullable(string()), threadId: string() }),
);
export type ThreadProjectUpdatedNotification = Infer<typeof ThreadProjectUpdatedNotification>;

export const projectRequests = {
  /** Pages through the projects, by position or by their last use. */
  "project/list": request({ params: ProjectListParams, result: ProjectListResponse, experimental: true }),
  /** One project. */
  "project/read": request({ params: ProjectReadParams, result: ProjectReadResponse, experimental: true }),
  /** Adds a project. A repeated `idempotencyKey` returns the project that it created before. */
  "project/create": request({
    params: ProjectCreateParams,
    result: ProjectCreateResponse,
    experimental: true,
    order: byLists,
    limits: limitNewProject,
  }),
  /** Adds a project together with existing threads. */
  "project/import": request({
    params: ProjectImportParams,
    result: ProjectImportResponse,
    experimental: true,
    order: byLists,
    limits: limitNewProject,
  }),
  /** Changes the name, folders or metadata of a project. */
  "project/update": request({
    params: ProjectUpdateParams,
    result: ProjectUpdateResponse,
    experimental: true,
    order: byLists,
    limits: limitProject,
  }),
  /** Puts a project before another one, or at the end. */
  "project/move": request({ params: ProjectMoveParams, result: ProjectMoveResponse, experimental: true, order: byLists }),
  /** Removes a project; its threads stay. */
  "project/delete": request({ params: ProjectDeleteParams, result: ProjectDeleteResponse, experimental: true, order: byLists }),
};

export const projectNotifications = {
  /** A project was created, updated or deleted. */
  "project/changed": notification(ProjectChangedNotification),
  /** A thread was put into a project, or taken out of it. */
  "thread/project/updated": notification(ThreadProjectUpdatedNotification),
};

const maxKeyBytes = 512;
const maxNameLength = 200;
const maxRoots = 100;
const maxThreads = 1000;
const maxMetadataLength = 16_384;

function limitNewProject(params: ProjectCreateParams & { readonly threads?: readonly string[] | null | undefined }): void {
  const { idempotencyKey, threads } = params;
  if (idempotencyKey.trim() === "") throw invalidParams("idempotencyKey must not be empty");
  if (Buffer.byteLength(idempotencyKey) > maxKeyBytes) throw invalidParams(`idempotencyKey must be at most ${maxKeyBytes} bytes`);
  if ((threads?.length ?? 0) > maxThreads) throw invalidParams(`threads takes at most ${maxThreads} ids`);
  const repeated = firstRepeated(threads ?? []);
  if (repeated !== undefined) throw invalidParams(`duplicate thread id: ${repeated}`);
  limitProject(params);
}

function limitProject({ name, roots, metadata }: Pick<ProjectUpdateParams, "name" | "roots" | "metadata">): void {
  if (typeof name === "string" && name.trim() === "") throw invalidParams("project name must not be empty");
  if ((name?.length ?? 0) > maxNameLength) throw invalidParams(`project name takes at most ${maxNameLength} characters`);
  if ((roots?.length ?? 0) > maxRoots) throw invalidParams(`roots takes at most ${maxRoots} folders`);
  for (const root of roots ?? []) limitAbsolutePath("roots", root.path);
  const repeated = firstRepeated((roots ?? []).map((root) => root.path));
  if (repeated !== undefined) throw invalidParams(`duplicate project root: ${repeated}`);
  if (JSON.stringify(metadata ?? {}).length > maxMetadataLength)
    throw invalidParams(`metadata takes at most ${maxMetadataLength} characters`);
}

const firstRepeated = (all: readonly string[]): string | undefined => all.find((one, i) => all.indexOf(one) !== i);

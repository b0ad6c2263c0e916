/**
 * The projects that the manager's routes show. The engine keeps them where it can, so that every client of the home has the same ones; the
 * manager's state is then a copy. An engine that has none leaves them to the manager.
 */
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import type { ServerNotification } from "../protocol/methods.ts";
import type { Project as EngineProject } from "../protocol/project.ts";
import type { Thread } from "../protocol/thread.ts";
import type { EngineLink } from "../sessions/link.ts";
import { allPages } from "../sessions/lists.ts";
import { isUnknownThread, isUnsupported } from "../sessions/refusals.ts";
import { everySource } from "../sessions/sessions.ts";
import type { Project } from "./api/records.ts";
import type { Hub } from "./hub.ts";
import { failure } from "./problems.ts";
import type { ManagerStore } from "./store.ts";

export interface ProjectPorts {
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly link: () => EngineLink;
  now(): number;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Announces a session whose project has changed. */
  announce(sessionId: string): void;
}

const maxProjects = 1000;
const pageSize = 100;
/** A damaged list must not be read without end. */
const maxMemberPages = 200;

export class Projects {
  readonly #ports: ProjectPorts;
  #isEngines = false;
  #reading: Promise<void> = Promise.resolve();

  constructor(ports: ProjectPorts) {
    this.#ports = ports;
  }

  get all(): readonly Project[] {
    return this.#ports.store.state.projects;
  }

  require(projectId: string): Project {
    const project = this.all.find((one) => one.projectId === projectId);
    if (project === undefined) throw failure(404, "no_such_project", "There is no such project.");
    return project;
  }

  /** After every handshake: projects that only the manager has are given to the engine, then its own are read. */
  async join(): Promise<void> {
    const listed = await this.#list();
    this.#isEngines = listed !== undefined;
    if (listed === undefined) return;
    const { projects, engineProjects } = this.#ports.store.state;
    const known = new Set([...engineProjects, ...listed.map(({ id }) => id)]);
    for (const project of projects) if (!known.has(project.projectId)) await this.#handOver(project);
    await this.#read();
  }

  async create(name: string, workingDirectory: string | null): Promise<Project> {
    if (this.all.length >= maxProjects)
      throw failure(409, "too_many_projects", `There are ${maxProjects} projects, the most that there may be. Remove one first.`);
    const at = new Date(this.#ports.now()).toISOString();
    const project: Project = this.#isEngines
      ? fromEngine((await this.#call("project/create", { idempotencyKey: randomUuid(), name, roots: rootsOf(workingDirectory) })).project)
      : { projectId: randomUuid(), name, workingDirectory, createdAt: at, updatedAt: at };
    this.#keep(project);
    return project;
  }

  async change(project: Project, name: string, workingDirectory: string | null): Promise<Project> {
    const { projectId } = project;
    const changed: Project = this.#isEngines
      ? fromEngine((await this.#call("project/update", { projectId, name, roots: rootsOf(workingDirectory) })).project)
      : { ...project, name, workingDirectory, updatedAt: new Date(this.#ports.now()).toISOString() };
    this.#keep(changed);
    return changed;
  }

  async remove(project: Project): Promise<void> {
    if (this.#isEngines) await this.#call("project/delete", { projectId: project.projectId });
    this.#drop(project.projectId);
  }

  /** Puts a session into a project, or into none. */
  async assign(sessionId: string, projectId: string | null): Promise<void> {
    if (this.#isEngines)
      await this.#call("thread/metadata/update", { threadId: sessionId, projectId: projectId ?? "" }).catch((error: unknown) => {
        // A thread without a message may not be stored yet; the manager remembers its project until then.
        if (!isUnknownThread(error)) throw error;
      });
    this.#assigned(sessionId, projectId);
  }

  /** The sessions of a project, also those that no page has shown yet. */
  async members(projectId: string): Promise<string[]> {
    const { assignments } = this.#ports.store.state;
    const own = Object.entries(assignments).flatMap(([session, project]) => (project === projectId ? [session] : []));
    if (!this.#isEngines) return own;
    const found = new Set(own);
    for (const archived of [false, true]) {
      const of = { projectId, archived, limit: pageSize, sourceKinds: [...everySource] };
      for (const { id } of await allPages((cursor) => this.#call("thread/list", { ...of, cursor }), maxMemberPages)) found.add(id);
    }
    return [...found];
  }

  /** Folds in what a thread says of its project. */
  learn({ id, projectId }: Thread): void {
    if (this.#isEngines && projectId != null && this.#ports.store.state.assignments[id] !== projectId) this.#note(id, projectId);
  }

  receive(message: ServerNotification): void {
    if (!this.#isEngines) return;
    if (message.method === "thread/project/updated") this.#assigned(message.params.threadId, message.params.projectId);
    if (message.method !== "project/changed") return;
    this.#reading = this.#reading
      .then(() => this.#read())
      .catch((error: unknown) => this.#ports.warn("the projects could not be read", { error: errorMessage(error) }));
  }

  /** Gives a project of the manager's own to the engine, with its sessions, once: repeating it after a crash gives the same project. */
  async #handOver(project: Project): Promise<void> {
    const { projectId, name, workingDirectory } = project;
    const given = { idempotencyKey: `parley-manager-${projectId}`, name, roots: rootsOf(workingDirectory) };
    const { project: made } = await this.#call("project/create", given);
    const { state } = this.#ports.store;
    const moved = Object.keys(state.assignments).filter((id) => state.assignments[id] === projectId);
    for (const threadId of moved)
      await this.#call("thread/metadata/update", { threadId, projectId: made.id }).catch((error: unknown) => {
        this.#ports.warn("a session was not put into its project", { threadId, error: errorMessage(error) });
      });
    const renamed = (id: string | null): string | null => (id === projectId ? made.id : id);
    const { assignments, schedules, projects, engineProjects } = this.#ports.store.state;
    this.#ports.store.change({
      projects: projects.map((one) => (one.projectId === projectId ? fromEngine(made) : one)),
      engineProjects: [...engineProjects, made.id],
      assignments: Object.fromEntries(Object.entries(assignments).map(([id, of]) => [id, of === projectId ? made.id : of])),
      schedules: schedules.map((schedule) => ({ ...schedule, projectId: renamed(schedule.projectId) })),
    });
  }

  async #read(): Promise<void> {
    const listed = await this.#list();
    if (listed === undefined) return;
    const now = listed.map(fromEngine);
    const before = new Map(this.all.map((project) => [project.projectId, project]));
    this.#ports.store.change({ projects: now, engineProjects: now.map(({ projectId }) => projectId) });
    for (const project of now)
      if (JSON.stringify(before.get(project.projectId)) !== JSON.stringify(project))
        this.#ports.hub.emit("project_upserted", null, project);
    const left = new Set(now.map(({ projectId }) => projectId));
    for (const projectId of before.keys()) if (!left.has(projectId)) this.#ports.hub.emit("project_deleted", null, { projectId });
  }

  /** Undefined if the engine has no projects. */
  async #list(): Promise<EngineProject[] | undefined> {
    try {
      return await allPages((cursor) => this.#call("project/list", { cursor, limit: pageSize }));
    } catch (error) {
      if (isUnsupported(error)) return undefined;
      throw error;
    }
  }

  #keep(project: Project): void {
    const { projects, engineProjects } = this.#ports.store.state;
    const isKnown = projects.some((one) => one.projectId === project.projectId);
    this.#ports.store.change({
      projects: isKnown ? projects.map((one) => (one.projectId === project.projectId ? project : one)) : [...projects, project],
      engineProjects:
        this.#isEngines && !engineProjects.includes(project.projectId) ? [...engineProjects, project.projectId] : engineProjects,
    });
    this.#ports.hub.emit("project_upserted", null, project);
  }

  #drop(projectId: string): void {
    const { projects, engineProjects } = this.#ports.store.state;
    if (!projects.some((one) => one.projectId === projectId)) return;
    this.#ports.store.change({
      projects: projects.filter((one) => one.projectId !== projectId),
      engineProjects: engineProjects.filter((id) => id !== projectId),
    });
    this.#ports.hub.emit("project_deleted", null, { projectId });
  }

  #assigned(sessionId: string, projectId: string | null): void {
    if ((this.#ports.store.state.assignments[sessionId] ?? null) === projectId) return;
    this.#note(sessionId, projectId);
    this.#ports.hub.emit("session_project_updated", sessionId, { sessionId, projectId });
    this.#ports.announce(sessionId);
  }

  #note(sessionId: string, projectId: string | null): void {
    const { [sessionId]: _, ...rest } = this.#ports.store.state.assignments;
    this.#ports.store.noteOften({ assignments: projectId === null ? rest : { ...rest, [sessionId]: projectId } });
  }

  get #call(): EngineLink["call"] {
    const link = this.#ports.link();
    return (method, params, options) => link.call(method, params, options);
  }
}

const rootsOf = (workingDirectory: string | null): { path: string }[] => (workingDirectory === null ? [] : [{ path: workingDirectory }]);

const fromEngine = ({ id, name, roots, createdAt, updatedAt }: EngineProject): Project => ({
  projectId: id,
  name,
  workingDirectory: roots[0]?.path ?? null,
  createdAt: new Date(createdAt * 1000).toISOString(),
  updatedAt: new Date(updatedAt * 1000).toISOString(),
});

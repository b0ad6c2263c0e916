/** The manager's sessions: with its own titles, projects, controls and tombstones, announced on the stream. */
import type { Thread } from "../protocol/thread.ts";
import { controlsFrom } from "../sessions/controls.ts";
import type { EngineLink } from "../sessions/link.ts";
import type { SessionControls, SessionSummary } from "../sessions/records.ts";
import { EngineSessions, type Session } from "../sessions/sessions.ts";
import { type ClientTool, toolSpecs } from "./client-tools.ts";
import type { Hub } from "./hub.ts";
import { failure, Problem } from "./problems.ts";
import type { ManagerStore } from "./store.ts";

export interface SessionPorts {
  readonly hub: Hub;
  readonly store: ManagerStore;
  readonly link: () => EngineLink;
  pendingCount(threadId: string): number;
  queued(threadId: string): number;
  /** A thread was read: it may say which project it is in. */
  learned(thread: Thread): void;
  now(): number;
}

export class Sessions extends EngineSessions {
  readonly #ports: SessionPorts;
  /** The tombstones' ids, rebuilt when the tombstones change. */
  #deleted: { readonly of: unknown; readonly ids: ReadonlySet<string> } = { of: undefined, ids: new Set() };

  constructor(ports: SessionPorts) {
    const { store, hub } = ports;
    super({
      link: ports.link,
      pendingCount: (id) => ports.pendingCount(id),
      queued: (id) => ports.queued(id),
      now: () => ports.now(),
      changed: (summary) => hub.emit("session_upserted", summary.sessionId, summary),
      about: (session) => ({
        title: store.state.titles[session.id] ?? null,
        projectId: store.state.assignments[session.id] ?? null,
        sessionControls: this.controls(session),
        systemOwned: this.isSystemOwned(session.id),
        ...this.#ofRepository(session.id),
        snoozedUntil: store.state.snoozed[session.id] ?? null,
        changes: store.state.changes[session.id] ?? null,
      }),
      resumeWith: (id) => resumeWith(store, id),
    });
    this.#ports = ports;
  }

  #ofRepository(id: string): Pick<SessionSummary, "worktree" | "pullRequest"> {
    const { worktrees, pullRequests } = this.#ports.store.state;
    const own = worktrees[id];
    return { worktree: own === undefined ? null : { root: own.root, branch: own.branch }, pullRequest: pullRequests[id] ?? null };
  }
  override learn(...read: Parameters<EngineSessions["learn"]>): Session {
    this.#ports.learned(read[0]);
    return super.learn(...read);
  }

  isDeleted(id: string): boolean {
    const { tombstones } = this.#ports.store.state;
    if (this.#deleted.of !== tombstones) this.#deleted = { of: tombstones, ids: new Set(tombstones.map((t) => t.sessionId)) };
    return this.#deleted.ids.has(id);
  }
  isSystemOwned(id: string): boolean {
    const session = this.find(id);
    return this.#ports.store.state.systemOwned.includes(id) || (session !== undefined && isEngineThread(session.thread));
  }
  override titleOf(id: string): string | null {
    return super.titleOf(id) ?? this.#ports.store.state.titles[id] ?? null;
  }
  controls(session: Session): SessionControls {
    const { state } = this.#ports.store;
    return state.controls[session.id] ?? controlsFrom(session.settings, state.defaults);
  }

  /** 410 for a deleted session, 403 for a system session. */
  gate(id: string, system: "refuse" | "allow" = "refuse"): void {
    const gone = this.#ports.store.state.tombstones.find((t) => t.sessionId === id);
    if (gone !== undefined)
      throw new Problem(410, {
        status: "deleted",
        sessionId: id,
        ...(gone.title === null ? {} : { title: gone.title }),
        message: "This session was deleted.",
        deletedAt: gone.deletedAt,
      });
    if (system === "refuse" && this.isSystemOwned(id))
      throw new Problem(403, {
        status: "error",
        code: "system_session",
        sessionId: id,
        message: "This session belongs to the system and cannot be driven by people.",
      });
  }

  /** Replaces the session's client tools, immediately and for every later resume. */
  async offerTools(id: string, tools: readonly ClientTool[]): Promise<Session> {
    const { store } = this.#ports;
    store.change({ tools: { ...store.state.tools, [id]: [...tools] } });
    return await this.attachAgain(id);
  }

  /** Unsubscribes from idle threads that were not used for a while; the engine may then unload them. */
  async rest(idleMs: number, isWatched: (id: string) => boolean): Promise<void> {
    for (const session of this.all()) {
      const idle = session.attached && session.activeTurnId === null && this.#ports.now() - session.usedAt > idleMs;
      if (!idle || isWatched(session.id) || this.#ports.pendingCount(session.id) > 0) continue;
      session.attached = false;
      await this.#ports
        .link()
        .call("thread/unsubscribe", { threadId: session.id })
        .catch(() => {});
    }
  }
}

function resumeWith(store: ManagerStore, id: string): { dynamicTools?: ReturnType<typeof toolSpecs> } {
  const tools = store.state.tools[id];
  return tools === undefined ? {} : { dynamicTools: toolSpecs(tools) };
}

/** Threads that the engine runs for itself (compaction, memory, review) cannot be driven by clients; those started by an agent belong to its session. */
function isEngineThread(thread: Thread): boolean {
  if (thread.threadSource === "system") return true;
  if (typeof thread.source === "string" || !("subAgent" in thread.source)) return false;
  return typeof thread.source.subAgent === "string" ? thread.source.subAgent !== "review" : "other" in thread.source.subAgent;
}

export const notMaterialized = (sessionId: string): Problem =>
  failure(409, "not_materialized", "This session has no message yet.", { sessionId });

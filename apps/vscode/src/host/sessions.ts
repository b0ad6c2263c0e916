/** The sessions shown in this editor: those of its folders, with the user's choices for each. Serves the panel and the status bar. */
import path from "node:path";
import type { Thread } from "../../../../src/protocol/thread.ts";
import { type Controls, controlsFrom } from "../../../../src/sessions/controls.ts";
import type { EngineLink } from "../../../../src/sessions/link.ts";
import { EngineSessions, readTurns, type Session, withLiveTurn } from "../../../../src/sessions/sessions.ts";
import type { ThreadPage } from "../../../web/src/state/fold.ts";
import type { QueuedMessage, SessionSummary } from "../../../web/src/state/model.ts";
import { editorControls } from "./controls.ts";

export interface SessionPorts {
  link(): EngineLink;
  pendingCount(threadId: string): number;
  queue(threadId: string): readonly QueuedMessage[];
  queuedCount(threadId: string): number;
  changed(summary: SessionSummary): void;
  /** The folders whose sessions are listed; none means all. */
  folders(): readonly string[];
  /** The user's choices for a session, stored across restarts. */
  chosen(id: string): Controls | undefined;
  choose(id: string, controls: Controls): void;
  now(): number;
}

const pageSize = 50;

export class Sessions extends EngineSessions {
  readonly #ports: SessionPorts;
  /** Threads that are read for the list, with the latest status that was announced meanwhile. */
  readonly #beingRead = new Map<string, Thread["status"]>();

  constructor(ports: SessionPorts) {
    super({
      link: () => ports.link(),
      pendingCount: (id) => ports.pendingCount(id),
      queued: (id) => ports.queuedCount(id),
      now: () => ports.now(),
      changed: (summary) => ports.changed(summary),
      about: (session) => ({
        title: null,
        ...{ projectId: null, snoozedUntil: null, changes: null },
        sessionControls: session.settings === undefined ? null : { ...this.controls(session), settings: {} },
        systemOwned: session.thread.threadSource === "system" || typeof session.thread.source !== "string",
      }),
    });
    this.#ports = ports;
  }

  working(): number {
    return this.all().filter((session) => session.activeTurnId !== null).length;
  }
  /** Choices made here that the next turn will send. */
  chosen(session: Session): Controls | undefined {
    return this.#ports.chosen(session.id);
  }
  choose(session: Session, controls: Controls): void {
    this.#ports.choose(session.id, controls);
  }
  controls(session: Session): Controls {
    return this.chosen(session) ?? controlsFrom(session.settings, editorControls);
  }

  /** Undefined for a thread that is not in these folders, or cannot be read. */
  async readIfShown(threadId: string): Promise<Thread | undefined> {
    const { thread } = await this.#ports
      .link()
      .call("thread/read", { threadId })
      .catch(() => ({ thread: undefined }));
    const folders = this.#ports.folders();
    const isShown = thread !== undefined && (folders.length === 0 || folders.some((folder) => isInside(folder, thread.cwd)));
    return isShown ? thread : undefined;
  }

  /** A thread that works or waits elsewhere enters the list. It is opened, and its questions are put here, when the person looks at it. */
  async hearOf(threadId: string, status: Thread["status"]): Promise<void> {
    const known = this.find(threadId);
    // Its first message may not have been stored when it was read.
    if (known !== undefined && (known.attached || known.thread.preview !== "")) return;
    const isBeingRead = this.#beingRead.has(threadId);
    if (!isBeingRead && known === undefined && status.type !== "active") return;
    this.#beingRead.set(threadId, status);
    if (isBeingRead) return;
    const thread = await this.readIfShown(threadId);
    const latest = this.#beingRead.get(threadId) ?? status;
    this.#beingRead.delete(threadId);
    if (thread !== undefined && this.find(threadId)?.attached !== true) this.announce(this.learn({ ...thread, status: latest }));
  }

  async list(query: {
    archived?: boolean;
    cursor?: string;
    search?: string;
  }): Promise<{ sessions: SessionSummary[]; nextCursor: string | null }> {
    const archived = query.archived === true;
    const folders = this.#ports.folders();
    const page = await this.#ports.link().call("thread/list", {
      archived,
      limit: 100,
      sortKey: "updated_at",
      sourceKinds: ["cli", "vscode", "exec", "appServer", "unknown"],
      ...(query.cursor === undefined ? {} : { cursor: query.cursor }),
      ...(folders.length === 0 ? {} : { cwd: [...folders] }),
      ...(query.search === undefined || query.search === "" ? {} : { searchTerm: query.search }),
    });
    const listed = new Set(page.data.map((thread) => thread.id));
    // A session without messages is not on disk yet; it belongs on the first page.
    const fresh = archived || query.cursor !== undefined ? [] : this.all().filter((s) => s.attached && !s.archived && !listed.has(s.id));
    const sessions = [...fresh, ...page.data.map((thread) => this.learn(thread, archived, page.readStates?.[thread.id]))];
    return { sessions: sessions.map((session) => this.summary(session)), nextCursor: page.nextCursor ?? null };
  }

  async page(id: string, cursor: string | null, seq: () => number): Promise<ThreadPage & { readonly session: SessionSummary }> {
    // An archived session cannot be joined but can be read.
    const session = await this.attach(id).catch((error: unknown) => this.require(id).catch(() => Promise.reject(error)));
    const { data, nextCursor } = await readTurns(this.#ports.link(), id, cursor, pageSize);
    const { plan, diffs, view } = session;
    return {
      sessionId: id,
      turns: cursor === null ? withLiveTurn(session, data) : data,
      olderCursor: nextCursor,
      plan: plan === null ? null : { turnId: plan.turnId, explanation: plan.explanation, steps: plan.plan },
      diffs: Object.fromEntries(diffs),
      tokenUsage: view.tokenUsage,
      notices: view.notices,
      queue: this.#ports.queue(id),
      seq: seq(),
      session: this.summary(session),
    };
  }
}

const isInside = (folder: string, cwd: string): boolean => {
  const between = path.relative(folder, cwd);
  return between === "" || (!between.startsWith("..") && !path.isAbsolute(between));
};

/** Everything behind the extension's user interfaces, without the editor API: the link, the sessions, the open requests, and the event stream for the panel. */
import { type Client, type ClientOptions, ConnectionClosed, RpcError } from "../../../../src/client/client.ts";
import { errorMessage } from "../../../../src/lib/error-text.ts";
import { isRecord } from "../../../../src/lib/is-record.ts";
import { randomUuid } from "../../../../src/lib/random.ts";
import type { ServerNotification } from "../../../../src/protocol/methods.ts";
import { type Controls, choosesAnything, merged, threadSettings, turnSettings } from "../../../../src/sessions/controls.ts";
import { EngineDown, EngineLink, type EngineRequest, type LinkState } from "../../../../src/sessions/link.ts";
import { Messages } from "../../../../src/sessions/messages.ts";
import { NoQueue, QueueFull, UnknownSession } from "../../../../src/sessions/refusals.ts";
import type { Ending } from "../../../../src/sessions/requests.ts";
import { checkFiles, FilesChanged, restoreFiles } from "../../../../src/sessions/restore-files.ts";
import { RuleRefused, Rules } from "../../../../src/sessions/rules.ts";
import type { Session } from "../../../../src/sessions/sessions.ts";
import { Refused, type StreamEvent } from "../../../web/src/connection/connection.ts";
import type { PendingRequest, SessionSummary } from "../../../web/src/state/model.ts";
import { keptControls } from "./controls.ts";
import type { Memory } from "./memory.ts";
import { serveMore } from "./more-calls.ts";
import type { CallName, CallParams } from "./port.ts";
import { Requests, you } from "./requests.ts";
import { ruleNotesIn } from "./rule-notes.ts";
import { Sessions } from "./sessions.ts";
import { serveSettings } from "./settings-calls.ts";
import { callTool, type EditorTools, isEditorTool, toolSpecs } from "./tools.ts";

export interface BackendPorts {
  /** Spawns or connects, and completes the handshake with these options. */
  open(options: Pick<ClientOptions, "onRequest">): Promise<Client>;
  /** Whether the server is our child process. */
  isOwn(): boolean;
  readonly editor: EditorTools;
  /** The default folder of a new session. */
  folder(): string;
  /** The folders whose sessions are listed; none means all. */
  folders(): readonly string[];
  offersTools(): boolean;
  /** State that outlives the window. */
  readonly memory: Memory;
  log(line: string): void;
  now(): number;
}

/** Notifications to the user interfaces. */
export interface BackendListener {
  state?(state: LinkState): void;
  added?(request: PendingRequest): void;
  ended?(request: PendingRequest, ending: Ending): void;
  session?(summary: SessionSummary, before: SessionSummary | undefined): void;
  event?(event: StreamEvent): void;
}

/** How long a call waits for a starting server. */
const startMs = 20_000;
/** How many threads are rejoined when the editor starts. */
const keptOpen = 8;
/** How many choices and message ids are kept. */
const keptEntries = 200;
const lastOf = (values: Record<string, unknown>): Record<string, unknown> => Object.fromEntries(Object.entries(values).slice(-keptEntries));

type EventOf<N extends StreamEvent["type"]> = Extract<StreamEvent, { type: N }>;

export class Backend {
  readonly link: EngineLink;
  readonly requests: Requests;
  readonly sessions: Sessions;
  readonly #messages: Messages;
  readonly #rules: Rules;
  readonly #ports: BackendPorts;
  readonly #listeners = new Set<BackendListener>();
  readonly #summaries = new Map<string, SessionSummary>();
  readonly #bootId = randomUuid();
  readonly #chosen = new Map<string, Controls>();
  /** Calls of the editor's own tools, by the engine's ids. */
  readonly #toolCalls = new Map<unknown, AbortController>();
  #seq = 0;
  #remembered = "";

  constructor(ports: BackendPorts) {
    this.#ports = ports;
    const now = (): number => ports.now();
    this.link = new EngineLink(
      {
        open: (options) => ports.open(options),
        ready: () => this.#joinAgain(),
        notification: (message) => this.#receive(message),
        request: (request) => this.#request(request),
        state: (state) => this.#state(state),
        isForeign: () => true, // our child process may be any program that the settings name
        givesUp: () => ports.isOwn(),
        warn: (message, fields) => ports.log(`${message}: ${JSON.stringify(fields)}`),
        now,
      },
      startMs,
    );
    this.requests = new Requests({
      bootId: this.#bootId,
      respond: (id, outcome) => this.link.respond(id, outcome),
      now,
      titleOf: (id) => this.sessions.titleOf(id),
      rootOf: (id) => this.sessions.rootOf(id),
      added: (request) => this.#added(request),
      ended: (request, ending) => this.#ended(request, ending),
    });
    this.sessions = new Sessions({
      link: () => this.link,
      queue: (id) => this.#messages.queue(id),
      queuedCount: (id) => this.#messages.count(id),
      pendingCount: (id) => this.requests.count(id),
      changed: (summary) => this.#sessionChanged(summary),
      folders: () => ports.folders(),
      chosen: (id) => this.#chosen.get(id) ?? keptControls(this.#controls()[id]),
      choose: (id, controls) => {
        this.#chosen.set(id, controls);
        ports.memory.set("controls", lastOf({ ...this.#controls(), [id]: controls }));
      },
      now,
    });
    this.#messages = this.#makeMessages();
    this.#rules = new Rules(() => this.link, ruleNotesIn(ports.memory), now);
  }

  #makeMessages(): Messages {
    const { memory } = this.#ports;
    const handed = new Set<string>();
    const key = (sessionId: string, messageId: string): string => `${sessionId} ${messageId}`;
    return new Messages({
      link: () => this.link,
      sessions: this.sessions,
      queueChanged: (sessionId, queue) => this.#emit("queue_updated", sessionId, { sessionId, queue: [...queue] }),
      accepted: (_, messageId) => (memory.strings("taken").includes(messageId) ? { turnId: null } : undefined),
      accept: (_, messageId) => memory.set("taken", [...memory.strings("taken"), messageId].slice(-keptEntries)),
      handed: {
        has: (sessionId, messageId) => handed.has(key(sessionId, messageId)),
        add: (sessionId, messageId) => void handed.add(key(sessionId, messageId)),
        delete: (sessionId, messageId) => void handed.delete(key(sessionId, messageId)),
      },
      choose: (session, overrides) => {
        if (choosesAnything(overrides)) this.sessions.choose(session, merged(this.sessions.controls(session), overrides));
      },
      turnSettings: (session) => {
        const chosen = this.sessions.chosen(session);
        return chosen === undefined ? {} : turnSettings(chosen);
      },
      notSent: (session, reason) => this.#ports.log(`a queued message of ${session.id} was not taken: ${reason}`),
      now: () => this.#ports.now(),
    });
  }

  get seq(): number {
    return this.#seq;
  }

  listen(listener: BackendListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Serves one call of the panel. Rejects with Refused (with an error message) or EngineDown (retry when the server is back). */
  async call<N extends CallName>(name: N, params: CallParams<N>): Promise<unknown> {
    try {
      return await this.#serve[name](params);
    } catch (error) {
      if (error instanceof RpcError) throw new Refused(409, String(error.code), error.message, error.data);
      if (error instanceof UnknownSession) throw new Refused(404, "not_found", error.message, null);
      if (error instanceof QueueFull || error instanceof NoQueue || error instanceof FilesChanged)
        throw new Refused(409, error.code, error.message, null);
      if (error instanceof RuleRefused) throw new Refused(error.status, error.code, error.message, null);
      if (error instanceof ConnectionClosed) throw new EngineDown("The server was lost.");
      throw error;
    }
  }

  /** A session in the given folder, with the editor's tools. */
  async startSession(params: CallParams<"start">): Promise<Session> {
    const { cwd, ...overrides } = params;
    const folder = cwd ?? this.#ports.folder();
    const opened = await this.link.call("thread/start", {
      ...(folder === "" ? {} : { cwd: folder }),
      ...threadSettings(overrides),
      ...(this.#ports.offersTools() ? { dynamicTools: toolSpecs() } : {}),
    });
    const session = this.sessions.opened(opened);
    if (Object.keys(overrides).length > 0) this.sessions.choose(session, merged(this.sessions.controls(session), overrides));
    return session;
  }

  /** Servers other than Parley do not report this: there a failed turn does. */
  /** The model that a new session runs in this window's folder. Servers other than Parley only have the setting. */
  async #modelToRun(): Promise<{ readonly offlineTour: boolean; readonly model: string | null }> {
    const cwd = this.#ports.folder() || null;
    const listed = await this.link.call("account/provider/list", { cwd }).catch(() => undefined);
    if (listed !== undefined) return { offlineTour: listed.noModel !== null, model: listed.model };
    const read = await this.link.call("config/read", { cwd }).catch(() => undefined);
    return { offlineTour: false, model: read?.config.model ?? null };
  }

  /** The folders searched for project hooks and marketplaces. */
  #openFolders(): readonly string[] {
    return [...new Set([...this.#ports.folders(), this.#ports.folder()])].filter((folder) => folder !== "");
  }

  #controls(): Record<string, unknown> {
    const kept = this.#ports.memory.get("controls");
    return isRecord(kept) ? kept : {};
  }

  async interrupt(sessionId: string): Promise<void> {
    const session = this.#require(sessionId);
    if (session.activeTurnId === null) throw new Refused(409, "no_active_turn", "No turn is running.", null);
    await this.link.call("turn/interrupt", { threadId: sessionId, turnId: session.activeTurnId });
  }

  readonly #serve: { readonly [N in CallName]: (params: CallParams<N>) => unknown } = {
    ...serveSettings({ link: () => this.link, folders: () => this.#openFolders(), rules: () => this.#rules }),
    ...serveMore({ link: () => this.link, sessions: () => this.sessions, messages: () => this.#messages }),
    sessions: (query) => this.sessions.list(query),
    turns: ({ sessionId, cursor }) => this.sessions.page(sessionId, cursor, () => this.#seq),
    start: async (params) => this.sessions.summary(await this.startSession(params)),
    resume: async ({ sessionId }) => this.sessions.summary(await this.sessions.attach(sessionId)),
    send: async ({ sessionId, ...message }) => {
      await this.#rules.sweep(); // before the agent could use a rule whose time is over
      return (await this.#messages.send(await this.sessions.attach(sessionId), { ...message, by: you })).delivery;
    },
    unqueue: async ({ sessionId, messageId }) => {
      if (!(await this.#messages.take(this.#require(sessionId).id, messageId)))
        throw new Refused(404, "not_found", "This message is no longer waiting.", null);
    },
    interrupt: ({ sessionId }) => this.interrupt(sessionId),
    rename: ({ sessionId, title }) => this.link.call("thread/name/set", { threadId: sessionId, name: title.trim() }),
    archive: ({ sessionId, archived }) => this.link.call(archived ? "thread/archive" : "thread/unarchive", { threadId: sessionId }),
    remove: ({ sessionId }) => this.#remove(sessionId),
    fork: async ({ sessionId, beforeTurnId }) => {
      const from = { threadId: sessionId, ...(beforeTurnId === undefined ? {} : { beforeTurnId }) };
      return this.sessions.summary(this.sessions.opened(await this.link.call("thread/fork", from)));
    },
    checkRollback: ({ sessionId, numTurns }) => checkFiles(this.link, sessionId, numTurns),
    restoreFiles: ({ sessionId, numTurns, files }) => restoreFiles(this.link, sessionId, numTurns, files),
    rollback: (params) => this.#rollback(params),
    compact: async ({ sessionId }) => {
      await this.sessions.attach(sessionId);
      await this.link.call("thread/compact/start", { threadId: sessionId });
    },
    review: ({ sessionId, target }) => this.#review(sessionId, target),
    setControls: ({ sessionId, controls }) => this.#setControls(sessionId, controls),
    pending: () => this.requests.list(),
    answer: (params) => this.answer(params),
    models: async () => (await this.link.call("model/list", { limit: 200 })).data,
    skills: async ({ cwd }) => (await this.link.call("skills/list", { cwds: [cwd] })).data.flatMap((entry) => entry.skills),
    files: ({ sessionId, query }) => this.#files(sessionId, query),
    capabilities: async () => ({
      status: "ok",
      runtime: {
        userAgent: this.link.userAgent,
        codexHome: this.link.codexHome,
        ...(await this.#modelToRun()),
        remote: !this.#ports.isOwn(),
        cwd: this.#ports.folder(),
        // Servers other than Parley do not report this.
        sandbox: await this.link.call("sandbox/read", {}).catch(() => null),
      },
      methods: {},
      details: {},
      features: {},
    }),
    account: () => this.link.call("account/read", {}),
    rateLimits: async () => (await this.link.call("account/rateLimits/read", {})).rateLimits,
  };

  /** Submits a user's answer, from whichever interface it came. A note is sent to the turn that asked, or waits in the session's queue. */
  async answer({ answer, ...seen }: CallParams<"answer">): Promise<void> {
    const request = await this.requests.answerSeen(seen, answer);
    const note = "note" in answer ? (answer.note?.trim() ?? "") : "";
    const session = this.sessions.find(request.threadId);
    if (note === "" || session === undefined) return;
    const message = { messageId: `note-${request.requestId}`, input: [{ type: "text" as const, text: note }], delivery: "steer" as const };
    await this.#messages.sendOrQueue(session, { ...message, overrides: {}, by: you });
  }

  #require(sessionId: string): Session {
    const session = this.sessions.find(sessionId);
    if (session === undefined) throw new Refused(404, "not_found", "There is no such session.", null);
    return session;
  }

  async #remove(sessionId: string): Promise<void> {
    await this.link.call("thread/delete", { threadId: sessionId });
    this.#forget(sessionId);
  }

  #forget(sessionId: string): void {
    if (this.sessions.find(sessionId) === undefined) return;
    this.sessions.forget(sessionId);
    this.#summaries.delete(sessionId);
    const deletedAt = new Date(this.#ports.now()).toISOString();
    this.#emit("session_deleted", sessionId, { status: "deleted", sessionId, message: "This session was deleted.", deletedAt });
  }

  /** Names the turn to roll back before, as current servers expect; older ones count turns. */
  async #rollback({ sessionId: threadId, numTurns, files }: CallParams<"rollback">): Promise<void> {
    await this.sessions.attach(threadId);
    await restoreFiles(this.link, threadId, numTurns, files);
    const { data } = await this.link.call("thread/turns/list", { threadId, limit: numTurns, sortDirection: "desc" });
    const before = data[Math.min(numTurns, data.length) - 1];
    if (before === undefined) throw new Refused(409, "invalid_state", "There is no turn to take back.", null);
    await this.link.call("thread/revert", { threadId, beforeTurnId: before.id });
  }

  async #review(threadId: string, target: CallParams<"review">["target"]): Promise<string> {
    await this.sessions.attach(threadId);
    const { targetType, ...rest } = target;
    const wire =
      "branch" in rest
        ? { type: "baseBranch" as const, branch: rest.branch }
        : "sha" in rest
          ? { type: "commit" as const, sha: rest.sha }
          : "instructions" in rest
            ? { type: "custom" as const, instructions: rest.instructions }
            : { type: "uncommittedChanges" as const };
    return (await this.link.call("review/start", { threadId, target: wire })).reviewThreadId;
  }

  async #setControls(sessionId: string, controls: CallParams<"setControls">["controls"]): Promise<void> {
    const session = await this.sessions.attach(sessionId);
    const chosen = { ...controls, effort: controls.effort ?? null };
    this.sessions.choose(session, chosen);
    this.sessions.announce(session);
    // Takes effect at once if the server supports it; otherwise with the next turn.
    await this.link.call("thread/settings/update", { threadId: sessionId, ...turnSettings(chosen) }).catch(() => {});
  }

  async #files(sessionId: string, query: string): Promise<unknown> {
    const session = this.sessions.find(sessionId);
    const root = session?.thread.cwd ?? this.#ports.folder();
    const { files } = await this.link.call("fuzzyFileSearch", { query, roots: [root], cancellationToken: `panel-${sessionId}` });
    return files.slice(0, 50).map((f) => ({ path: f.path, name: f.file_name, root: f.root, isDirectory: f.match_type === "directory" }));
  }

  /** After every handshake: rejoins the threads that were open here, and those running elsewhere in these folders. */
  async #joinAgain(): Promise<void> {
    const { data: loaded } = await this.link.call("thread/loaded/list", {}).catch(() => ({ data: [] as string[] }));
    const mine = new Set(this.#ports.memory.strings("threads"));
    for (const threadId of new Set([...loaded, ...mine])) {
      if (!mine.has(threadId) && (await this.sessions.readIfShown(threadId)) === undefined) continue;
      await this.sessions.attach(threadId).catch((error: unknown) => this.#ports.log(`${threadId} could not be resumed: ${String(error)}`));
    }
  }

  #request(request: EngineRequest): void {
    const { method, params } = request;
    if (method === "item/tool/call" && isEditorTool(params["tool"]))
      void this.#callTool(request).catch((error: unknown) => this.#toolFailed(request, error));
    else this.requests.add(request);
  }

  async #callTool({ id, params }: EngineRequest): Promise<void> {
    if (this.#toolCalls.has(id)) return; // requested again after a thread was rejoined
    const call = new AbortController();
    this.#toolCalls.set(id, call);
    const result = await callTool(this.#ports.editor, params, call.signal);
    if (!call.signal.aborted && this.link.running) this.link.respond(id, { result });
    if (this.#toolCalls.get(id) === call) this.#toolCalls.delete(id);
  }

  /** Without an answer the turn would wait forever. */
  #toolFailed({ id }: EngineRequest, error: unknown): void {
    this.#toolCalls.delete(id);
    this.#ports.log(`a tool of the editor failed: ${errorMessage(error)}`);
    if (this.link.running)
      this.link.respond(id, { result: { contentItems: [{ type: "inputText", text: errorMessage(error) }], success: false } });
  }

  #endToolCalls(ids: Iterable<unknown> = [...this.#toolCalls.keys()]): void {
    for (const id of ids) {
      this.#toolCalls.get(id)?.abort();
      this.#toolCalls.delete(id);
    }
  }

  #receive(message: ServerNotification): void {
    const { method, params } = message;
    const threadId = this.sessions.receive(message);
    this.#emit("notification", threadId, { method, params });
    switch (message.method) {
      case "serverRequest/resolved": {
        const { requestId, answeredBy } = message.params;
        this.#endToolCalls([requestId]);
        return this.requests.resolvedByEngine(message.params.threadId, requestId, answeredBy ?? undefined);
      }
      case "item/completed":
        if (message.params.item.type === "dynamicToolCall") this.requests.itemCompleted(message.params.threadId, message.params.item.id);
        return;
      case "turn/completed": {
        const { turn } = message.params;
        this.requests.expire(message.params.threadId, turn.id, "The turn has ended.");
        return;
      }
      case "thread/status/changed":
        void this.sessions
          .hearOf(message.params.threadId, message.params.status)
          .catch((error: unknown) => this.#ports.log(`a thread was not listed: ${String(error)}`));
        return;
      case "thread/queue/changed":
        return this.#messages.queueChanged(message.params.threadId);
      case "thread/deleted":
        return this.#forget(message.params.threadId);
      case "account/login/completed": {
        const { success, error, loginId } = message.params;
        return this.#emit("account_login_completed", null, { success, error: error ?? null, loginId: loginId ?? null });
      }
    }
  }

  #state(state: LinkState): void {
    if (state.kind === "lost" || state.kind === "failed" || state.kind === "stopped") {
      this.#endToolCalls();
      this.requests.engineLost(false);
      this.sessions.engineLost("interrupted");
    }
    this.#emit("engine_state", null, { running: state.kind === "running", reason: "reason" in state ? state.reason : null });
    this.#tell((listener) => listener.state?.(state));
  }

  #added(request: PendingRequest): void {
    this.#emit(eventFor(request), request.threadId, request);
    this.#tellSessions(request);
    this.#tell((listener) => listener.added?.(request));
  }

  #ended(request: PendingRequest, ending: Ending): void {
    const { requestId, threadId } = request;
    const { status, by, at, reason, decision } = ending;
    this.#emit("request_resolved", threadId, { requestId, threadId, status, by, at, reason, decision });
    this.#tellSessions(request);
    this.#tell((listener) => listener.ended?.(request, ending));
  }

  #tellSessions(request: PendingRequest): void {
    for (const id of new Set([request.threadId, request.rootThreadId])) {
      const session = this.sessions.find(id);
      if (session !== undefined) this.sessions.announce(session);
    }
  }

  #sessionChanged(summary: SessionSummary): void {
    const before = this.#summaries.get(summary.sessionId);
    this.#summaries.set(summary.sessionId, summary);
    this.#emit("session_upserted", summary.sessionId, summary);
    this.#tell((listener) => listener.session?.(summary, before));
    if (this.link.state.kind !== "running") return;
    const open = this.sessions.attached();
    if (open.join() === this.#remembered) return;
    this.#remembered = open.join();
    this.#ports.memory.set("threads", open.slice(-keptOpen));
  }

  #emit<N extends StreamEvent["type"]>(type: N, threadId: string | null, payload: EventOf<N>["payload"]): void {
    const event = { seq: ++this.#seq, bootId: this.#bootId, type, threadId, payload } as EventOf<N>;
    this.#tell((listener) => listener.event?.(event));
  }

  /** A listener that throws neither keeps the others from being notified nor stops the session. */
  #tell(say: (listener: BackendListener) => void): void {
    for (const listener of [...this.#listeners]) {
      try {
        say(listener);
      } catch (error) {
        this.#ports.log(`a part of the editor failed: ${errorMessage(error)}`);
      }
    }
  }
}

function eventFor(request: PendingRequest): "approval" | "tool_user_input_requested" | "tool_call_requested" | "request_pending" {
  if (request.kind === "question") return "tool_user_input_requested";
  if (request.kind === "toolCall") return "tool_call_requested";
  return request.kind === "elicitation" || request.kind === "other" ? "request_pending" : "approval";
}

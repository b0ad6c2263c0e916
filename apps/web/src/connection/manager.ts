/** The connection to the manager that served this page: its HTTP routes with the cookie, its websocket with replay after every break. */
import type { RouteInput, RouteName, RouteOutput } from "../../../../src/manager/api.ts";
import type { StreamControl, StreamEvent } from "../../../../src/manager/events.ts";
import { type Connection, type Listener, Refused } from "./connection.ts";

type Input<K extends RouteName> = {
  [P in keyof RouteInput<K> as RouteInput<K>[P] extends Record<string, never> | undefined ? never : P]?: RouteInput<K>[P];
};

const requestTimeoutMs = 130_000;

async function call<K extends RouteName>(
  key: K,
  input: Input<K> & { path?: object; query?: object; body?: unknown } = {} as never,
): Promise<RouteOutput<K>> {
  const [method, template] = key.split(" ") as [string, string];
  const params = { ...(input.path ?? {}) } as Record<string, string>;
  const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) if (value !== undefined && value !== null) query.set(name, String(value));
  const response = await fetch(query.size === 0 ? path : `${path}?${query}`, {
    method,
    credentials: "same-origin",
    redirect: "error",
    headers: method === "GET" ? {} : { "content-type": "application/json" },
    ...(method === "GET" || method === "DELETE" ? {} : { body: JSON.stringify(input.body ?? {}) }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const body: unknown = await response.json().catch(() => null);
  // The routes' own schemas describe the body; the server that made it is the one that served this script.
  if (response.ok) return body as RouteOutput<K>;
  const failure = (typeof body === "object" && body !== null ? body : {}) as { code?: unknown; message?: unknown; status?: unknown };
  const code = typeof failure.code === "string" ? failure.code : typeof failure.status === "string" ? failure.status : "error";
  throw new Refused(response.status, code, typeof failure.message === "string" ? failure.message : statusText(response.status), body);
}

function statusText(status: number): string {
  if (status === 401) return "You are signed out.";
  if (status === 403) return "This device is not allowed to do that.";
  if (status === 404) return "It is no longer there.";
  if (status === 409) return "Someone else was faster.";
  if (status === 410) return "This session was deleted.";
  if (status === 413) return "That is too large to send.";
  if (status === 429 || status === 503) return "The manager is busy. Try again in a moment.";
  return `The manager could not do that (${status}).`;
}

/** Waits between attempts to reconnect, in ms: quick at first, then patient. */
const backoff = [250, 500, 1000, 2000, 4000, 8000, 15_000];
const heartbeatMs = 20_000;

class Stream {
  readonly #listener: Listener;
  #socket: WebSocket | undefined;
  #watched: readonly string[] = [];
  #seq = 0;
  #bootId = "";
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #alive = true;
  #closed = false;
  /** What a new socket brings before it says that all missed events were sent again; those are older, and come first. */
  #early: StreamEvent[] | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
    this.#connect();
    addEventListener("online", this.#retryNow);
    document.addEventListener("visibilitychange", this.#retryNow);
  }

  watch(sessionIds: readonly string[]): void {
    this.#watched = sessionIds;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#subscribe(this.#socket);
  }

  close(): void {
    this.#closed = true;
    removeEventListener("online", this.#retryNow);
    document.removeEventListener("visibilitychange", this.#retryNow);
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    this.#socket?.close();
  }

  /** A laptop that wakes up should not sit out a long wait, nor one that follows an attempt made in vain before. */
  readonly #retryNow = (): void => {
    this.#attempt = 0;
    if (this.#closed || document.visibilityState === "hidden" || this.#socket !== undefined) return;
    clearTimeout(this.#timer);
    this.#connect();
  };

  #connect(): void {
    this.#listener.link("connecting");
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/stream?families=core,raw,inbox`);
    this.#socket = socket;
    this.#early = [];
    socket.onopen = () => {
      this.#attempt = 0;
      this.#alive = true;
      this.#subscribe(socket);
      this.#heartbeat = setInterval(() => this.#beat(socket), heartbeatMs);
    };
    socket.onmessage = (message) => this.#receive(message.data);
    socket.onclose = () => this.#lost(socket);
  }

  #subscribe(socket: WebSocket): void {
    const from = this.#bootId === "" ? {} : { since: this.#seq, bootId: this.#bootId };
    socket.send(JSON.stringify({ type: "subscribe", threadIds: this.#watched, families: ["core", "raw", "inbox"], ...from }));
  }

  #beat(socket: WebSocket): void {
    if (!this.#alive) return socket.close();
    this.#alive = false;
    if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"ping"}');
  }

  #receive(data: unknown): void {
    this.#alive = true;
    if (typeof data !== "string") return;
    let message: StreamControl | StreamEvent;
    try {
      message = JSON.parse(data) as StreamControl | StreamEvent;
    } catch {
      return;
    }
    if ("payload" in message) return this.#event(message);
    if (message.type === "subscribed") {
      this.#bootId = message.bootId;
      if (message.replayed === 0) this.#seq = Math.max(this.#seq, message.seq);
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const event of early.sort((a, b) => a.seq - b.seq)) this.#event(event);
      this.#listener.link("online");
    } else if (message.type === "resync") {
      this.#bootId = message.bootId;
      this.#seq = message.seq;
      this.#listener.resync();
    }
  }

  #event(event: StreamEvent): void {
    if (this.#early !== undefined) return void this.#early.push(event);
    // A changed subscription brings older events of the new session; folding drops what a session already contains.
    this.#seq = Math.max(this.#seq, event.seq);
    this.#listener.event(event);
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    clearInterval(this.#heartbeat);
    if (this.#closed) return;
    this.#listener.link("offline");
    const wait = backoff[Math.min(this.#attempt++, backoff.length - 1)] ?? 15_000;
    this.#timer = setTimeout(() => void this.#checkThenConnect(), wait * (0.75 + Math.random() / 2));
  }

  /** A refused websocket does not say why; asking who we are tells a break from being signed out. */
  async #checkThenConnect(): Promise<void> {
    try {
      await call("GET /api/auth/me");
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return this.#listener.signedOut();
    }
    if (!this.#closed && this.#socket === undefined) this.#connect();
  }
}

const done = async (promise: Promise<unknown>): Promise<void> => void (await promise);

export function connectManager(): Connection {
  let stream: Stream | undefined;
  const of = (sessionId: string) => ({ path: { sessionId } });
  return {
    offers: { name: "manager", projects: true, settings: true },
    open(listener) {
      stream?.close();
      stream = new Stream(listener);
    },
    close: () => stream?.close(),
    watch: (sessionIds) => stream?.watch(sessionIds),

    me: () => call("GET /api/auth/me"),
    signIn: (code, name) => call("POST /api/auth/sign-in", { body: { code, name } }),
    signOut: () => done(call("POST /api/auth/sign-out")),

    async sessions(query) {
      const page = await call("GET /api/sessions", { query: { limit: 200, ...query } });
      return { sessions: page.data, nextCursor: page.nextCursor, seq: page.seq };
    },
    async turns(sessionId, cursor) {
      const page = await call("GET /api/sessions/:sessionId/turns", {
        ...of(sessionId),
        query: { limit: 50, ...(cursor === null ? {} : { cursor }) },
      });
      const plan =
        page.plan == null ? null : { turnId: page.plan.turnId, explanation: page.plan.explanation ?? null, steps: page.plan.plan };
      return { ...page, sessionId, turns: page.data, olderCursor: page.nextCursor, plan };
    },
    diff: (sessionId, turnId) =>
      call("GET /api/sessions/:sessionId/diff", {
        ...of(sessionId),
        query: turnId === undefined ? { scope: "session" } : { scope: "turn", turnId },
      }),
    start: async (options) => (await call("POST /api/sessions", { body: options })).session,
    resume: async (sessionId) => (await call("POST /api/sessions/:sessionId/resume", of(sessionId))).session,
    async send({ sessionId, messageId, input, delivery, overrides }) {
      const body = { input: [...input], clientMessageId: messageId, delivery, ...overrides };
      return (await call("POST /api/sessions/:sessionId/messages", { ...of(sessionId), body })).delivery;
    },
    unqueue: (sessionId, messageId) => done(call("DELETE /api/sessions/:sessionId/queue/:messageId", { path: { sessionId, messageId } })),
    interrupt: (sessionId) => done(call("POST /api/sessions/:sessionId/interrupt", of(sessionId))),
    rename: (sessionId, title) => done(call("POST /api/sessions/:sessionId/rename", { ...of(sessionId), body: { title } })),
    archive: (sessionId, archived) =>
      done(
        archived
          ? call("POST /api/sessions/:sessionId/archive", of(sessionId))
          : call("POST /api/sessions/:sessionId/unarchive", of(sessionId)),
      ),
    remove: (sessionId) => done(call("DELETE /api/sessions/:sessionId", of(sessionId))),
    fork: async (sessionId) => (await call("POST /api/sessions/:sessionId/fork", of(sessionId))).session,
    rollback: (sessionId, numTurns) => done(call("POST /api/sessions/:sessionId/rollback", { ...of(sessionId), body: { numTurns } })),
    compact: (sessionId) => done(call("POST /api/sessions/:sessionId/compact", of(sessionId))),
    review: async (sessionId, target) =>
      (await call("POST /api/sessions/:sessionId/review", { ...of(sessionId), body: target })).reviewSessionId,
    assign: (sessionId, projectId) => done(call("POST /api/sessions/:sessionId/project", { ...of(sessionId), body: { projectId } })),
    setControls: (sessionId, controls) =>
      done(
        call("POST /api/sessions/:sessionId/session-controls", { ...of(sessionId), body: { scope: "session", controls, source: "page" } }),
      ),

    projects: async () => (await call("GET /api/projects")).data,
    makeProject: async (name, workingDirectory) => (await call("POST /api/projects", { body: { name, workingDirectory } })).project,
    renameProject: (projectId, name, workingDirectory) =>
      done(call("POST /api/projects/:projectId/rename", { path: { projectId }, body: { name, workingDirectory } })),
    removeProject: (projectId) => done(call("DELETE /api/projects/:projectId", { path: { projectId } })),

    pending: async () => (await call("GET /api/pending")).data,
    answer: ({ requestId, createdAt }, answer) =>
      done(call("POST /api/requests/:requestId/response", { path: { requestId }, body: { ...answer, createdAt } })),

    keep: (requestId) => done(call("POST /api/requests/:requestId/keep", { path: { requestId } })),

    models: async () => (await call("GET /api/models", { query: { limit: 200 } })).data,
    skills: async (cwd) => (await call("GET /api/skills", { query: { cwd } })).data.flatMap((entry) => entry.skills),
    files: async (sessionId, query) => (await call("GET /api/sessions/:sessionId/files", { ...of(sessionId), query: { query } })).data,
    capabilities: () => call("GET /api/capabilities"),
    account: () => call("GET /api/account"),
    signInWithKey: (apiKey) => done(call("POST /api/account/login/start", { body: { type: "apiKey", apiKey } })),
    dropAccount: () => done(call("POST /api/account/logout")),
    rateLimits: async () => (await call("GET /api/account/rate-limits")).rateLimits,
    mcpServers: async () => (await call("GET /api/mcp/servers")).data,
    mcpLogin: async (serverName) =>
      (await call("POST /api/mcp/servers/:serverName/oauth/login", { path: { serverName } })).authorizationUrl,
    mcpReload: () => done(call("POST /api/mcp/reload")),

    devices: async () => (await call("GET /api/devices")).data,
    revoke: (deviceId) => done(call("DELETE /api/devices/:deviceId", { path: { deviceId } })),
    makeLink: (scope, name) => call("POST /api/auth/links", { body: { scope, name } }),
    rules: () => call("GET /api/rules"),
    addRule: (rule) => call("POST /api/rules", { body: rule }),
    changeRule: (ruleId, rule) => call("POST /api/rules/:ruleId", { path: { ruleId }, body: rule }),
    removeRule: (ruleId) => call("DELETE /api/rules/:ruleId", { path: { ruleId } }),
    audit: (before) => call("GET /api/audit", { query: { limit: 100, ...(before === null ? {} : { before }) } }),
    auditExportUrl: () => "/api/audit/export",
  };
}

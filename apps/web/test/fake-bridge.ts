/** Plays the manager for tests of the page: the same routes and events, invented sessions, answers that follow the contract. */

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import path from "node:path";
import { type WebSocket, WebSocketServer } from "ws";
import type { Project } from "../../../src/manager/api/records.ts";
import type { UserInput } from "../../../src/protocol/item.ts";
import type { Turn } from "../../../src/protocol/turn.ts";
import type { PendingRequest, QueuedMessage, SessionSummary } from "../../../src/sessions/records.ts";
import { gitAnswer } from "./fake-git.ts";
import { FakeLists } from "./fake-lists.ts";

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};
export const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

interface Event {
  seq: number;
  bootId: string;
  type: string;
  threadId: string | null;
  payload: unknown;
}

export class FakeBridge {
  readonly sessions = new Map<string, SessionSummary>();
  readonly turns = new Map<string, Turn[]>();
  readonly diffs = new Map<string, Record<string, string>>();
  readonly plans = new Map<string, { turnId: string; plan: readonly { step: string; status: string }[] }>();
  readonly usage = new Map<string, unknown>();
  readonly pending = new Map<string, PendingRequest>();
  readonly queue = new Map<string, QueuedMessage[]>();
  readonly answers: { requestId: string; body: unknown }[] = [];
  readonly messages: { sessionId: string; body: Record<string, unknown> }[] = [];
  readonly keys: string[] = [];
  readonly lists = new FakeLists(this);
  projects: Project[] = [];
  /** Called for each message; may script a turn. */
  onMessage: (sessionId: string, input: readonly UserInput[], clientMessageId: string) => void = () => {};
  onAnswer: (request: PendingRequest, body: Record<string, unknown>) => void = () => {};
  signedIn = true;
  code = "";
  /** Changes what the routes with fixed answers say. */
  poison: (body: unknown) => unknown = (body) => body;
  readonly #web: string;
  readonly #log: Event[] = [];
  /** Null hears every session, as before the first subscription. */
  readonly #sockets = new Set<{ socket: WebSocket; threads: ReadonlySet<string> | null }>();
  readonly #seen = new Set<string>();
  #server: Server | undefined;
  #seq = 0;
  #bootId = crypto.randomUUID();

  constructor(web: string) {
    this.#web = web;
  }

  async listen(port = 0): Promise<string> {
    const server = createServer(
      (request, response) => void this.#serve(request, response).catch((e) => response.writeHead(500).end(String(e))),
    );
    const sockets = new WebSocketServer({ noServer: true });
    server.on("upgrade", (request, socket, head) => {
      if (!this.signedIn) return void socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
      sockets.handleUpgrade(request, socket, head, (ws) => this.#connect(ws));
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    this.#server = server;
    const address = server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  async close(): Promise<void> {
    this.dropSockets();
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => (this.#server === undefined ? resolve() : this.#server.close(() => resolve())));
  }

  dropSockets(): void {
    for (const { socket } of this.#sockets) socket.terminate();
  }

  emit(type: string, threadId: string | null, payload: unknown): void {
    const event = { seq: ++this.#seq, bootId: this.#bootId, type, threadId, payload };
    this.#log.push(event);
    for (const client of this.#sockets) if (wants(client.threads, event)) client.socket.send(JSON.stringify(event));
  }

  notify(threadId: string, method: string, params: Record<string, unknown>): void {
    const turn = params["turn"] as Turn | undefined;
    const turns = this.turns.get(threadId) ?? [];
    if (method === "turn/started" && turn !== undefined)
      this.turns.set(threadId, [...turns.filter((t) => t.id !== turn.id), structuredClone(turn)]);
    const live = turns.find((t) => t.id === params["turnId"]);
    const item = params["item"] as Turn["items"][number] | undefined;
    if (live !== undefined && item !== undefined) {
      const at = live.items.findIndex((i) => i.id === item.id);
      if (at === -1) live.items.push(structuredClone(item));
      else live.items[at] = structuredClone(item);
    }
    if (method === "item/agentMessage/delta") {
      const message = live?.items.find((i) => i.id === params["itemId"]);
      if (message?.type === "agentMessage") message.text += String(params["delta"]);
    }
    if (method === "turn/completed" && turn !== undefined) {
      const known = turns.find((t) => t.id === turn.id);
      if (known !== undefined) Object.assign(known, { ...turn, items: known.items });
    }
    this.emit("notification", threadId, { method, params: { threadId, ...params } });
  }

  update(sessionId: string, part: Partial<SessionSummary>): void {
    const before = this.sessions.get(sessionId);
    if (before === undefined) return;
    const next = { ...before, ...part, updatedAt: Math.floor(Date.now() / 1000) };
    this.sessions.set(sessionId, next);
    this.emit("session_upserted", sessionId, next);
  }

  ask(request: PendingRequest): PendingRequest {
    const titled = { ...request, sessionTitle: this.sessions.get(request.threadId)?.title ?? null };
    this.pending.set(request.requestId, titled);
    const type =
      request.kind === "question"
        ? "tool_user_input_requested"
        : request.kind === "toolCall"
          ? "tool_call_requested"
          : request.kind === "elicitation"
            ? "request_pending"
            : "approval";
    this.emit(type, request.threadId, titled);
    return titled;
  }

  resolve(requestId: string, decision: unknown, by = "Chrome on Linux", status: "resolved" | "expired" = "resolved"): void {
    const request = this.pending.get(requestId);
    if (request === undefined) return;
    this.pending.delete(requestId);
    const shared = { status, threadId: request.threadId, by: { kind: "device", name: by }, at: new Date().toISOString() };
    if (request.kind === "question") this.emit("tool_user_input_resolved", request.threadId, { requestId, decision, ...shared });
    else if (request.kind === "toolCall") this.emit("tool_call_resolved", request.threadId, { requestId, success: true, ...shared });
    else if (request.kind === "elicitation") this.emit("request_resolved", request.threadId, { requestId, decision, ...shared });
    else this.emit("approval_resolved", request.threadId, { approvalId: requestId, decision, ...shared });
  }

  #connect(socket: WebSocket): void {
    const client: { socket: WebSocket; threads: ReadonlySet<string> | null } = { socket, threads: null };
    let heardFrom = this.#seq;
    this.#sockets.add(client);
    socket.on("close", () => this.#sockets.delete(client));
    socket.on("message", (data) => {
      const command = JSON.parse(String(data)) as { type: string; threadIds?: string[]; since?: number; bootId?: string };
      if (command.type === "ping") return socket.send('{"type":"pong"}');
      if (command.type !== "subscribe") return;
      const old = client.threads;
      client.threads = new Set(command.threadIds);
      const missed =
        command.since === undefined || command.bootId !== this.#bootId
          ? []
          : this.#log.filter((e) => e.seq > (command.since ?? 0) && wants(client.threads, e) && !(e.seq > heardFrom && wants(old, e)));
      heardFrom = command.since ?? this.#seq;
      for (const event of missed) socket.send(JSON.stringify(event));
      socket.send(
        JSON.stringify({
          type: "subscribed",
          threadIds: [...(client.threads ?? [])],
          seq: this.#seq,
          bootId: this.#bootId,
          replayed: missed.length,
        }),
      );
    });
    socket.send(JSON.stringify({ type: "ready", threadId: null, seq: this.#seq, bootId: this.#bootId }));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://local");
    if (!url.pathname.startsWith("/api")) return this.#file(url.pathname, response);
    const body = request.method === "POST" ? ((await json(request)) as Record<string, unknown>) : {};
    if (url.pathname === "/api/auth/sign-in") {
      this.signedIn = body["code"] === this.code;
      return this.signedIn
        ? send(response, 200, this.#me())
        : send(response, 401, { status: "error", code: "bad_code", message: "This link was used already or is too old." });
    }
    if (!this.signedIn) return send(response, 401, { status: "error", code: "signed_out", message: "Sign in first." });
    const [status, answer] = await this.#route(`${request.method} ${url.pathname}`, url, body);
    send(response, status, answer);
  }

  async #route(key: string, url: URL, body: Record<string, unknown>): Promise<[number, unknown]> {
    const page = fixedAnswers[key];
    if (page !== undefined) return [200, this.poison(page)];
    const listed = this.lists.answer(key, url, body);
    if (listed !== undefined) return [listed[0], this.poison(listed[1])];
    const id = decodeURIComponent(url.pathname.split("/")[3] ?? "");
    const session = this.sessions.get(id);
    if (key === "GET /api/auth/me") return [200, this.#me()];
    if (key === "POST /api/auth/sign-out") {
      this.signedIn = false;
      return [200, { status: "ok" }];
    }
    if (key === "GET /api/sessions") return this.#list(url);
    if (key === "POST /api/account/login/start") {
      this.keys.push(String(body["apiKey"]));
      return [200, { type: "apiKey" }];
    }
    if (key === "GET /api/git") return [200, { repository: { root: url.searchParams.get("cwd"), branch: "main", sha: "1f" } }];
    if (key === "GET /api/projects") return [200, { data: this.projects }];
    if (key === "POST /api/projects") return this.#newProject(body);
    if (key === "GET /api/pending") return [200, { data: [...this.pending.values()] }];
    if (key === "POST /api/sessions") return this.#start(body);
    if (key.startsWith("POST /api/requests/") && key.endsWith("/keep")) return this.#keep(id);
    if (key.startsWith("POST /api/requests/")) return this.#answer(id, body);
    if (session === undefined) return [404, { status: "not_found", sessionId: id, message: "No such session." }];
    if (key.startsWith("GET ") && key.endsWith("/turns")) return this.#page(session, url);
    const ofRepository = gitAnswer(key, url, session);
    if (ofRepository !== undefined) return [200, this.poison(ofRepository)];
    if (key.endsWith("/diff")) return this.#diff(id, url.searchParams.get("turnId"));
    if (key.endsWith("/messages")) return this.#send(session, body);
    if (key.endsWith("/interrupt")) {
      this.emit("noop", id, {});
      this.notify(id, "turn/completed", { turn: { id: session.activeTurnId, items: [], status: "interrupted" } });
      this.update(id, { state: "idle", activeTurnId: null, lastTurnStatus: "interrupted" });
      return [200, { status: "ok", sessionId: id, turnId: session.activeTurnId }];
    }
    if (key.endsWith("/rename")) this.update(id, { title: String(body["title"]) });
    else if (key.endsWith("/unarchive")) this.update(id, { archived: false });
    else if (key.endsWith("/archive")) this.update(id, { archived: true });
    else if (key.endsWith("/project")) this.update(id, { projectId: body["projectId"] as string | null });
    else if (key.endsWith("/session-controls")) this.update(id, { sessionControls: body["controls"] as SessionSummary["sessionControls"] });
    else if (key.startsWith("DELETE /api/sessions/") && key.includes("/queue/")) {
      this.queue.set(
        id,
        (this.queue.get(id) ?? []).filter((q) => !key.endsWith(q.messageId)),
      );
      this.emit("queue_updated", id, { sessionId: id, queue: this.queue.get(id) });
    } else if (key.startsWith("DELETE ")) {
      this.sessions.delete(id);
      this.emit("session_deleted", id, {
        status: "deleted",
        sessionId: id,
        title: session.title,
        message: "deleted",
        deletedAt: new Date().toISOString(),
      });
    } else if (key.endsWith("/files")) {
      const query = url.searchParams.get("query") ?? "";
      const all = ["src/limiter/token-bucket.ts", "src/limiter/window.ts", "README.md", "package.json", "src/http/server.ts"];
      return [
        200,
        this.poison({
          data: all
            .filter((p) => p.includes(query))
            .map((p) => ({ path: p, name: path.basename(p), root: session.cwd, isDirectory: false })),
        }),
      ];
    }
    return [200, { status: "ok", sessionId: id, session: this.sessions.get(id), thread: {} }];
  }

  #me(): unknown {
    return {
      scope: "admin",
      device: {
        deviceId: "d1",
        name: "Chrome on Linux",
        scope: "admin",
        createdAt: new Date().toISOString(),
        lastSeenAt: new Date().toISOString(),
        expiresAt: new Date().toISOString(),
        current: true,
      },
    };
  }

  #list(url: URL): [number, unknown] {
    const archived = url.searchParams.get("archived") === "true";
    const all = [...this.sessions.values()].filter((s) => s.archived === archived).sort((a, b) => b.updatedAt - a.updatedAt);
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const limit = Number(url.searchParams.get("limit") ?? 100);
    const next = from + limit < all.length ? String(from + limit) : null;
    return [200, { data: all.slice(from, from + limit), nextCursor: next, archived, seq: this.#seq, bootId: this.#bootId }];
  }

  #newProject(body: Record<string, unknown>): [number, unknown] {
    const project = {
      projectId: crypto.randomUUID(),
      name: String(body["name"]),
      workingDirectory: (body["workingDirectory"] as string | null) ?? null,
      createdAt: "",
      updatedAt: "",
    };
    this.projects = [...this.projects, project];
    this.emit("project_upserted", null, project);
    return [200, { status: "ok", project }];
  }

  #start(body: Record<string, unknown>): [number, unknown] {
    const first = [...this.sessions.values()][0];
    if (first === undefined) return [500, {}];
    const fresh: SessionSummary = {
      ...first,
      sessionId: crypto.randomUUID(),
      title: "New session",
      preview: "",
      materialized: false,
      cwd: String(body["cwd"] ?? first.cwd),
      updatedAt: Math.floor(Date.now() / 1000),
      state: "idle",
      activeTurnId: null,
      projectId: null,
    };
    this.sessions.set(fresh.sessionId, fresh);
    this.turns.set(fresh.sessionId, []);
    this.emit("session_upserted", fresh.sessionId, fresh);
    return [200, { session: fresh, thread: {} }];
  }

  #page(session: SessionSummary, url: URL): [number, unknown] {
    const all = [...(this.turns.get(session.sessionId) ?? [])].reverse();
    const from = Number(url.searchParams.get("cursor") ?? 0);
    const limit = Number(url.searchParams.get("limit") ?? 50);
    return [
      200,
      {
        data: all.slice(from, from + limit),
        nextCursor: from + limit < all.length ? String(from + limit) : null,
        session,
        plan: this.plans.get(session.sessionId) ?? null,
        diffs: this.diffs.get(session.sessionId) ?? {},
        notices: [],
        tokenUsage: this.usage.get(session.sessionId) ?? null,
        queue: this.queue.get(session.sessionId) ?? [],
        seq: this.#seq,
        bootId: this.#bootId,
      },
    ];
  }

  #diff(sessionId: string, turnId: string | null): [number, unknown] {
    const diffs = this.diffs.get(sessionId) ?? {};
    const diff = turnId === null ? Object.values(diffs).join("") : (diffs[turnId] ?? "");
    return [200, { sessionId, scope: turnId === null ? "session" : "turn", turnId, diff, inexact: [], truncated: false }];
  }

  #send(session: SessionSummary, body: Record<string, unknown>): [number, unknown] {
    const messageId = String(body["clientMessageId"] ?? crypto.randomUUID());
    const input = (body["input"] ?? []) as UserInput[];
    const accepted = (delivery: string): [number, unknown] => [
      202,
      { status: "accepted", sessionId: session.sessionId, turnId: null, messageId, delivery },
    ];
    if (this.#seen.has(messageId)) return accepted("started");
    this.#seen.add(messageId);
    this.messages.push({ sessionId: session.sessionId, body });
    if (body["delivery"] === "queue" && session.activeTurnId != null) {
      const text = input.flatMap((p) => (p.type === "text" ? [p.text] : [])).join("\n");
      this.queue.set(session.sessionId, [
        ...(this.queue.get(session.sessionId) ?? []),
        { messageId, input, text, createdAt: new Date().toISOString(), by: { kind: "device", name: "You" } },
      ]);
      this.emit("queue_updated", session.sessionId, { sessionId: session.sessionId, queue: this.queue.get(session.sessionId) });
      return accepted("queued");
    }
    const turnId = session.activeTurnId;
    if (turnId != null) {
      const item = { type: "userMessage", id: `u-${messageId}`, content: input, clientId: messageId };
      for (const method of ["item/started", "item/completed"]) this.notify(session.sessionId, method, { turnId, item });
      return accepted("steered");
    }
    setImmediate(() => this.onMessage(session.sessionId, input, messageId));
    return accepted("started");
  }

  #keep(requestId: string): [number, unknown] {
    const request = this.pending.get(requestId);
    return request === undefined ? [404, { status: "not_found", requestId }] : [200, this.ask({ ...request, expiresAt: null })];
  }

  async #answer(requestId: string, body: Record<string, unknown>): Promise<[number, unknown]> {
    const request = this.pending.get(requestId);
    if (request === undefined) return [404, { status: "not_found", requestId }];
    if (request.status === "responding") return [409, { status: "conflict", code: "in_flight", requestId }];
    this.answers.push({ requestId, body });
    setImmediate(() => this.onAnswer(request, body));
    return [200, { status: "ok", requestId, threadId: request.threadId }];
  }

  async #file(pathname: string, response: ServerResponse): Promise<void> {
    const name = path.extname(pathname) === "" ? "/index.html" : path.posix.normalize(pathname);
    try {
      const data = await readFile(path.join(this.#web, name));
      response.writeHead(200, {
        "content-type": types[path.extname(name)] ?? "application/octet-stream",
        "content-security-policy": contentPolicy,
        "x-content-type-options": "nosniff",
      });
      response.end(data);
    } catch {
      response.writeHead(404).end();
    }
  }
}

function wants(threads: ReadonlySet<string> | null, event: Event): boolean {
  return threads === null || event.type !== "notification" || (event.threadId !== null && threads.has(event.threadId));
}

async function json(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString() || "{}");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

const effort = (name: string, description: string): unknown => ({ reasoningEffort: name, description });
const model = (id: string, displayName: string, description: string, isDefault: boolean): unknown => ({
  id,
  model: id,
  displayName,
  description,
  isDefault,
  hidden: false,
  defaultReasoningEffort: "medium",
  supportedReasoningEfforts: [effort("low", "Quick answers"), effort("medium", "A good balance"), effort("high", "Thinks longer")],
});

const fixedAnswers: Record<string, unknown> = {
  "GET /api/models": {
    data: [
      model("gpt-5.6-codex", "GPT-5.6 Codex", "Best for code", true),
      model("qwen3-coder", "Qwen 3 Coder", "Runs on your own machine", false),
    ],
    nextCursor: null,
  },
  "GET /api/skills": {
    data: [
      {
        cwd: "",
        errors: [],
        skills: [
          { name: "review", description: "Reviews a change with care", enabled: true, path: "/skills/review/SKILL.md", scope: "user" },
          { name: "release-notes", description: "Writes release notes", enabled: true, path: "/skills/notes/SKILL.md", scope: "repo" },
        ],
      },
    ],
  },
  "GET /api/capabilities": {
    status: "ok",
    runtime: { userAgent: "parley", offlineTour: false, remote: false, cwd: "/home/ada/projects/tidepool", fleet: true },
    methods: {},
    details: {},
    features: {},
  },
  "GET /api/fleet": {
    workers: [
      { name: "host-1", state: "up", threads: 12, labels: ["gpu", "eu-west"] },
      { name: "host-2", state: "draining", threads: 2, labels: [] },
      { name: "host-3", state: "lost", threads: 0, labels: ["gpu"] },
    ],
    threads: { live: 14, active: 5, waiting: 1 },
  },
  "GET /api/account": { requiresOpenaiAuth: true, account: { type: "chatgpt", email: "ada@example.org", planType: "pro" } },
  "GET /api/account/rate-limits": {
    rateLimits: {
      primary: { usedPercent: 34, windowDurationMins: 300, resetsAt: 1_800_000_000 },
      secondary: { usedPercent: 71, windowDurationMins: 10_080, resetsAt: 1_800_100_000 },
    },
  },
  "GET /api/mcp/servers": {
    data: [
      {
        name: "deploys",
        authStatus: "oAuth",
        resources: [],
        resourceTemplates: [],
        tools: { deploy: { name: "deploy", description: "Puts a version live", inputSchema: {} } },
        runtimeStatus: "connected",
      },
      {
        name: "calendar",
        authStatus: "notLoggedIn",
        resources: [],
        resourceTemplates: [],
        tools: {},
        runtimeStatus: "authenticationRequired",
      },
    ],
    nextCursor: null,
  },
  "GET /api/devices": {
    data: [
      {
        deviceId: "d1",
        name: "Chrome on Linux",
        scope: "admin",
        createdAt: "2026-11-15T08:00:00Z",
        lastSeenAt: "2026-11-15T09:00:00Z",
        expiresAt: "2026-12-15T08:00:00Z",
        current: true,
      },
      {
        deviceId: "d2",
        name: "Safari on iOS",
        scope: "approve",
        createdAt: "2026-11-14T08:00:00Z",
        lastSeenAt: "2026-11-15T07:12:00Z",
        expiresAt: "2026-12-14T08:00:00Z",
        current: false,
      },
    ],
  },
  "POST /api/auth/links": {
    url: "http://127.0.0.1:4180/#sign-in=3f9a-77c2",
    code: "3f9a-77c2",
    scope: "drive",
    expiresAt: "2026-11-15T09:10:00Z",
  },
  "GET /api/rules": {
    writable: true,
    file: "/home/ada/.codex/rules/default.rules",
    data: [
      { ruleId: "r1", pattern: ["npm", "test"], decision: "allow", file: "", line: 3, editable: true, expiresAt: null },
      {
        ruleId: "r2",
        pattern: ["git", ["push", "fetch"]],
        decision: "prompt",
        file: "",
        line: 4,
        editable: true,
        expiresAt: "2026-12-01T00:00:00Z",
      },
      {
        ruleId: "r3",
        pattern: ["rm", "-rf"],
        decision: "forbidden",
        justification: "Never on this machine",
        file: "",
        line: 9,
        editable: false,
        expiresAt: null,
      },
    ],
  },
  "GET /api/audit": {
    nextBefore: null,
    data: [
      {
        seq: 3,
        at: "2026-11-15T08:59:10Z",
        type: "request_resolved",
        by: { kind: "device", name: "Chrome on Linux" },
        threadId: "s1",
        requestId: "x",
        summary: "npm test -- limiter",
        decision: "accept",
        outcome: "resolved",
      },
      {
        seq: 2,
        at: "2026-11-15T08:42:00Z",
        type: "request_resolved",
        by: { kind: "device", name: "Safari on iOS" },
        threadId: "s1",
        requestId: "y",
        summary: "git push --force",
        decision: "decline",
        outcome: "resolved",
      },
      {
        seq: 1,
        at: "2026-11-15T08:40:00Z",
        type: "request_resolved",
        by: { kind: "timeout", name: "time-out" },
        threadId: "s2",
        requestId: "z",
        summary: "npm publish",
        decision: "decline",
        outcome: "expired",
      },
    ],
  },
};

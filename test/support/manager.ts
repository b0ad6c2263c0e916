/** A whole manager for a test: over a real engine with a scripted model, or over an engine that the test plays itself. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { WebSocket } from "ws";
import { fits } from "../../src/lib/schema.ts";
import { createApp } from "../../src/main/compose.ts";
import { connectLocally, serveLocally } from "../../src/main/local-connection.ts";
import type { Engine } from "../../src/manager/engine.ts";
import { StreamMessage } from "../../src/manager/events.ts";
import type { Fleet } from "../../src/manager/fleet.ts";
import { Manager } from "../../src/manager/manager.ts";
import { createPages } from "../../src/manager/pages.ts";
import { type Served, serveManager } from "../../src/manager/server.ts";
import { RpcError } from "../../src/protocol/errors.ts";
import { Peer } from "../../src/rpc/peer.ts";
import { memoryPair } from "../../src/rpc/transport.ts";

export const adminToken = "an-administrators-token-for-tests";

export interface TestManager {
  readonly backend: Manager;
  readonly served: Served;
  readonly url: string;
  readonly folder: string;
  /** The folder that sessions work in. */
  readonly workspace: string;
  readonly warnings: string[];
  /** A call with the administrator's token, unless other headers are given. */
  call(
    key: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>;
  stream(query?: string): Promise<TestStream>;
  close(): Promise<void>;
}

export interface TestStream {
  readonly messages: Record<string, unknown>[];
  send(message: unknown): void;
  /** The first matching message, already received or still to come. */
  until(wanted: (message: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  close(): void;
}

export interface ManagerOptions {
  readonly engine: Engine;
  readonly folder: string;
  readonly workspace: string;
  readonly page?: string;
  readonly port?: number;
  readonly pushHosts?: readonly string[];
  readonly fleet?: Fleet | undefined;
  onClose?(): Promise<void>;
}

export async function startManager(options: ManagerOptions): Promise<TestManager> {
  const warnings: string[] = [];
  const manager = new Manager({
    engine: options.engine,
    folder: path.join(options.folder, "manager"),
    version: "0.0.0",
    fileToken: adminToken,
    pushHosts: options.pushHosts ?? [],
    fleet: options.fleet,
    warn: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
  });
  await manager.start();
  const served = await serveManager({
    manager,
    pages: createPages(options.page ?? path.join(options.folder, "none")),
    host: "127.0.0.1",
    port: options.port ?? 0,
    allowedHosts: [],
  });
  return {
    backend: manager,
    served,
    url: served.url,
    folder: options.folder,
    workspace: options.workspace,
    warnings,
    call: (key, body, headers = { authorization: `Bearer ${adminToken}` }) => call(served.url, key, body, headers),
    stream: (query = "") => openStream(`${served.url.replace("http", "ws")}/api/stream${query}`),
    async close() {
      await served.close();
      manager.close();
      await options.onClose?.();
    },
  };
}

async function call(url: string, key: string, body: unknown, headers: Readonly<Record<string, string>>): ReturnType<TestManager["call"]> {
  const [method = "GET", route = "/"] = key.split(" ");
  const response = await fetch(url + route, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // A page or an export: the body is plain text.
  }
  return {
    status: response.status,
    body: (typeof parsed === "object" && parsed !== null ? parsed : { text }) as Record<string, unknown>,
    headers: response.headers,
  };
}

function openStream(url: string): Promise<TestStream> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${adminToken}` } });
  const messages: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let unfit: string | undefined;
  socket.on("message", (data) => {
    const message = JSON.parse(String(data)) as Record<string, unknown>;
    if (!fits(StreamMessage(), message)) unfit ??= String(data);
    messages.push(message);
    for (const check of waiting) check();
  });
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("unexpected-response", (_, response) => reject(new Error(`status ${response.statusCode}`)));
    socket.on("open", () =>
      resolve({
        messages,
        send: (message) => socket.send(typeof message === "string" ? message : JSON.stringify(message)),
        until: (wanted) =>
          new Promise((found, late) => {
            const timer = setTimeout(() => late(new Error(`no such event; received ${messages.map((m) => m["type"]).join(", ")}`)), 60_000);
            const check = (): void => {
              if (unfit !== undefined) late(new Error(`a frame that is not in the description: ${unfit.slice(0, 400)}`));
              const message = messages.find(wanted);
              if (message === undefined) return;
              clearTimeout(timer);
              waiting.delete(check);
              found(message);
            };
            waiting.add(check);
            check();
          }),
        close: () => socket.terminate(),
      }),
    );
  });
}

/** Requests a websocket upgrade by hand and returns the response: the status and, if refused, the message. */
export function askUpgrade(url: string, at: string, headers: Readonly<Record<string, string>>): Promise<Upgrade> {
  const opening = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  return new Promise((resolve, reject) => {
    const request = http.get(url + at, { headers: { ...opening, ...headers }, agent: false });
    request.on("error", reject);
    request.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, body: {} });
    });
    request.on("response", async (response) => {
      const text = (await response.toArray()).join("");
      resolve({ status: response.statusCode ?? 0, body: (text === "" ? {} : JSON.parse(text)) as Record<string, unknown> });
    });
  });
}
export interface Upgrade {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export function scratchFolder(): { folder: string; workspace: string; remove(): void } {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-manager-")));
  const workspace = path.join(folder, "workspace");
  mkdirSync(workspace);
  return { folder, workspace, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The real engine, in this process, with a scripted model. `config` is added to its config.toml. */
export function realEngine(folder: string, workspace: string, scenario: string, config = ""): { engine: Engine; close(): Promise<void> } {
  const home = path.join(folder, "home");
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, "scenario.yaml"), scenario);
  const file = path.join(home, "config.toml");
  const asks = config.includes("default_mode_request_user_input") ? "" : "features.default_mode_request_user_input = true\n";
  const usual = `model_provider = "scripted"\nmodel_providers.scripted.options.scenario = "scenario.yaml"\n${asks}`;
  // A restarted engine reads what was written into its config meanwhile.
  if (!existsSync(file)) writeFileSync(file, usual + config);
  const ignore = (): void => {};
  const app = createApp({
    codexHome: home,
    log: {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (message, fields) => process.emitWarning(`${message} ${JSON.stringify(fields)}`),
    },
    env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, PARLEY_CHECK_WIRE: "1" },
  });
  app.subscriptions.listening = true;
  const engine: Engine = {
    remote: false,
    cwd: workspace,
    connect: async () => connectLocally(app),
    serve: async (transport) => serveLocally(app, transport),
    whyNoModel: () => undefined,
    credentials: () => ({ file: false, key: false }),
  };
  return { engine, close: () => app.close() };
}

type Answer = (params: Record<string, unknown>) => unknown;

/** An engine controlled by the test: it sends the responses and requests that the test chooses. */
export class PlayedEngine implements Engine {
  readonly remote: boolean;
  readonly cwd = "/work";
  readonly calls: { method: string; params: Record<string, unknown> }[] = [];
  readonly answers = new Map<string | number, unknown>();
  /** What waits in its one thread. */
  readonly queued: Record<string, unknown>[] = [];
  /** Called after each answer to one of the engine's requests. */
  onAnswer: (id: string | number) => void = () => {};
  readonly #methods = new Map<string, Answer>();
  #peer: Peer | undefined;

  constructor(remote = false) {
    this.remote = remote;
    this.on("initialize", () => ({ userAgent: "played/1", codexHome: "/played/home", platformFamily: "unix", platformOs: "linux" }));
    this.on("thread/loaded/list", () => ({ data: [], nextCursor: null }));
    this.on("thread/settings/update", () => ({}));
    this.on("thread/queue/list", () => ({ data: [...this.queued], nextCursor: null }));
    this.on("thread/queue/add", ({ input, clientUserMessageId }) => {
      const queuedSubmission = { id: `q-${clientUserMessageId}`, input, clientUserMessageId };
      this.queued.push(queuedSubmission);
      return { queuedSubmission };
    });
    this.on("thread/queue/update", ({ queuedSubmissionId, input }) => {
      const queuedSubmission = this.queued.find(({ id }) => id === queuedSubmissionId);
      if (queuedSubmission !== undefined) queuedSubmission["input"] = input;
      return { queuedSubmission };
    });
    this.on("thread/queue/reorder", () => ({}));
    this.on("thread/queue/delete", ({ queuedSubmissionId }) => {
      const at = this.queued.findIndex(({ id }) => id === queuedSubmissionId);
      if (at >= 0) this.queued.splice(at, 1);
      return { deleted: at >= 0 };
    });
  }

  whyNoModel(): string | undefined {
    return undefined;
  }
  credentials(): { file: boolean; key: boolean } {
    return { file: true, key: false };
  }
  on(method: string, answer: Answer): this {
    this.#methods.set(method, answer);
    return this;
  }
  /** The response it would give. */
  answer(method: string, params: Record<string, unknown>): unknown {
    const answer = this.#methods.get(method);
    if (answer === undefined) throw new RpcError(-32_601, `method not found: ${method}`);
    return answer(params);
  }
  async connect() {
    const [near, far] = memoryPair();
    this.#peer = new Peer(far, {
      request: (method, params) => {
        const given = (typeof params === "object" && params !== null ? params : {}) as Record<string, unknown>;
        this.calls.push({ method, params: given });
        return this.answer(method, given);
      },
      notification: () => {},
      answer: (id, outcome) => {
        this.answers.set(id, "error" in outcome ? { error: outcome.error.message } : outcome.result);
        this.onAnswer(id);
      },
      closed: () => {},
    });
    return near;
  }
  async serve() {}
  notify(method: string, params: unknown): void {
    this.#peer?.notify(method, params);
  }
  ask(id: string | number, method: string, params: unknown): void {
    this.#peer?.send(JSON.stringify({ id, method, params }));
  }
  hangUp(): void {
    this.#peer?.close();
  }
}

export function threadOf(id: string, part: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    sessionId: id,
    preview: "A question",
    name: null,
    ephemeral: false,
    modelProvider: "played",
    createdAt: 1,
    updatedAt: 2,
    status: { type: "idle" },
    path: null,
    cwd: "/work",
    cliVersion: "0",
    source: "vscode",
    projectId: null,
    turns: [],
    ...part,
  };
}

export const openedWith = (thread: Record<string, unknown>): Record<string, unknown> => ({
  thread,
  model: "played",
  modelProvider: "played",
  cwd: "/work",
  approvalPolicy: "untrusted",
  approvalsReviewer: "user",
  sandbox: { type: "readOnly", networkAccess: false },
  reasoningEffort: null,
});

/** An editor, made with the official SDK's client side, in front of our agent in the same process. */
import {
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type ReadTextFileRequest,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
  type WriteTextFileRequest,
} from "@agentclientprotocol/sdk/unstable";
import { createAgent } from "../../src/adapters/acp/agent.ts";
import { createApp } from "../../src/main/compose.ts";
import { connectInProcess } from "../../src/main/in-process.ts";
import { StandInTerminals } from "./acp-terminals.ts";
import { type StageOptions, writeHome } from "./verifies.ts";

export interface EditorOptions extends StageOptions {
  readonly permit?: (request: RequestPermissionRequest) => string | undefined | Promise<string | undefined>;
  readonly fill?: (request: CreateElicitationRequest) => CreateElicitationResponse;
  readonly clientCapabilities?: ClientCapabilities;
  /** A file's content in the editor. */
  readonly shows?: (request: ReadTextFileRequest) => string;
  /** Takes a file's new content into the editor. */
  readonly takes?: (request: WriteTextFileRequest) => void;
  readonly terminals?: StandInTerminals;
}

export interface Editor extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly updates: SessionNotification[];
  readonly asked: RequestPermissionRequest[];
  readonly initialized: Awaited<ReturnType<typeof initialize>>;
  /** Updates of one kind, oldest first. */
  of<K extends SessionUpdate["sessionUpdate"]>(kind: K): Extract<SessionUpdate, { sessionUpdate: K }>[];
  /** The text of all chunks of one kind. */
  text(kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk"): string;
  until(fits: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  session(cwd: string): Promise<string>;
  prompt(sessionId: string, text: string, signal?: AbortSignal): Promise<string>;
}

const initialize = (agent: ClientContext, clientCapabilities: ClientCapabilities) =>
  agent.request("initialize", { protocolVersion: 1, clientCapabilities, clientInfo: { name: "editor", version: "1" } });

function raise(error: Error): never {
  throw error;
}

/** Without a config the home is used as it is, as after a restart. */
export async function editor(home: string, options: EditorOptions | undefined): Promise<Editor> {
  if (options !== undefined) writeHome(home, options);
  const { permit, fill, shows, takes, terminals = new StandInTerminals(), clientCapabilities = {} } = options ?? {};
  const app = createApp({
    codexHome: home,
    log: strictLog,
    env: { PATH: process.env["PATH"], HOME: home, CODEX_HOME: home, PARLEY_CHECK_WIRE: "1" },
  });
  const updates: SessionNotification[] = [];
  const asked: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  const connection = client()
    .onNotification("session/update", ({ params }) => {
      updates.push(params);
      for (const check of [...waiting]) check();
    })
    .onRequest("session/request_permission", async ({ params }): Promise<RequestPermissionResponse> => {
      asked.push(params);
      const optionId = await permit?.(params);
      return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
    })
    .onRequest("fs/read_text_file", ({ params }) => ({ content: shows?.(params) ?? raise(RequestError.resourceNotFound(params.path)) }))
    .onRequest("fs/write_text_file", ({ params }) => {
      takes?.(params);
      return {};
    })
    .onRequest("terminal/create", ({ params }) => terminals.create(params))
    .onRequest("terminal/output", ({ params }) => terminals.output(params.terminalId))
    .onRequest("terminal/wait_for_exit", ({ params }) => terminals.waitForExit(params.terminalId))
    .onRequest("terminal/kill", ({ params }) => terminals.kill(params.terminalId))
    .onRequest("terminal/release", ({ params }) => terminals.release(params.terminalId))
    .onRequest("elicitation/create", ({ params }) => fill?.(params) ?? { action: "decline" })
    .connect(
      createAgent({
        version: "1",
        connect: (clientInfo, capabilities) => connectInProcess(app, { clientInfo, capabilities, connection: { keepsUnused: true } }),
      }),
    );
  const { agent } = connection;
  const initialized = await initialize(agent, clientCapabilities);
  const of = <K extends SessionUpdate["sessionUpdate"]>(kind: K) =>
    updates.map(({ update }) => update).filter((update) => update.sessionUpdate === kind) as Extract<SessionUpdate, { sessionUpdate: K }>[];
  return {
    agent,
    updates,
    asked,
    initialized,
    of,
    text: (kind) =>
      of(kind)
        .map(({ content }) => (content.type === "text" ? content.text : ""))
        .join(""),
    until: (fits) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = updates.find(({ update }) => fits(update));
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found.update);
        };
        waiting.add(check);
        check();
      }),
    session: async (cwd) => (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId,
    prompt: async (sessionId, text, signal) => {
      const cancel = signal === undefined ? {} : { cancellationSignal: signal };
      return (await agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, cancel)).stopReason;
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      await app.close();
      terminals.close();
    },
  };
}

const ignore = (): void => {};
const strictLog = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: (message: string, fields?: unknown) => {
    throw new Error(`the server logged an error: ${message} ${JSON.stringify(fields)}`);
  },
};

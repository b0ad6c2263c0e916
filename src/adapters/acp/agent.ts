/** Agent Client Protocol (ACP) adapter: translates an editor's requests into calls of the engine's client. */

import path from "node:path";
import {
  type AgentApp,
  type AgentContext,
  type AuthMethod,
  agent,
  type ClientCapabilities,
  type McpServer,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk/unstable";
import type { Client } from "../../client/client.ts";
import { invalidRequest, RpcError } from "../../protocol/errors.ts";
import type { InitializeParams } from "../../protocol/initialize.ts";
import type { ThreadStartParams, ThreadStartResponse } from "../../protocol/thread.ts";
import { childrenIn } from "../agent-children.ts";
import { editorTools, readInEditor } from "./editor-files.ts";
import { listSessions } from "./listing.ts";
import { availableCommands } from "./prompt.ts";
import { askUser, passOn, permitCommand, permitEdit, permitSandboxAccess } from "./questions.ts";
import { AcpSession, PromptFailed } from "./session.ts";
import type { EditorTerminals } from "./terminals.ts";

export interface AgentOptions {
  readonly version: string;
  /** Connects to the engine on behalf of the named editor. */
  readonly connect: (
    editor: { readonly name: string; readonly title: string | null; readonly version: string },
    capabilities: NonNullable<InitializeParams["capabilities"]>,
  ) => Promise<Client>;
}

/** State of one editor connection. */
interface AgentState {
  client: Client | undefined;
  capabilities: ClientCapabilities;
  readonly sessions: Map<string, AcpSession>;
  /** Parent thread ids of subagent threads, by thread id. */
  readonly parents: Map<string, string>;
  /** Sessions that are being opened. Until they are open, notifications of their threads are held back and their requests wait. */
  readonly openings: Set<Promise<unknown>>;
  held: { readonly threadId: string; readonly method: string; readonly params: unknown }[];
}

/** Serves one editor. */
export function createAgent(options: AgentOptions): AgentApp {
  const state: AgentState = { client: undefined, capabilities: {}, sessions: new Map(), parents: new Map(), openings: new Set(), held: [] };
  const engine = (): Client => state.client ?? raise(RequestError.invalidRequest(undefined, "initialize comes first"));
  const session = (id: string): AcpSession => state.sessions.get(id) ?? raise(RequestError.sessionNotFound(id));

  const app = agent({ name: "parley" })
    .onConnect(({ signal }) => signal.addEventListener("abort", () => state.client?.close(), { once: true }))
    .onRequest("initialize", async ({ params }) => {
      const { name, title, version } = params.clientInfo ?? { name: "acp_client", version: "0" };
      state.capabilities = params.clientCapabilities ?? {};
      state.client?.close();
      const extensions = { parley: { terminals: state.capabilities.terminal === true } };
      state.client = await options.connect({ name, title: title ?? null, version }, { experimentalApi: true, extensions });
      listen(state.client, state);
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "parley", title: "Parley", version: options.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {}, archive: {}, title: {}, additionalDirectories: {} },
          auth: { logout: {} },
        },
        authMethods: await authMethodsFor(state.capabilities, state.client),
      };
    })
    .onRequest("authenticate", async ({ params }) => {
      const methods = await authMethodsFor(state.capabilities, engine());
      if (!methods.some(({ id }) => id === params.methodId))
        throw RequestError.invalidParams(undefined, `there is no way to sign in named ${params.methodId}`);
      await requireAccount(engine());
      return {};
    })
    .onRequest("logout", async () => {
      await withAcpErrors(engine().call("account/logout", {}));
      return {};
    })
    .onRequest("session/new", async ({ params, client }) => {
      await requireAccount(engine());
      const start = engine().call("thread/start", { ...settingsFrom(params), dynamicTools: editorTools(state.capabilities) });
      const opened = await open(start, { state, editor: client, replay: false });
      return { sessionId: opened.sessionId, modes: opened.modes, configOptions: opened.configOptions };
    })
    .onRequest("session/load", async ({ params, client }) => {
      const opened = await open(resume(params, engine()), { state, editor: client, replay: true });
      return { modes: opened.modes, configOptions: opened.configOptions };
    })
    .onRequest("session/resume", async ({ params, client }) => {
      const opened = await open(resume(params, engine()), { state, editor: client, replay: false });
      return { modes: opened.modes, configOptions: opened.configOptions };
    })
    .onRequest("session/set_mode", async ({ params }) => {
      if (!(await withAcpErrors(session(params.sessionId).setMode(params.modeId))))
        throw RequestError.invalidParams(undefined, `there is no mode named ${params.modeId}`);
      return {};
    })
    .onRequest("session/set_config_option", async ({ params }) => {
      const { configId, value, sessionId } = params;
      if (!(await withAcpErrors(session(sessionId).setOption({ configId, value }))))
        throw RequestError.invalidParams(undefined, `the option ${configId} has no value ${value}`);
      return { configOptions: session(sessionId).configOptions };
    })
    .onRequest("session/prompt", async ({ params, signal }) => ({
      stopReason: await withAcpErrors(session(params.sessionId).prompt(params.prompt, signal)),
    }))
    .onNotification("session/cancel", async ({ params }) => {
      await state.sessions.get(params.sessionId)?.cancel();
    });
  return withStoredSessions(app, state, engine);
}

/** Session management for the editor: list, fork, rename, archive, delete. */
function withStoredSessions(app: AgentApp, state: AgentState, engine: () => Client): AgentApp {
  return app
    .onRequest("session/list", async ({ params }) => {
      return await withAcpErrors(listSessions(engine(), params));
    })
    .onRequest("session/fork", async ({ params, client }) => {
      const { sessionId: threadId } = params;
      const fork = withAcpErrors(engine().call("thread/fork", { ...settingsFrom(params), threadId }), threadId);
      const opened = await open(fork, { state, editor: client, replay: false });
      return { sessionId: opened.sessionId, modes: opened.modes, configOptions: opened.configOptions };
    })
    .onRequest("session/set_title", async ({ params }) => {
      const { sessionId: threadId } = params;
      const title = params.title.replace(/\s+/g, " ").trim();
      if (title === "") throw RequestError.invalidParams(undefined, "title: must not be empty");
      await withAcpErrors(engine().call("thread/name/set", { threadId, name: title }), threadId);
      return { title };
    })
    .onRequest("session/archive", async ({ params: { sessionId: threadId } }) => {
      await state.sessions.get(threadId)?.cancel();
      state.sessions.delete(threadId);
      await withAcpErrors(doneAlready(engine(), threadId, engine().call("thread/archive", { threadId })), threadId);
      return {};
    })
    .onRequest("session/unarchive", async ({ params: { sessionId: threadId } }) => {
      await withAcpErrors(doneAlready(engine(), threadId, engine().call("thread/unarchive", { threadId })), threadId);
      return {};
    })
    .onRequest("session/close", async ({ params }) => {
      const closing = state.sessions.get(params.sessionId) ?? raise(RequestError.sessionNotFound(params.sessionId));
      await closing.cancel();
      state.sessions.delete(params.sessionId);
      await withAcpErrors(engine().call("thread/unsubscribe", { threadId: params.sessionId }));
      return {};
    })
    .onRequest("session/delete", async ({ params }) => {
      await state.sessions.get(params.sessionId)?.cancel();
      state.sessions.delete(params.sessionId);
      await withAcpErrors(engine().call("thread/delete", { threadId: params.sessionId }), params.sessionId);
      return {};
    });
}

/** Succeeds if the session is already in the requested state, provided that it exists. */
async function doneAlready(client: Client, threadId: string, moving: Promise<unknown>): Promise<void> {
  try {
    await moving;
  } catch (error) {
    if (!(error instanceof RpcError) || !isUnknown(error)) throw error;
    await client.call("thread/read", { threadId, includeTurns: false });
  }
}

function raise(error: Error): never {
  throw error;
}

/** Signing in uses our own command in a terminal; with a key in the environment nothing needs to be done. */
async function authMethodsFor({ auth }: ClientCapabilities, client: Client): Promise<AuthMethod[]> {
  const key = {
    id: "environment",
    name: "API key",
    description: "Set OPENAI_API_KEY, or the key of another provider, and start again.",
  };
  if (auth?.terminal !== true) return [key];
  const { data } = await withAcpErrors(client.call("account/provider/list", {}));
  const terminal = (id: string, name: string, args: string[]): AuthMethod => ({
    ...{ type: "terminal", id, name, args },
    description: `Runs \`parley ${args.join(" ")}\`.`,
  });
  return [
    terminal("login", "ChatGPT account", ["login"]),
    ...data.map(({ id, name }) => terminal(`login-${id}`, name, ["login", id])),
    key,
  ];
}

async function requireAccount(client: Client): Promise<void> {
  const { account, requiresOpenaiAuth } = await withAcpErrors(client.call("account/read", {}));
  if (account !== null || !requiresOpenaiAuth) return;
  const { noModel } = await withAcpErrors(client.call("account/provider/list", {}));
  throw RequestError.authRequired(undefined, noModel ?? undefined);
}

/** Translates the engine's refusals and failures into ACP errors. */
async function withAcpErrors<T>(work: Promise<T>, sessionId?: string): Promise<T> {
  return await work.catch((error: unknown) => {
    if (error instanceof PromptFailed && error.error?.codexErrorInfo === "unauthorized")
      throw RequestError.authRequired(undefined, error.message);
    if (error instanceof PromptFailed) throw new RequestError(-32603, error.message, error.error?.additionalDetails ?? undefined);
    if (error instanceof RpcError && sessionId !== undefined && isUnknown(error)) throw RequestError.sessionNotFound(sessionId);
    if (error instanceof RpcError) throw new RequestError(error.code === -32600 ? -32602 : error.code, error.message, error.data);
    throw error;
  });
}

const isUnknown = ({ message }: RpcError): boolean =>
  /^(?:no (?:archived )?rollout found|thread not (?:found|loaded)|invalid (?:thread|session) id)/.test(message);

interface Opening {
  readonly cwd: string;
  readonly mcpServers?: readonly McpServer[];
  readonly additionalDirectories?: readonly string[];
}

function settingsFrom({
  cwd,
  mcpServers,
  additionalDirectories,
}: Opening): Pick<ThreadStartParams, "cwd" | "config" | "runtimeWorkspaceRoots"> {
  if (!path.isAbsolute(cwd)) throw RequestError.invalidParams(undefined, `cwd must be an absolute path, not ${cwd}`);
  const servers = Object.fromEntries((mcpServers ?? []).map((server) => [server.name.replace(/[^A-Za-z0-9_-]/g, "_"), serverFrom(server)]));
  return {
    cwd,
    config: Object.keys(servers).length === 0 ? {} : { mcp_servers: servers },
    runtimeWorkspaceRoots:
      additionalDirectories === undefined || additionalDirectories.length === 0 ? null : [cwd, ...additionalDirectories],
  };
}

/** Translates an MCP server of the editor's settings into our config entry. */
function serverFrom(server: McpServer): object {
  const pairs = (list: readonly { name: string; value: string }[]): Record<string, string> =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if (!("type" in server)) return { command: server.command, args: server.args, env: pairs(server.env) };
  if (server.type === "http") return { url: server.url, http_headers: pairs(server.headers) };
  throw RequestError.invalidParams(
    undefined,
    `the MCP server ${server.name} uses SSE, which this agent does not support; use its streamable HTTP address`,
  );
}

async function resume(params: Opening & { readonly sessionId: string }, client: Client): Promise<ThreadStartResponse> {
  const { sessionId: threadId } = params;
  return await withAcpErrors(client.call("thread/resume", { ...settingsFrom(params), threadId }), threadId);
}

interface OpenOptions {
  readonly state: AgentState;
  readonly editor: AgentContext;
  /** Whether to replay the earlier turns to the editor. */
  readonly replay: boolean;
}

async function open(thread: Promise<ThreadStartResponse>, options: OpenOptions): Promise<AcpSession> {
  const { state } = options;
  const opening = enter(thread, options);
  state.openings.add(opening);
  try {
    return await withAcpErrors(opening);
  } finally {
    state.openings.delete(opening);
    if (state.openings.size === 0) state.held = [];
  }
}

async function enter(thread: Promise<ThreadStartResponse>, { state, editor, replay }: OpenOptions): Promise<AcpSession> {
  const client = state.client ?? raise(RequestError.invalidRequest());
  const [answer, { data: models }] = await Promise.all([thread, client.call("model/list", {})]);
  const opened = new AcpSession(answer, { client, editor, capabilities: state.capabilities, models });
  const replayed = opened.replay(replay ? answer.thread.turns : []);
  state.sessions.set(opened.sessionId, opened);
  for (const { threadId, method, params } of state.held) if (threadId === opened.sessionId) opened.receive(method, params);
  await replayed;
  // Sent after the response, because the editor learns the session id from the response.
  setImmediate(() => void opened.update({ sessionUpdate: "available_commands_update", availableCommands }));
  return opened;
}

/** Routes notifications and requests of a thread, and of its subagent threads, to the thread's session. */
function listen(client: Client, state: AgentState): void {
  const { sessions, parents, openings } = state;
  const owner = (threadId: string): AcpSession | undefined => {
    const parent = parents.get(threadId);
    return sessions.get(threadId) ?? (parent === undefined ? undefined : owner(parent));
  };
  const sessionFor = async (threadId: string): Promise<AcpSession> => {
    if (owner(threadId) === undefined) await Promise.allSettled(openings);
    return owner(threadId) ?? raise(invalidRequest("no editor has this session open"));
  };
  client.onAny((method, params) => {
    const { threadId } = params as { threadId?: string | null };
    // Server-wide warnings go to every session: an editor has no other place for them.
    if (method === "warning" && threadId === null) for (const session of sessions.values()) session.receive(method, params);
    for (const { id, parentId } of childrenIn(method, params)) parents.set(id, parentId);
    if (threadId === undefined || threadId === null) return;
    const session = sessions.get(threadId);
    if (session !== undefined) session.receive(method, params);
    else if (openings.size > 0) state.held.push({ threadId, method, params });
  });
  client.answer("item/commandExecution/requestApproval", async (params) => permitCommand(params, await sessionFor(params.threadId)));
  client.answer("item/fileChange/requestApproval", async (params) => {
    const session = await sessionFor(params.threadId);
    return await permitEdit(params, session, (file) => session.readText(file));
  });
  client.answer("item/permissions/requestApproval", async (params) => permitSandboxAccess(params, await sessionFor(params.threadId)));
  client.answer("item/tool/requestUserInput", async (params) => askUser(params, await sessionFor(params.threadId)));
  client.answer("item/tool/call", async (params) => readInEditor(params, await sessionFor(params.threadId)));
  client.answer("terminal/create", async (params) => (await sessionFor(params.threadId)).createTerminal(params));
  const terminals = async ({ threadId }: { threadId: string }): Promise<EditorTerminals> => (await sessionFor(threadId)).terminals;
  client.answer("terminal/output", async (params) => (await terminals(params)).output(params.terminalId));
  client.answer("terminal/waitForExit", async (params) => (await terminals(params)).waitForExit(params.terminalId));
  client.answer("terminal/kill", async (params) => (await terminals(params)).kill(params.terminalId));
  client.answer("terminal/release", async (params) => (await terminals(params)).release(params.terminalId));
  client.answer("mcpServer/elicitation/request", async (params) => passOn(params, await sessionFor(params.threadId)));
}

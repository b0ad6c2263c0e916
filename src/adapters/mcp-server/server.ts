/** The MCP server for one connection, or for one request in the stateless mode: two tools, served by the official SDK. */
import type {
  CallToolRequest,
  CallToolResult,
  ClientCapabilities,
  InputRequest,
  InputRequiredResult,
  McpRequestContext,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { Listener, Question, ToolCall } from "./call.ts";
import type { Elicitation } from "./questions.ts";
import type { RunningCalls } from "./running-calls.ts";
import { askFrom, tools } from "./tools.ts";

export interface ServerOptions {
  readonly calls: RunningCalls;
  readonly version: string;
  /** The user agent of model requests, on behalf of all clients. */
  readonly userAgent: string;
}

/** People may take long to answer; a question ends with its call at the latest. */
const answerTimeoutMs = 2 ** 31 - 1;
/** How long a call waits for its client to return with the answers. */
const abandonedAfterMs = 10 * 60_000;

/** Contract: the SDK has been loaded, so that the factory can be called synchronously. */
export function createServer(
  sdk: typeof import("@modelcontextprotocol/server"),
  options: ServerOptions,
  { era }: McpRequestContext,
): Server {
  const info = { name: "codex-mcp-server", title: "Codex", version: options.version, user_agent: options.userAgent };
  const server = new sdk.Server(info, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", (request, context) => {
    const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
    const capabilities = (envelope[sdk.CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined) ?? server.getClientCapabilities();
    const canAsk = capabilities?.elicitation !== undefined;
    return era === "modern" ? inRounds(sdk, request, context, { ...options, canAsk }) : inOneGo(request, context, { ...options, canAsk });
  });
  return server;
}

type Serving = ServerOptions & { readonly canAsk: boolean };

/** Sends questions as separate requests while the call waits. */
async function inOneGo({ params }: CallToolRequest, context: ServerContext, { calls, canAsk }: Serving): Promise<CallToolResult> {
  const { signal } = context.mcpReq;
  const listener = listenerFrom(context, (question) => void elicit(question, context));
  const call = calls.start(askFrom(params.name, params.arguments), listener, canAsk);
  return await endWith(signal, call, call.finished);
}

/** Accepts any object as an answer; the question interprets it. */
const anyAnswer = {
  "~standard": { version: 1 as const, vendor: "parley", validate: (value: unknown) => ({ value }) },
};

async function elicit({ elicitation, answer }: Question, { mcpReq }: ServerContext): Promise<void> {
  const options = { signal: mcpReq.signal, timeout: answerTimeoutMs };
  await mcpReq.send({ method: "elicitation/create", params: { ...elicitation } }, anyAnswer, options).then(answer, () => answer(undefined));
}

/**
 * A question ends the request with what is asked; the client returns with the answers and continues the same call. The call's id authorizes
 * this, because it cannot be guessed.
 */
async function inRounds(
  { inputRequired }: typeof import("@modelcontextprotocol/server"),
  { params }: CallToolRequest,
  context: ServerContext,
  { calls, canAsk }: Serving,
): Promise<CallToolResult | InputRequiredResult> {
  const { mcpReq } = context;
  const asked = Promise.withResolvers<undefined>();
  const listener = listenerFrom(context, () => asked.resolve(undefined));
  const state = mcpReq.requestState();
  const known = typeof state === "string" ? calls.find(state) : undefined;
  if (state !== undefined && known === undefined)
    return { content: [{ type: "text", text: "this call does not run any more; go on with codex-reply" }], isError: true };
  for (const [id, answer] of Object.entries(mcpReq.inputResponses ?? {})) known?.answer(id, answer);
  const call = known ?? calls.start(askFrom(params.name, params.arguments), listener, canAsk);
  known?.attach(listener);
  const result = await endWith(mcpReq.signal, call, Promise.race([call.finished, asked.promise]));
  if (result !== undefined) return result;
  call.detach(abandonedAfterMs);
  return inputRequired({
    inputRequests: Object.fromEntries(call.questions.map(({ id, elicitation }) => [id, requestFrom(elicitation)])),
    requestState: call.id,
  });
}

/** A cancelled request or a closed connection stops the call. */
async function endWith<T>(signal: AbortSignal, call: ToolCall, outcome: Promise<T>): Promise<T> {
  const stop = (): void => call.stop();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await outcome;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function listenerFrom({ mcpReq }: ServerContext, asked: (question: Question) => void): Listener {
  return {
    requestId: mcpReq.id,
    progressToken: mcpReq._meta?.progressToken,
    notify: (method, params) => void mcpReq.notify({ method, params }).catch(() => {}),
    asked,
  };
}

const requestFrom = (elicitation: Elicitation): InputRequest =>
  ({ method: "elicitation/create", params: { mode: "form", ...elicitation } }) as unknown as InputRequest;

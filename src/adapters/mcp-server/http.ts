/** The MCP server over streamable HTTP: sessions for current clients, single requests for clients of the stateless revision. */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { isIPv4 } from "node:net";
import type { McpServerFactory, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { sparing } from "../../lib/allowance.ts";
import { toError } from "../../lib/error-text.ts";
import { randomUuid } from "../../lib/random.ts";
import { type AccessRules, hostRule, refuseRequest, refuseToken } from "../../rpc/http-access.ts";
import { startListening } from "../../rpc/websocket.ts";
import { KeptEvents } from "./kept-events.ts";

type Sdk = typeof import("@modelcontextprotocol/server");
type McpTransport = WebStandardStreamableHTTPServerTransport;

export interface HttpOptions extends AccessRules {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly allowedHosts?: readonly string[] | undefined;
  readonly factory: McpServerFactory;
  readonly report: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface HttpListener {
  readonly url: string;
  close(): Promise<void>;
}

/** A prompt may contain whole files. */
const maxBodyBytes = 16 * 1024 * 1024;
const maxSessions = 256;
const idleSessionMs = 60 * 60_000;
const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, connectionsCheckingInterval: 2000 };

/** Contract: the caller has ensured that an address reachable from other machines always has `checkToken`. */
export async function listenHttp(given: HttpOptions): Promise<HttpListener> {
  const options = { ...given, report: sparing(given.report) };
  const [{ createServer }, { getRequestListener }, sdk] = await Promise.all([
    import("node:http"),
    import("@hono/node-server"),
    import("@modelcontextprotocol/server"),
  ]);
  const sessions = new Sessions(sdk, options);
  const stateless = sdk.createMcpHandler(options.factory, {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
    onerror: reporter(options),
  });
  const serve = getRequestListener(
    async (request) => {
      const isOfSession = await sdk.isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes });
      return isOfSession ? await sessions.serve(request) : await stateless.fetch(request);
    },
    { overrideGlobalObjects: false },
  );
  const isOwnHost = hostRule(options.host, options.allowedHosts ?? []);
  const server = createServer(limits, (request, response) => {
    const failed = (error: unknown): void => {
      reporter(options)(toError(error));
      response.destroy();
    };
    try {
      if (admit(request, response, options, isOwnHost)) serve(request, response).catch(failed);
    } catch (error) {
      failed(error);
    }
  });
  server.maxConnections = 1024;
  await startListening(server, () => server.listen({ host: options.host, port: options.port }), options.report);
  const close = async (): Promise<void> => {
    await Promise.all([sessions.close(), stateless.close()]);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://${isIPv4(options.host) ? options.host : `[${options.host}]`}:${portOf(server)}/mcp`, close };
}

function portOf(server: HttpServer): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

const reporter =
  ({ report }: HttpOptions) =>
  (error: Error): void =>
    report("mcp request failed", { reason: error.message });

/** Rejects unauthorized requests and requests that are not MCP. A session id proves nothing: the token is checked on every request. */
function admit(request: IncomingMessage, response: ServerResponse, options: HttpOptions, isOwnHost: (host: string) => boolean): boolean {
  const { origin } = request.headers;
  const refused = refuseRequest(request, options, isOwnHost);
  const cors = refused === undefined && origin !== undefined ? corsFor(origin) : {};
  const end = (status: number, headers: Record<string, string> = {}): false => {
    response.writeHead(status, { "content-length": "0", ...cors, ...headers }).end();
    return false;
  };
  if (refused !== undefined) {
    options.report("mcp client refused", { status: refused.status, why: refused.why, from: request.socket.remoteAddress });
    return end(refused.status, { connection: "close" });
  }
  const path = request.url?.split("?", 1)[0];
  if (path === "/healthz" || path === "/readyz") return end(200);
  if (request.method === "OPTIONS" && origin !== undefined) return end(204);
  const unknown = refuseToken(request, options.checkToken);
  if (unknown !== undefined) {
    options.report("mcp client refused", { status: unknown.status, why: unknown.why, from: request.socket.remoteAddress });
    return end(unknown.status, { "www-authenticate": "Bearer", connection: "close" });
  }
  if (path !== "/mcp" && path !== "/") return end(404);
  for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
  return true;
}

/** Only for origins that the user allowed by name; others get no CORS headers. */
const corsFor = (origin: string): Record<string, string> => ({
  "access-control-allow-origin": origin,
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name",
  "access-control-expose-headers": "mcp-session-id",
  vary: "origin",
});

interface Session {
  readonly transport: McpTransport;
  usedAt: number;
}

class Sessions {
  readonly #sdk: Sdk;
  readonly #options: HttpOptions;
  readonly #open = new Map<string, Session>();

  constructor(sdk: Sdk, options: HttpOptions) {
    this.#sdk = sdk;
    this.#options = options;
  }

  async serve(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : this.#open.get(id);
    if (known !== undefined) {
      known.usedAt = performance.now();
      return await known.transport.handleRequest(request);
    }
    if (id !== null) return refusal(404, "Session not found");
    const transport = await this.#begin();
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await transport.close(); // it was not an initialize request
    return response;
  }
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ transport }) => transport.close()));
  }

  async #begin(): Promise<McpTransport> {
    await this.#evictUnused();
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUuid(),
      eventStore: new KeptEvents(),
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized: (id) => {
        this.#open.set(id, { transport, usedAt: performance.now() });
      },
    });
    const server = await this.#options.factory({ era: "legacy" });
    await server.connect(transport);
    const { onclose } = transport;
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#open.delete(transport.sessionId);
      onclose?.();
    };
    return transport;
  }

  /** Clients often disappear without closing their session: evicts the least recently used ones. */
  async #evictUnused(): Promise<void> {
    const now = performance.now();
    const byAge = [...this.#open.values()].sort((a, b) => a.usedAt - b.usedAt);
    const old = byAge.filter(({ usedAt }, i) => now - usedAt > idleSessionMs || byAge.length - i >= maxSessions);
    await Promise.all(old.map(({ transport }) => transport.close()));
  }
}

const refusal = (status: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code: -32001, message }, id: null }, { status });

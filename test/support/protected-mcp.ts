/** An MCP server over HTTP that requires sign-in, with its own authorization server, at one loopback address. */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Server as McpServer, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

export interface ProtectedOptions {
  /** Without it no sign-in is required. */
  readonly signIn?: boolean;
  /** Redirects MCP requests to this address. */
  readonly redirectTo?: string;
  /** An access token's lifetime in seconds. */
  readonly lifetime?: number;
  /** The authorization page named in the metadata. */
  readonly authorizePage?: string;
  /** The authorization server named in the metadata. */
  readonly authority?: string;
}

export class ProtectedMcp implements AsyncDisposable {
  readonly #options: ProtectedOptions;
  readonly #server: Server;
  readonly #valid = new Map<string, number>();
  readonly #challenges = new Map<string, string>();
  readonly grants: string[] = [];
  readonly headers: IncomingMessage["headers"][] = [];
  origin = "";

  constructor(options: ProtectedOptions = {}) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }
  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    this.origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    return this;
  }
  get url(): string {
    return `${this.origin}/mcp`;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
  /** Revokes every access token issued so far. */
  expire(): void {
    this.#valid.clear();
  }
  /** Acts as the user's browser: approves, and follows the redirect back. */
  async visit(address: string): Promise<number> {
    const page = await fetch(address, { redirect: "manual" });
    return (await fetch(page.headers.get("location") ?? "")).status;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", this.origin);
    const json = (status: number, body: object, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    if (url.pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json(200, { resource: this.url, authorization_servers: [this.#options.authority ?? this.origin] });
    if (url.pathname.startsWith("/.well-known/")) return json(200, this.#metadata());
    if (url.pathname === "/register") return json(201, { ...JSON.parse(await body(request)), client_id: "client-1" });
    if (url.pathname === "/authorize") return this.#authorize(url.searchParams, response);
    if (url.pathname === "/token") return this.#token(new URLSearchParams(await body(request)), json);
    if (url.pathname !== "/mcp") return json(404, {});
    this.headers.push(request.headers);
    if (this.#options.redirectTo !== undefined) return void response.writeHead(307, { location: this.#options.redirectTo }).end();
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (this.#options.signIn === true && (this.#valid.get(token) ?? 0) < Date.now())
      return json(401, {}, { "www-authenticate": `Bearer resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"` });
    await getRequestListener(answerMcp, { overrideGlobalObjects: false })(request, response);
  }

  #metadata(): object {
    const { origin } = this;
    return {
      issuer: origin,
      authorization_endpoint: this.#options.authorizePage ?? `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
    };
  }
  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    this.#challenges.set(code, query.get("code_challenge") ?? "");
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("code", code);
    back.searchParams.set("state", query.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  }
  #token(form: URLSearchParams, json: (status: number, body: object) => void): void {
    const grant = form.get("grant_type") ?? "";
    this.grants.push(grant);
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (grant === "authorization_code" && this.#challenges.get(form.get("code") ?? "") !== proof)
      return json(400, { error: "invalid_grant" });
    const access = randomUUID();
    const seconds = this.#options.lifetime ?? 3600;
    this.#valid.set(access, Date.now() + seconds * 1000);
    json(200, { access_token: access, token_type: "Bearer", refresh_token: "again", expires_in: seconds });
  }
}

async function body(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** Stateless: one server for each request. */
async function answerMcp(request: Request): Promise<Response> {
  const server = new McpServer({ name: "protected", version: "1" }, { capabilities: { tools: {} } });
  const tool = {
    name: "whoami",
    description: "Says who is there.",
    inputSchema: { type: "object" as const },
    annotations: { readOnlyHint: true },
  };
  server.setRequestHandler("tools/list", () => ({ tools: [tool] }));
  server.setRequestHandler("tools/call", () => ({ content: [{ type: "text", text: "you are signed in" }] }));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  return await transport.handleRequest(request);
}

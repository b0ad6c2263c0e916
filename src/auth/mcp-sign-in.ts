/** Signing in to MCP servers: the MCP library's browser flow with our own credential storage. */
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type { ConfigSource, McpServerConfig } from "../core/ports/config.ts";
import type { McpScope, McpServers } from "../core/ports/mcp.ts";
import { boundedResponse } from "../lib/bounded-response.ts";
import { errorMessage } from "../lib/error-text.ts";
import { headersFromCommand } from "../lib/headers-from-command.ts";
import { refusePrivateTarget } from "../lib/private-network.ts";
import { randomUuid } from "../lib/random.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { McpAuthStatus } from "../protocol/mcp.ts";
import { openCallback } from "./callback-server.ts";
import { createMcpCredentials, type McpCredential, type McpCredentials } from "./mcp-credentials.ts";
import { createState } from "./oauth.ts";
import type { OpenKeyring } from "./storage.ts";

export interface McpSignIn {
  /** Present only if credentials are stored: a server without them must not start a sign-in by itself. */
  authFor(config: McpServerConfig): OAuthClientProvider | undefined;
  authStatus(config: McpServerConfig): McpAuthStatus;
  readonly login: McpServers["login"];
  /** Returns whether there was anything to remove. */
  logout(config: McpServerConfig): Promise<boolean>;
  /** Cancels the sign-ins that are still waiting for a browser. */
  close(): void;
}

export interface McpSignInOptions {
  readonly codexHome: string;
  readonly config: ConfigSource;
  readonly openKeyring?: OpenKeyring;
  /** Timeout of one request to the server's issuer. */
  readonly requestMs?: number;
}

const loginTimeoutMs = 10 * 60 * 1000;
const usualRequestMs = 30_000;
/** Metadata, registrations and tokens are short; longer responses are rejected. */
const maxAnswerBytes = 1024 * 1024;
/** Maximum length of the issuer's error message. */
const maxMessageLength = 2000;
const callbackPath = "/callback";

export function createMcpSignIn(options: McpSignInOptions): McpSignIn {
  const settings = () => options.config.effective(options.codexHome).raw;
  const mode = () => {
    const store = settings()["mcp_oauth_credentials_store"];
    return store === "file" || store === "keyring" ? store : "auto";
  };
  const kept = createMcpCredentials(options.codexHome, mode, options.openKeyring);
  const port = (): number => {
    const chosen = settings()["mcp_oauth_callback_port"];
    return typeof chosen === "number" ? chosen : 0;
  };
  const closed = new AbortController();
  return {
    authFor: (config) => {
      const url = addressOf(config);
      return url === undefined || !kept.has(config.name, url) ? undefined : new KeptSignIn(config, url, kept);
    },
    authStatus: (config) => statusOf(config, kept),
    login: async (scope, server, scopes) =>
      await login(serverIn(scope, server), scopes, {
        ...{ kept, port: port(), closed: closed.signal, requestMs: options.requestMs ?? usualRequestMs },
      }),
    close: () => closed.abort(),
    async logout(config) {
      const url = addressOf(config);
      return url !== undefined && (await kept.remove(config.name, url));
    },
  };
}

const addressOf = ({ transport }: McpServerConfig): string | undefined => (transport.type === "http" ? transport.url : undefined);

function statusOf(config: McpServerConfig, kept: McpCredentials): McpAuthStatus {
  const { transport } = config;
  if (transport.type === "stdio") return "unsupported";
  if (transport.bearerTokenEnvVar !== undefined) return "bearerToken";
  return kept.has(config.name, transport.url) ? "oAuth" : "notLoggedIn";
}

function serverIn({ config }: McpScope, name: string): McpServerConfig {
  const server = Object.hasOwn(config.mcpServers, name) ? config.mcpServers[name] : undefined;
  if (server === undefined) throw invalidRequest(`No MCP server named '${name}' found.`);
  if (server.transport.type !== "http") throw invalidRequest("OAuth login is only supported for streamable HTTP servers.");
  return server;
}

interface LoginOptions {
  readonly kept: McpCredentials;
  readonly port: number;
  readonly closed: AbortSignal;
  readonly requestMs: number;
}

async function login(
  server: McpServerConfig,
  scopes: readonly string[] | undefined,
  { kept, port, closed, requestMs }: LoginOptions,
): ReturnType<McpServers["login"]> {
  const { name, transport, scopes: usual } = server;
  const serverUrl = transport.type === "http" ? transport.url : "";
  const signal = AbortSignal.any([closed, AbortSignal.timeout(loginTimeoutMs)]);
  const state = createState();
  const wanted = (scopes ?? usual).join(" ");
  const { auth } = await import("@modelcontextprotocol/client");
  const ended = new AbortController();
  const registered = callbackOf(server);
  const callback = await openCallback(
    {
      port: registered.port ?? port,
      path: registered.path,
      state,
      redeem: async (authorizationCode, query) => {
        const iss = query.get("iss") ?? undefined;
        await auth(provider, { serverUrl, authorizationCode, fetchFn, ...(iss === undefined ? {} : { iss }) });
      },
    },
    AbortSignal.any([signal, ended.signal]),
  );
  const own = await gatewayHeaders(server, signal).catch((error: unknown) => {
    ended.abort();
    throw invalidRequest(`failed to sign in to MCP server '${name}': ${shortMessage(error)}`);
  });
  const fetchFn = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const why = refusePrivateTarget(new URL(url), new URL(serverUrl));
    if (why !== undefined) throw new Error(why);
    const within = AbortSignal.any([signal, AbortSignal.timeout(requestMs)]);
    // The issuer may be elsewhere, and what opens the gateway to the server is not for it.
    const headers = new Headers(new URL(url).origin === new URL(serverUrl).origin ? own : {});
    for (const [key, value] of new Headers(init?.headers)) headers.set(key, value);
    return boundedResponse(await fetch(url, { ...init, headers, redirect: "error", signal: within }), maxAnswerBytes);
  };
  const provider = new FreshSignIn(server, serverUrl, kept, {
    state,
    redirectUrl: `http://${registered.host}:${callback.port}${registered.path}`,
  });
  try {
    await auth(provider, { serverUrl, fetchFn, forceReauthorization: true, ...(wanted === "" ? {} : { scope: wanted }) });
  } catch (error) {
    ended.abort();
    throw invalidRequest(`failed to sign in to MCP server '${name}': ${shortMessage(error)}`);
  }
  const page = provider.authorizationUrl;
  if (page === undefined || !/^https?:$/.test(page.protocol)) {
    ended.abort();
    throw invalidRequest(
      page === undefined
        ? `MCP server '${name}' asks for no sign-in`
        : `MCP server '${name}' wants to open ${page.protocol}, which is not a web page`,
    );
  }
  const done = callback.done.then(
    () => ({ error: undefined }),
    (error: unknown) => ({ error: shortMessage(error) }),
  );
  return { url: page.href, loginId: randomUuid(), done };
}

/** The headers of the settings that the server's gateway wants with every request. */
async function gatewayHeaders({ transport }: McpServerConfig, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  if (transport.type !== "http") return {};
  const { httpHeadersHelper: helper, httpHeaders } = transport;
  return helper === undefined ? httpHeaders : { ...(await headersFromCommand(helper, signal)), ...httpHeaders };
}

/** Shortened, because the message repeats what the issuer sent, at any length. */
function shortMessage(error: unknown): string {
  const message = errorMessage(error);
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
}

/** The redirect address. A manually registered client may have its own. */
function callbackOf({ oauthClient }: McpServerConfig): { readonly host: string; readonly port: number | undefined; readonly path: string } {
  const url = new URL(oauthClient?.callbackUrl ?? `http://127.0.0.1${callbackPath}`);
  return { host: url.hostname, port: url.port === "" ? undefined : Number(url.port), path: url.pathname };
}

/** The client named in the settings, in the library's format. */
function namedClient({ oauthClient }: Pick<McpServerConfig, "oauthClient">): McpCredential["client"] {
  if (oauthClient === undefined) return undefined;
  return withoutUndefined({ client_id: oauthClient.id, client_secret: oauthClient.secret });
}

type NewTokens = Parameters<OAuthClientProvider["saveTokens"]>[0];

/** Shared by both flows: the stored tokens and registration, saved whenever the library renews them. */
class KeptSignIn implements OAuthClientProvider {
  readonly #name: string;
  readonly #url: string;
  readonly #kept: McpCredentials;
  readonly #named: McpCredential["client"];
  #discovered: OAuthDiscoveryState | undefined;
  readonly #resource: string | undefined;

  constructor(server: Pick<McpServerConfig, "name" | "oauthResource" | "oauthClient">, url: string, kept: McpCredentials) {
    const { name, oauthResource } = server;
    this.#name = name;
    this.#named = namedClient(server);
    this.#resource = oauthResource;
    this.#url = url;
    this.#kept = kept;
  }

  /** A token is for one server: that of the settings, else the one that the server names for itself, else its address. */
  async validateResourceURL(server: string | URL, named?: string): Promise<URL> {
    if (this.#resource !== undefined) return new URL(this.#resource);
    if (named === undefined) return new URL(server);
    const { checkResourceAllowed } = await import("@modelcontextprotocol/client");
    if (!checkResourceAllowed({ requestedResource: server, configuredResource: named }))
      throw new Error(`the server names the resource ${named}, which does not match its address ${String(server)}`);
    return new URL(named);
  }
  get redirectUrl(): string {
    return `http://127.0.0.1${callbackPath}`;
  }
  get clientMetadata(): OAuthClientProvider["clientMetadata"] {
    return {
      client_name: "Parley",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }
  async clientInformation(): Promise<McpCredential["client"]> {
    return this.#named ?? (await this.load())?.client;
  }
  async tokens(): Promise<McpCredential["tokens"]> {
    return (await this.load())?.tokens;
  }
  async saveTokens(tokens: NewTokens): Promise<void> {
    const before = await this.load();
    await this.save({ client: before?.client, tokens: { ...before?.tokens, ...withoutUndefined(tokens) } });
  }
  /** A connection without a user cannot sign in; the client shows that a sign-in is required. */
  redirectToAuthorization(_url: URL): void {
    throw new Error(`unauthorized: sign in to MCP server '${this.#name}' again`);
  }
  /** Binds the code to the issuer that it was requested from. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
  saveCodeVerifier(_verifier: string): void {}
  codeVerifier(): string {
    return "";
  }
  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const before = await this.load();
    if (scope === "all") await this.#kept.remove(this.#name, this.#url);
    else if (scope === "tokens") await this.save({ client: before?.client, tokens: undefined });
    else if (scope === "client") await this.save({ client: undefined, tokens: before?.tokens });
  }

  load(): Promise<McpCredential | undefined> {
    return this.#kept.load(this.#name, this.#url);
  }
  save(credential: McpCredential): Promise<void> {
    return this.#kept.save(this.#name, this.#url, credential);
  }
}

/** An interactive sign-in: remembers where to send the browser, and registers again each time because the local port differs. */
class FreshSignIn extends KeptSignIn {
  readonly #flow: { readonly state: string; readonly redirectUrl: string };
  #verifier = "";
  #client: McpCredential["client"];
  authorizationUrl: URL | undefined;

  constructor(server: McpServerConfig, url: string, kept: McpCredentials, flow: { readonly state: string; readonly redirectUrl: string }) {
    super(server, url, kept);
    this.#client = namedClient(server);
    this.#flow = flow;
  }
  override get redirectUrl(): string {
    return this.#flow.redirectUrl;
  }
  state(): string {
    return this.#flow.state;
  }
  override async clientInformation(): Promise<McpCredential["client"]> {
    return this.#client;
  }
  saveClientInformation(client: { client_id: string; client_secret?: string | undefined }): void {
    this.#client = withoutUndefined(client);
  }
  override async tokens(): Promise<undefined> {
    return undefined;
  }
  override async saveTokens(tokens: NewTokens): Promise<void> {
    await this.save({ client: this.#client, tokens: withoutUndefined(tokens) });
  }
  override redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }
  override saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  override codeVerifier(): string {
    return this.#verifier;
  }
  override async invalidateCredentials(): Promise<void> {}
}

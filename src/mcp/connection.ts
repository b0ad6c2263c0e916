/** One thread's connection to an MCP server: started on first use, restarted after a crash, every wait bounded. */
import type {
  CallToolResult,
  Client,
  ElicitRequest,
  ElicitResult,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  Tool,
  Transport,
} from "@modelcontextprotocol/client";
import type { McpServerConfig } from "../core/ports/config.ts";
import { Allowance } from "../lib/allowance.ts";
import { errorMessage } from "../lib/error-text.ts";
import { isBefore } from "../lib/passed.ts";
import { fingerprint } from "./clean.ts";

export type ConnectionState =
  | { readonly kind: "notStarted" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string; readonly needsLogin: boolean };

export interface ConnectionOptions {
  readonly config: McpServerConfig;
  readonly version: string;
  /** Creates the transport to the server; separate from this file so that secrets and environments are handled in one place. */
  readonly transport: () => Promise<Transport>;
  /** Forwards a request of the server to the subscribers. */
  readonly elicit: (request: ElicitRequest["params"], signal: AbortSignal) => Promise<ElicitResult>;
  readonly onState: (state: ConnectionState) => void;
  /** Tools whose definition has changed. */
  readonly onToolsChanged: (names: readonly string[]) => void;
  /** A list was truncated. */
  readonly onCut: (message: string) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

export interface Offered {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
}

export interface CallOptions {
  /** Sent with the call as its `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
}

/** Longer lists are rejected: a server could send pages endlessly. */
const maxPages = 50;
/** Maximum number of entries used from a server's lists. */
const maxTools = 512;
const maxResources = 1000;
/** Progress notifications above this rate are dropped. */
const progressPerSecond = 20;
/** How long to wait before restarting a server that failed to start or keeps exiting; doubled each time up to the maximum. */
const pauseMs = { first: 5000, last: 60_000 };

export class McpConnection {
  readonly #options: ConnectionOptions;
  #client: Promise<Client> | undefined;
  #starting: Client | undefined;
  #tools: Promise<readonly Tool[]> | undefined;
  /** Fingerprint of each tool's first definition. */
  readonly #known = new Map<string, string>();
  #closed = false;
  #failures = 0;
  #retryAt = 0;
  state: ConnectionState = { kind: "notStarted" };

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }
  get config(): McpServerConfig {
    return this.#options.config;
  }

  /**
   * Rejects with the reason if the server cannot be started in time, and with the last reason during the pause after a failure. `now` skips
   * the pause: for requests of people, not of models.
   */
  client(when: "now" | "later" = "later"): Promise<Client> {
    if (
      this.#client === undefined &&
      when === "later" &&
      this.state.kind === "failed" &&
      isBefore(this.#retryAt, pauseMs.last, this.#options.now())
    )
      return Promise.reject(new Error(this.state.reason));
    this.#client ??= this.#start().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** Announces the state to subscribers that joined after it started. */
  announceState(): void {
    this.#options.onState(this.state);
  }

  /** Something changed that may fix the server, such as a sign-in: the next use tries again. */
  clearFailures(): void {
    this.#failures = 0;
    this.#retryAt = 0;
  }

  /** The tools that the settings allow; cached until the server reports that they changed. */
  tools(when: "now" | "later" = "later"): Promise<readonly Tool[]> {
    this.#tools ??= this.#listTools(when).catch((error: unknown) => {
      this.#tools = undefined;
      throw error;
    });
    return this.#tools;
  }

  async offered(): Promise<Offered> {
    const client = await this.client("now");
    const has = client.getServerCapabilities()?.resources !== undefined;
    const options = { timeout: this.config.startupTimeoutMs };
    const [tools, resources, templates] = await Promise.all([
      this.tools("now"),
      has ? client.listResources({}, options).then((list) => this.#cut("resources", list.resources, maxResources)) : [],
      // Servers with resources often do not support templates, and respond with an error.
      has
        ? client.listResourceTemplates({}, options).then(
            (list) => this.#cut("resource templates", list.resourceTemplates, maxResources),
            () => [],
          )
        : [],
    ]);
    return { tools, resources, templates };
  }

  /** A tool that requires a page to be opened first is called again after the user has agreed to open it. */
  async call(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    try {
      return await this.#call(name, args, options);
    } catch (error) {
      const { UrlElicitationRequiredError } = await import("@modelcontextprotocol/client");
      if (!(error instanceof UrlElicitationRequiredError) || options.signal.aborted) throw error;
      for (const page of error.elicitations)
        if ((await this.#options.elicit({ ...page, mode: "url" }, options.signal)).action !== "accept")
          throw new Error("the tool wants a web page to be opened first, and the user did not agree", { cause: error });
      return await this.#call(name, args, options);
    }
  }

  async #call(name: string, args: Record<string, unknown>, options: CallOptions): Promise<CallToolResult> {
    const client = await this.client("now");
    const reports = new Allowance({ count: progressPerSecond, ms: 1000, now: this.#options.now });
    return await client.callTool(
      { name, arguments: args, ...(options.meta === undefined ? {} : { _meta: { ...options.meta } }) },
      {
        signal: options.signal,
        timeout: this.config.toolTimeoutMs,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress, total, message }) => {
          if (reports.take() !== undefined)
            options.onProgress(message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`));
        },
      },
    );
  }

  async read(uri: string): Promise<ReadResourceResult> {
    const client = await this.client("now");
    return await client.readResource({ uri }, { timeout: this.config.toolTimeoutMs });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#starting?.close().catch(() => {});
    const client = await this.#client?.catch(() => undefined);
    await client?.close().catch(() => {});
  }

  async #start(): Promise<Client> {
    if (this.#closed) throw new Error(`MCP server ${this.config.name} was closed`);
    this.#enter({ kind: "starting" });
    const { Client: ClientClass } = await import("@modelcontextprotocol/client");
    const client = new ClientClass(
      { name: "parley", title: "Parley", version: this.#options.version },
      { capabilities: { elicitation: { form: {}, url: {} } }, listMaxPages: maxPages },
    );
    client.setRequestHandler("elicitation/create", (request, context) => this.#options.elicit(request.params, context.mcpReq.signal));
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      this.#tools = undefined;
    });
    client.onerror = () => {}; // lines that are not messages; important errors reject their own request
    this.#starting = client;
    try {
      await within(this.#connect(client), this.config.startupTimeoutMs);
    } catch (error) {
      await client.close().catch(() => {});
      const failure = failureFrom(error, this.config);
      this.#pause();
      this.#enter({ kind: "failed", ...failure });
      throw new Error(failure.reason, { cause: error });
    } finally {
      this.#starting = undefined;
    }
    const startedAt = this.#options.now();
    client.onclose = () => this.#ended(startedAt);
    this.#enter({ kind: "ready" });
    return client;
  }

  async #connect(client: Client): Promise<void> {
    await client.connect(await this.#options.transport(), { timeout: this.config.startupTimeoutMs });
    if (this.#closed) throw new Error(`MCP server ${this.config.name} was closed`);
  }

  /** The process or the connection ended by itself: the next use restarts it, unless it keeps ending. */
  #ended(startedAt: number): void {
    this.#client = undefined;
    this.#tools = undefined;
    if (this.#closed) return;
    if (this.#options.now() - startedAt > pauseMs.last) this.clearFailures();
    else if (this.#failures++ > 0) this.#pause();
    this.#enter({ kind: "failed", reason: "the server ended unexpectedly; it is started again when it is needed", needsLogin: false });
  }
  #pause(): void {
    this.#retryAt = this.#options.now() + Math.min(pauseMs.first * 2 ** this.#failures, pauseMs.last);
    this.#failures++;
  }

  async #listTools(when: "now" | "later"): Promise<readonly Tool[]> {
    const client = await this.client(when);
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const { tools: all } = await client.listTools({}, { timeout: this.config.startupTimeoutMs });
    const { enabledTools, disabledTools } = this.config;
    const wanted = all.filter(
      (tool) => (enabledTools === undefined || enabledTools.includes(tool.name)) && !disabledTools.includes(tool.name),
    );
    const tools = this.#cut("tools", wanted, maxTools);
    this.#compare(tools);
    return tools;
  }

  #cut<T>(what: "tools" | "resources" | "resource templates", list: readonly T[], most: number): readonly T[] {
    if (list.length <= most) return list;
    const advice = what === "tools" ? "; name those you need in enabled_tools" : "";
    this.#options.onCut(`it offers ${list.length} ${what}, of which the first ${most} are used${advice}`);
    return list.slice(0, most);
  }

  #compare(tools: readonly Tool[]): void {
    const changed = tools.filter((tool) => {
      const now = fingerprint([tool.description, tool.inputSchema, tool.annotations]);
      const before = this.#known.get(tool.name);
      this.#known.set(tool.name, now);
      return before !== undefined && before !== now;
    });
    if (changed.length > 0) this.#options.onToolsChanged(changed.map(({ name }) => name));
  }

  #enter(state: ConnectionState): void {
    this.state = state;
    this.#options.onState(state);
  }
}

/** The failure as a helpful sentence; the message of an HTTP failure says little. */
function failureFrom(error: unknown, { name }: McpServerConfig): { readonly reason: string; readonly needsLogin: boolean } {
  const message = errorMessage(error);
  const status = error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : undefined;
  if (status === 401 || /^unauthorized:/.test(message))
    return { reason: `it wants a sign-in: use mcpServer/oauth/login or \`parley mcp login ${name}\``, needsLogin: true };
  return { reason: status === undefined ? message : `HTTP status ${status}: ${message}`, needsLogin: false };
}

/** The library's timeout starts with the request; a transport that never connects would wait forever. */
async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${ms / 1000} seconds`)), ms + 250);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

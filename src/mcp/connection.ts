/** One MCP server as one thread uses it: started when first needed, started again after a crash. */
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

export type ConnectionState =
  | { readonly kind: "notStarted" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string; readonly needsLogin: boolean };

export interface ConnectionOptions {
  readonly config: McpServerConfig;
  readonly version: string;
  /** Builds the way to the server; apart from this file so that secrets and environments live in one place. */
  readonly transport: () => Promise<Transport>;
  /** Passes a question of the server on to the people who watch. */
  readonly elicit: (request: ElicitRequest["params"], signal: AbortSignal) => Promise<ElicitResult>;
  readonly onState: (state: ConnectionState) => void;
}

export interface Offered {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
}

/** More than this of a list is not fetched: a server could go on for ever. */
const maxPages = 50;

export class McpConnection {
  readonly #options: ConnectionOptions;
  #client: Promise<Client> | undefined;
  #tools: Promise<readonly Tool[]> | undefined;
  #closed = false;
  state: ConnectionState = { kind: "notStarted" };

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }
  get config(): McpServerConfig {
    return this.#options.config;
  }

  /** Rejects with the reason when the server cannot be started in its time. */
  client(): Promise<Client> {
    this.#client ??= this.#start().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  /** The tools that the settings let through; asked for once, and again after the server says they changed. */
  tools(): Promise<readonly Tool[]> {
    this.#tools ??= this.#listTools().catch((error: unknown) => {
      this.#tools = undefined;
      throw error;
    });
    return this.#tools;
  }

  async offered(): Promise<Offered> {
    const client = await this.client();
    const has = client.getServerCapabilities()?.resources !== undefined;
    const [tools, resources, templates] = await Promise.all([
      this.tools(),
      has
        ? pages(
            (cursor) => client.listResources(cursor),
            (page) => page.resources,
          )
        : [],
      has
        ? pages(
            (cursor) => client.listResourceTemplates(cursor),
            (page) => page.resourceTemplates,
          )
        : [],
    ]);
    return { tools, resources, templates };
  }

  async call(
    name: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; onProgress: (message: string) => void },
  ): Promise<CallToolResult> {
    const client = await this.client();
    return await client.callTool(
      { name, arguments: args },
      {
        signal: options.signal,
        timeout: this.config.toolTimeoutMs,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress, total, message }) =>
          options.onProgress(message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)),
      },
    );
  }

  async read(uri: string): Promise<ReadResourceResult> {
    const client = await this.client();
    return await client.readResource({ uri }, { timeout: this.config.toolTimeoutMs });
  }

  async close(): Promise<void> {
    this.#closed = true;
    const client = await this.#client?.catch(() => undefined);
    await client?.close().catch(() => {});
  }

  async #start(): Promise<Client> {
    if (this.#closed) throw new Error(`MCP server ${this.config.name} was closed`);
    this.#enter({ kind: "starting" });
    const { Client: ClientClass } = await import("@modelcontextprotocol/client");
    const client = new ClientClass(
      { name: "parley", title: "Parley", version: this.#options.version },
      { capabilities: { elicitation: { form: {}, url: {} } } },
    );
    client.setRequestHandler("elicitation/create", (request, context) => this.#options.elicit(request.params, context.mcpReq.signal));
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      this.#tools = undefined;
    });
    try {
      await client.connect(await this.#options.transport(), { timeout: this.config.startupTimeoutMs });
    } catch (error) {
      await client.close().catch(() => {});
      const reason = error instanceof Error ? error.message : String(error);
      this.#enter({ kind: "failed", reason, needsLogin: /unauthori[sz]ed|401/i.test(reason) });
      throw new Error(reason, { cause: error });
    }
    client.onclose = () => this.#ended();
    this.#enter({ kind: "ready" });
    return client;
  }

  /** The process or the connection ended on its own: the next use starts it anew. */
  #ended(): void {
    this.#client = undefined;
    this.#tools = undefined;
    if (!this.#closed)
      this.#enter({ kind: "failed", reason: "the server ended unexpectedly; it is started again when it is needed", needsLogin: false });
  }

  async #listTools(): Promise<readonly Tool[]> {
    const client = await this.client();
    if (client.getServerCapabilities()?.tools === undefined) return [];
    const all = await pages(
      (cursor) => client.listTools(cursor, { timeout: this.config.startupTimeoutMs }),
      (page) => page.tools,
    );
    const { enabledTools, disabledTools } = this.config;
    return all.filter((tool) => (enabledTools === undefined || enabledTools.includes(tool.name)) && !disabledTools.includes(tool.name));
  }

  #enter(state: ConnectionState): void {
    this.state = state;
    this.#options.onState(state);
  }
}

async function pages<P extends { nextCursor?: string | undefined }, T>(
  fetch: (params: { cursor?: string }) => Promise<P>,
  rows: (page: P) => readonly T[],
): Promise<readonly T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let i = 0; i < maxPages; i++) {
    const page = await fetch(cursor === undefined ? {} : { cursor });
    all.push(...rows(page));
    cursor = page.nextCursor;
    if (cursor === undefined) break;
  }
  return all;
}

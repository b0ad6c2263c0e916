/** All MCP connections: one set for each thread, made with its first turn, and one for looking around without a thread. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Audience } from "../core/ports/audience.ts";
import type { McpServerConfig } from "../core/ports/config.ts";
import type { McpScope, McpServers } from "../core/ports/mcp.ts";
import type { Offer, Tool, ToolContext } from "../core/ports/tool.ts";
import { internalError, invalidRequest } from "../protocol/errors.ts";
import type { McpAuthStatus, McpServerStatus } from "../protocol/mcp.ts";
import { ToolGrants } from "./approval.ts";
import { type ConnectionState, McpConnection } from "./connection.ts";
import { elicit } from "./elicitation.ts";
import { mcpTool, resourceTools } from "./tools.ts";
import { transportFor } from "./transport.ts";

export interface McpOptions {
  readonly audience: Audience;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stored sign-ins of HTTP servers. */
  readonly authFor: (config: McpServerConfig) => OAuthClientProvider | undefined;
  readonly authStatus: (config: McpServerConfig) => McpAuthStatus;
  readonly login: McpServers["login"];
  readonly logout: McpServers["logout"];
}

/** The connections of one thread, or of nobody. */
interface Circle {
  readonly threadId: string | undefined;
  readonly connections: Map<string, McpConnection>;
  /** The call that a server serves right now: its thread's people are asked when the server asks. */
  readonly serving: Map<string, ToolContext>;
  /** The settings the connections were made from, and whether they must be compared again. */
  made: string;
  stale: boolean;
}

const nobody = "";

export function createMcpServers(options: McpOptions): McpServers {
  const circles = new Map<string, Circle>();
  const grants = new ToolGrants();

  async function circleFor(scope: McpScope): Promise<Circle> {
    const key = scope.threadId ?? nobody;
    const known = circles.get(key) ?? { threadId: scope.threadId, connections: new Map(), serving: new Map(), made: "", stale: true };
    circles.set(key, known);
    const wanted = JSON.stringify(scope.config.mcpServers);
    if (known.made === wanted && !known.stale) return known;
    await renew(known, scope, options);
    known.made = wanted;
    known.stale = false;
    return known;
  }

  const require = async (scope: McpScope, name: string): Promise<McpConnection> => {
    const connection = (await circleFor(scope)).connections.get(name);
    if (connection === undefined) throw invalidRequest(`No MCP server named '${name}' found.`);
    return connection;
  };
  const reach = async <T>(work: Promise<T>, name: string): Promise<T> =>
    await work.catch((error: unknown) => {
      throw internalError(`MCP server ${name}: ${error instanceof Error ? error.message : String(error)}`);
    });

  return {
    tools: {
      async tools(offer) {
        if (Object.keys(offer.config.mcpServers).length === 0) return [];
        const circle = await circleFor({ threadId: offer.threadId, config: offer.config, cwd: offer.settings.cwd });
        return await toolsOf(circle, grants, offer, options);
      },
    },
    async statuses(scope, { detail, serverName }) {
      const circle = await circleFor(scope);
      const chosen = [...circle.connections.values()].filter((c) => serverName === undefined || c.config.name === serverName);
      return await Promise.all(chosen.map((connection) => statusOf(connection, detail, options)));
    },
    async readResource(scope, server, uri) {
      const connection = await require(scope, server);
      const { contents } = await reach(connection.read(uri), server);
      return { contents: contents as Awaited<ReturnType<McpServers["readResource"]>>["contents"] };
    },
    async callTool(scope, { server, tool, args }) {
      const connection = await require(scope, server);
      const given = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
      const result = await reach(connection.call(tool, given, { signal: new AbortController().signal, onProgress: () => {} }), server);
      return {
        content: result.content,
        isError: result.isError ?? null,
        structuredContent: result.structuredContent ?? null,
        _meta: result._meta ?? null,
      };
    },
    login: (scope, server, scopes) => options.login(scope, server, scopes),
    logout: (config) => options.logout(config),
    authStatus: (config) => options.authStatus(config),
    async reload() {
      for (const circle of circles.values()) circle.stale = true;
    },
    async leave(threadId) {
      const circle = circles.get(threadId);
      circles.delete(threadId);
      await Promise.all([...(circle?.connections.values() ?? [])].map((connection) => connection.close()));
    },
    async close() {
      const all = [...circles.values()].flatMap((circle) => [...circle.connections.values()]);
      circles.clear();
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
}

/** Keeps connections whose settings are the same, ends the others, and starts the new ones side by side. */
async function renew(circle: Circle, scope: McpScope, options: McpOptions): Promise<void> {
  const wanted = Object.values(scope.config.mcpServers).filter((config) => config.enabled);
  for (const [name, connection] of circle.connections) {
    const same = wanted.find((config) => config.name === name);
    if (same !== undefined && JSON.stringify(same) === JSON.stringify(connection.config)) continue;
    circle.connections.delete(name);
    void connection.close();
  }
  for (const config of wanted) {
    if (circle.connections.has(config.name)) continue;
    circle.connections.set(config.name, connect(circle, config, scope, options));
  }
  for (const connection of circle.connections.values()) void connection.tools().catch(() => {});
}

function connect(circle: Circle, config: McpServerConfig, scope: McpScope, options: McpOptions): McpConnection {
  let complaints = "";
  const { audience } = options;
  return new McpConnection({
    config,
    version: options.version,
    transport: () =>
      transportFor({
        config,
        cwd: scope.cwd,
        env: options.env,
        auth: options.authFor(config),
        onStderr: (text) => {
          complaints = (complaints + text).slice(-2000);
        },
      }),
    elicit: (request, signal) => {
      const serving = circle.serving.get(config.name);
      const threadId = serving?.threadId ?? circle.threadId;
      if (threadId === undefined) return Promise.resolve({ action: "decline" });
      return elicit(request, { audience, server: config.name, threadId, turnId: serving?.turnId ?? null }, signal);
    },
    onState: (state) => {
      if (circle.threadId !== undefined) announce(circle.threadId, config.name, state, complaints, audience);
    },
  });
}

function announce(threadId: string, name: string, state: ConnectionState, complaints: string, audience: Audience): void {
  if (state.kind === "notStarted") return;
  const error = state.kind === "failed" ? [state.reason, complaints.trim()].filter((text) => text !== "").join(": ") : null;
  audience.toThread(threadId, "mcpServer/startupStatus/updated", {
    threadId,
    name,
    status: state.kind,
    error,
    failureReason: state.kind === "failed" && state.needsLogin ? "reauthenticationRequired" : null,
  });
}

/** Waits for every server's start-up; one that fails is left out with a warning, unless the settings say that it is required. */
async function toolsOf(circle: Circle, grants: ToolGrants, offer: Offer, { audience }: McpOptions): Promise<Tool[]> {
  const connections = [...circle.connections.values()];
  const offered = await Promise.all(
    connections.map(async (connection) => {
      const { name, required } = connection.config;
      const enter = (context: ToolContext): (() => void) => {
        circle.serving.set(name, context);
        return () => circle.serving.delete(name);
      };
      try {
        return (await connection.tools()).map((tool) => mcpTool(connection, tool, grants, enter));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (required) throw new Error(`required MCP server ${name} could not be started: ${reason}`, { cause: error });
        audience.toThread(offer.threadId, "warning", {
          threadId: offer.threadId,
          message: `MCP server ${name} could not be started: ${reason}`,
        });
        return [];
      }
    }),
  );
  return [...offered.flat(), ...resourceTools(() => connections)];
}

async function statusOf(connection: McpConnection, detail: "full" | "toolsAndAuthOnly", options: McpOptions): Promise<McpServerStatus> {
  const base = { name: connection.config.name, authStatus: options.authStatus(connection.config) };
  try {
    const { tools, resources, templates } = await connection.offered();
    const client = await connection.client();
    return {
      ...base,
      tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])),
      resources: detail === "full" ? resources.map((r) => ({ ...r })) : [],
      resourceTemplates: detail === "full" ? templates.map((t) => ({ ...t })) : [],
      serverInfo: client.getServerVersion() ?? null,
      runtimeStatus: "connected",
    } as McpServerStatus;
  } catch (error) {
    const needsLogin = connection.state.kind === "failed" && connection.state.needsLogin;
    return {
      ...base,
      tools: {},
      resources: [],
      resourceTemplates: [],
      runtimeStatus: needsLogin ? "authenticationRequired" : "failed",
      toolsError: error instanceof Error ? error.message : String(error),
    };
  }
}

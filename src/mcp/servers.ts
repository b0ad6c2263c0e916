/** All MCP connections: one group for each thread, created with its first turn, and one for requests without a thread. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Audience } from "../core/ports/audience.ts";
import type { McpServerConfig } from "../core/ports/config.ts";
import type { McpScope, McpServers } from "../core/ports/mcp.ts";
import { errorMessage } from "../lib/error-text.ts";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { internalError, invalidRequest, RpcError } from "../protocol/errors.ts";
import type { McpAuthStatus } from "../protocol/mcp.ts";
import { type McpAcceptance, refusalOf } from "./acceptance.ts";
import { ToolGrants } from "./approval.ts";
import type { McpConnection } from "./connection.ts";
import { ClosingGroups, type ConnectionGroup, newGroup, renew } from "./connection-group.ts";
import { bounded } from "./results.ts";
import { statusOf, statusOfDisabled } from "./status.ts";
import { toolsOf } from "./tool-source.ts";

export interface McpOptions {
  readonly audience: Audience;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Stored sign-ins of HTTP servers. */
  readonly authFor: (config: McpServerConfig) => OAuthClientProvider | undefined;
  readonly authStatus: (config: McpServerConfig) => McpAuthStatus;
  /** Which servers a project may start. */
  readonly acceptance: McpAcceptance;
  readonly login: McpServers["login"];
  readonly logout: McpServers["logout"];
  /** Cancels sign-ins that are still open. */
  readonly close: () => void;
}

/** A thread's servers are stopped after this idle time; the next use starts them again. */
const idleMs = 30 * 60_000;
const nobody = "";

export function createMcpServers(options: McpOptions): McpServers {
  const groups = new Map<string, ConnectionGroup>();
  const grants = new ToolGrants();
  const closing = new ClosingGroups();

  function groupFor(scope: McpScope): ConnectionGroup {
    endIdle(groups, closing);
    options.acceptance.see(scope.config);
    const key = scope.threadId ?? nobody;
    const group = groups.get(key) ?? newGroup(scope.threadId);
    groups.set(key, group);
    group.usedAt = performance.now();
    renew(group, scope, options);
    return group;
  }
  const require = (scope: McpScope, name: string): McpConnection => {
    const connection = groupFor(scope).connections.get(name);
    if (connection === undefined) throw internalError(`unknown MCP server '${name}'`);
    return connection;
  };

  return {
    tools: {
      tools(offer, signal) {
        options.acceptance.see(offer.config);
        if (Object.keys(offer.config.mcpServers).length === 0) return [];
        return toolsOf(groupFor({ threadId: offer.threadId, config: offer.config, cwd: offer.settings.cwd }), grants, offer, signal);
      },
    },
    start(scope) {
      if (Object.keys(scope.config.mcpServers).length === 0) return;
      const running = new Set(groups.get(scope.threadId ?? nobody)?.connections.values());
      for (const connection of groupFor(scope).connections.values()) if (running.has(connection)) connection.announceState();
    },
    async required(scope) {
      // A server that waits for the user's approval must not prevent the thread from opening, because the approval is given there.
      const needed = Object.values(scope.config.mcpServers).filter(
        (config) => config.enabled && config.required && options.acceptance.isAccepted(config),
      );
      if (needed.length === 0) return;
      const { connections } = groupFor(scope);
      const tried = await Promise.all(needed.map(async ({ name }) => await reasonOf(name, connections.get(name)?.client())));
      const failures = tried.filter((failure) => failure !== undefined);
      if (failures.length > 0) throw internalError(`required MCP servers failed to initialize: ${failures.join("; ")}`);
    },
    async statuses(scope, { detail, serverName }) {
      const isWanted = ({ name }: McpServerConfig): boolean => serverName === undefined || name === serverName;
      const chosen = [...groupFor(scope).connections.values()].filter(({ config }) => isWanted(config));
      const disabled = Object.values(scope.config.mcpServers).filter((config) => !config.enabled && isWanted(config));
      return [
        ...(await Promise.all(chosen.map((connection) => statusOf(connection, detail, options.authStatus)))),
        ...disabled.map((config) => statusOfDisabled(config, options.authStatus)),
      ];
    },
    async readResource(scope, server, uri) {
      const { contents } = await reach(require(scope, server).read(uri), server);
      return { contents: contents as Awaited<ReturnType<McpServers["readResource"]>>["contents"], originCallId: null };
    },
    async callTool(scope, { server, tool, args, meta }) {
      const connection = require(scope, server);
      const given = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
      const signal = AbortSignal.timeout(Math.max(connection.config.toolTimeoutMs, 1) * 10); // progress may extend it, but not forever
      const sent = { ...(isObject(meta) ? meta : {}), ...(scope.threadId === undefined ? {} : { threadId: scope.threadId }) };
      const result = bounded(await reach(connection.call(tool, given, { signal, meta: sent, onProgress: () => {} }), server));
      const { content, isError, structuredContent, _meta } = result;
      return { content, ...withoutUndefined({ isError, structuredContent, _meta }) };
    },
    async login(scope, server, scopes) {
      const config = Object.hasOwn(scope.config.mcpServers, server) ? scope.config.mcpServers[server] : undefined;
      if (config !== undefined && !options.acceptance.isAccepted(config)) throw invalidRequest(refusalOf(config));
      const started = await options.login(scope, server, scopes);
      const done = started.done.then((ended) => {
        if (ended.error === undefined) for (const group of groups.values()) group.connections.get(server)?.clearFailures();
        return ended;
      });
      return { ...started, done };
    },
    logout: (config) => options.logout(config),
    authStatus: (config) => options.authStatus(config),
    isAccepted: (config) => options.acceptance.isAccepted(config),
    accept: (config) => options.acceptance.accept(config),
    async reload() {
      for (const group of groups.values()) for (const connection of group.connections.values()) connection.clearFailures();
    },
    async leave(threadId) {
      const group = groups.get(threadId);
      groups.delete(threadId);
      grants.forget(threadId);
      if (group !== undefined) await closing.add(group);
    },
    async close() {
      options.close();
      await closing.rest(groups);
    },
  };
}

function endIdle(groups: Map<string, ConnectionGroup>, closing: ClosingGroups): void {
  const now = performance.now();
  for (const [key, group] of groups) {
    if (now - group.usedAt < idleMs || group.serving.size > 0) continue;
    groups.delete(key);
    void closing.add(group);
  }
}

/** Why a server did not start; undefined if it did. */
const reasonOf = async (name: string, starting: Promise<unknown> | undefined): Promise<string | undefined> =>
  await starting?.then(
    () => undefined,
    (error: unknown) => `${name}: ${errorMessage(error)}`,
  );

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The server's own error for the request, with a code that clients know. */
const isRefusal = (error: unknown): error is Error & { readonly code: number } =>
  error instanceof Error && "code" in error && typeof error.code === "number" && error.code >= -32768 && error.code <= -32000;

async function reach<T>(work: Promise<T>, name: string): Promise<T> {
  return await work.catch((error: unknown) => {
    const message = `MCP server ${name}: ${errorMessage(error)}`;
    throw isRefusal(error) ? new RpcError(error.code, message) : internalError(message);
  });
}

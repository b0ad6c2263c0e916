/** `mcpServerStatus/list` and `mcpServer/*`: the features of MCP servers, for the client itself. */
import type { McpScope } from "../core/ports/mcp.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { internalError, RpcError } from "../protocol/errors.ts";
import type { mcpRequests } from "../protocol/mcp.ts";
import type { App, HandlersFor } from "./app.ts";
import { page } from "./page.ts";

export const mcpHandlers: HandlersFor<typeof mcpRequests> = {
  async "mcpServerStatus/list"(params, { app }) {
    const all = (
      await app.mcp.statuses(scopeOf(params.threadId, app), { detail: params.detail ?? "full", serverName: params.serverName ?? undefined })
    ).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return page(all, params.cursor, params.limit);
  },
  async "mcpServer/oauth/login"(params, { app, session }) {
    const { url, loginId, done } = await app.mcp.login(scopeOf(params.threadId, app), params.name, params.scopes ?? undefined);
    void done.then(({ error }) =>
      session.notify("mcpServer/oauthLogin/completed", {
        name: params.name,
        loginId,
        threadId: params.threadId ?? null,
        success: error === undefined,
        error: error ?? null,
      }),
    );
    return { authorizationUrl: url, authorization_url: url, loginId };
  },
  "mcpServer/resource/read": (params, { app }) => app.mcp.readResource(scopeOf(params.threadId, app), params.server, params.uri),
  "mcpServer/tool/call": (params, { app }) =>
    app.mcp.callTool(scopeOf(params.threadId, app), {
      server: params.server,
      tool: params.tool,
      args: params.arguments,
      meta: params._meta,
    }),
};

/** A required server that cannot be started prevents the thread from opening: rejects with RpcError. */
export async function awaitRequired(thread: LiveThread, app: App): Promise<void> {
  try {
    await app.mcp.required(scopeIn(thread));
  } catch (error) {
    await app.threads.unload(thread.id);
    throw error instanceof RpcError ? internalError(`error creating thread: ${error.message}`) : error;
  }
}

/** Opening a thread starts its servers. */
export const startServers = (thread: LiveThread, app: App): void => app.mcp.start(scopeIn(thread));

const scopeIn = ({ id, config, settings }: LiveThread): McpScope => ({ threadId: id, config, cwd: settings.cwd });

/** The named thread's own connections, otherwise the shared ones for requests without a thread. */
function scopeOf(threadId: string | null | undefined, app: App): McpScope {
  if (threadId) return scopeIn(app.threads.require(threadId));
  const cwd = process.cwd();
  return { threadId: undefined, config: app.config.effective(cwd), cwd };
}

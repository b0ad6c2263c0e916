/** `mcpServerStatus/list` and `mcpServer/*`: what MCP servers offer, for the client itself. */
import type { McpScope } from "../core/ports/mcp.ts";
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
    app.mcp.callTool(scopeOf(params.threadId, app), { server: params.server, tool: params.tool, args: params.arguments }),
};

/** A thread's own connections when it is named, else the ones kept for looking around. */
function scopeOf(threadId: string | null | undefined, app: App): McpScope {
  const thread = threadId ? app.threads.require(threadId) : undefined;
  if (thread !== undefined) return { threadId: thread.id, config: thread.config, cwd: thread.settings.cwd };
  const cwd = process.cwd();
  return { threadId: undefined, config: app.config.effective(cwd), cwd };
}

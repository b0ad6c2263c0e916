/** One MCP server's features and state, for `mcpServerStatus/list`. */
import type { McpServerConfig } from "../core/ports/config.ts";
import { errorMessage } from "../lib/error-text.ts";
import type { McpAuthStatus, McpServerStatus } from "../protocol/mcp.ts";
import type { McpConnection } from "./connection.ts";

/** What a server may say of itself beyond its name and version: clients with strict types expect every field. */
const noDetails = { description: null, icons: null, title: null, websiteUrl: null };

/** The values for unknown details. */
const unknown = {
  httpOrigin: null,
  serverCapabilities: null,
  serverInfo: null,
  toolListMeta: null,
  toolsError: null,
} as const;

type AuthOf = (config: McpServerConfig) => McpAuthStatus;

/** A server that offers nothing at the moment, and the reason. */
const silent = (
  config: McpServerConfig,
  authStatus: AuthOf,
  state: Pick<McpServerStatus, "runtimeStatus" | "toolsError">,
): McpServerStatus => ({
  name: config.name,
  authStatus: authStatus(config),
  tools: {},
  resources: [],
  resourceTemplates: [],
  ...unknown,
  pluginId: config.pluginId ?? null,
  ...state,
});

/** A server disabled in the settings is not started to be queried. */
export const statusOfDisabled = (config: McpServerConfig, authStatus: AuthOf): McpServerStatus =>
  silent(config, authStatus, { runtimeStatus: "disabled" });

export async function statusOf(
  connection: McpConnection,
  detail: "full" | "toolsAndAuthOnly",
  authStatus: AuthOf,
): Promise<McpServerStatus> {
  const { config } = connection;
  try {
    const client = await connection.client("now");
    const { tools, resources, templates } =
      detail === "full" ? await connection.offered() : { tools: await connection.tools("now"), resources: [], templates: [] };
    const auth = authStatus(config);
    const serverInfo = client.getServerVersion();
    return {
      name: config.name,
      authStatus: auth === "notLoggedIn" ? "unsupported" : auth, // it allows access without a sign-in
      tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])),
      resources: resources.map((resource) => ({ ...resource })),
      resourceTemplates: templates.map((template) => ({ ...template })),
      ...unknown,
      pluginId: config.pluginId ?? null,
      serverInfo: serverInfo === undefined ? null : { ...noDetails, ...serverInfo },
      serverCapabilities: client.getServerCapabilities() ?? null,
      runtimeStatus: "connected",
    } as McpServerStatus;
  } catch (error) {
    const needsLogin = connection.state.kind === "failed" && connection.state.needsLogin;
    return silent(config, authStatus, {
      runtimeStatus: needsLogin ? "authenticationRequired" : "failed",
      toolsError: errorMessage(error),
    });
  }
}

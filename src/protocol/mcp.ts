/** MCP servers: their features and state. Implemented in server/mcp.ts and mcp/. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../lib/schema.ts";
import { notification, request } from "./define.ts";
import { limitTime } from "./limits.ts";

export const ListMcpServerStatusParams = named("ListMcpServerStatusParams", () =>
  object({
    cursor: maybe(string()),
    detail: maybe(McpServerStatusDetail()),
    limit: maybe(natural()),
    serverName: maybe(string()),
    threadId: maybe(string()),
  }),
);
export type ListMcpServerStatusParams = Infer<typeof ListMcpServerStatusParams>;

export const ListMcpServerStatusResponse = named("ListMcpServerStatusResponse", () =>
  object({ data: array(McpServerStatus()), nextCursor: maybe(string()) }),
);
export type ListMcpServerStatusResponse = Infer<typeof ListMcpServerStatusResponse>;

export const McpServerOauthLoginParams = named("McpServerOauthLoginParams", () =>
  object({
    name: string(),
    clientRegistration: maybe(McpServerOauthClientRegistration()),
    scopes: maybe(array(string())),
    threadId: maybe(string()),
    timeoutSecs: maybe(integer()),
  }),
);
export type McpServerOauthLoginParams = Infer<typeof McpServerOauthLoginParams>;

export const McpServerOauthLoginResponse = named("McpServerOauthLoginResponse", () =>
  object({ authorizationUrl: string(), authorization_url: optional(string()), loginId: maybe(string()) }),
);
export type McpServerOauthLoginResponse = Infer<typeof McpServerOauthLoginResponse>;

export const McpResourceReadParams = named("McpResourceReadParams", () =>
  object({
    server: string(),
    uri: string(),
    connectorId: maybe(string()),
    originCallId: maybe(string()),
    target: maybe(McpResourceReadTarget()),
    threadId: maybe(string()),
  }),
);
export type McpResourceReadParams = Infer<typeof McpResourceReadParams>;

export const McpResourceReadResponse = named("McpResourceReadResponse", () =>
  object({ contents: array(ResourceContent()), originCallId: maybe(string()) }),
);
export type McpResourceReadResponse = Infer<typeof McpResourceReadResponse>;

export const McpServerToolCallParams = named("McpServerToolCallParams", () =>
  object({ server: string(), threadId: string(), tool: string(), _meta: optional(unknown()), arguments: optional(unknown()) }),
);
export type McpServerToolCallParams = Infer<typeof McpServerToolCallParams>;

export const McpServerToolCallResponse = named("McpServerToolCallResponse", () =>
  object({ content: array(unknown()), _meta: optional(unknown()), isError: maybe(boolean()), structuredContent: optional(unknown()) }),
);
export type McpServerToolCallResponse = Infer<typeof McpServerToolCallResponse>;

export const McpServerOauthLoginCompletedNotification = named("McpServerOauthLoginCompletedNotification", () =>
  object({ name: string(), success: boolean(), error: maybe(string()), loginId: maybe(string()), threadId: maybe(string()) }),
);
export type McpServerOauthLoginCompletedNotification = Infer<typeof McpServerOauthLoginCompletedNotification>;

export const McpServerStatusUpdatedNotification = named("McpServerStatusUpdatedNotification", () =>
  object({
    name: string(),
    status: McpServerStartupState(),
    error: maybe(string()),
    failureReason: maybe(McpServerStartupFailureReason()),
    threadId: maybe(string()),
  }),
);
export type McpServerStatusUpdatedNotification = Infer<typeof McpServerStatusUpdatedNotification>;

export const McpServerStatusDetail = named("McpServerStatusDetail", () => literals("full", "toolsAndAuthOnly"));
export type McpServerStatusDetail = Infer<typeof McpServerStatusDetail>;

export const McpServerStatus = named("McpServerStatus", () =>
  object({
    authStatus: McpAuthStatus(),
    name: string(),
    resourceTemplates: array(ResourceTemplate()),
    resources: array(Resource()),
    tools: record(Tool()),
    httpOrigin: maybe(string()),
    pluginId: maybe(string()),
    runtimeStatus: maybe(McpServerConnectionStatus()),
    serverCapabilities: optional(unknown()),
    serverInfo: maybe(McpServerInfo()),
    toolListMeta: optional(unknown()),
    toolsError: maybe(string()),
  }),
);
export type McpServerStatus = Infer<typeof McpServerStatus>;

export const McpServerOauthClientRegistration = named("McpServerOauthClientRegistration", () => literals("auto", "cimd", "dcr"));
export type McpServerOauthClientRegistration = Infer<typeof McpServerOauthClientRegistration>;

export const McpResourceReadTarget = named("McpResourceReadTarget", () => object({ connectorId: string(), linkId: nullable(string()) }));
export type McpResourceReadTarget = Infer<typeof McpResourceReadTarget>;

export const ResourceContent = named("ResourceContent", () =>
  union([
    object({ text: string(), uri: string(), _meta: optional(unknown()), mimeType: maybe(string()) }),
    object({ blob: string(), uri: string(), _meta: optional(unknown()), mimeType: maybe(string()) }),
  ]),
);
export type ResourceContent = Infer<typeof ResourceContent>;

export const McpServerStartupFailureReason = named("McpServerStartupFailureReason", () => literals("reauthenticationRequired"));
export type McpServerStartupFailureReason = Infer<typeof McpServerStartupFailureReason>;

export const McpServerStartupState = named("McpServerStartupState", () => literals("starting", "ready", "failed", "cancelled"));
export type McpServerStartupState = Infer<typeof McpServerStartupState>;

export const McpAuthStatus = named("McpAuthStatus", () => literals("unknown", "unsupported", "notLoggedIn", "bearerToken", "oAuth"));
export type McpAuthStatus = Infer<typeof McpAuthStatus>;

export const ResourceTemplate = named("ResourceTemplate", () =>
  object({
    name: string(),
    uriTemplate: string(),
    annotations: optional(unknown()),
    description: maybe(string()),
    mimeType: maybe(string()),
    title: maybe(string()),
  }),
);
export type ResourceTemplate = Infer<typeof ResourceTemplate>;

export const Resource = named("Resource", () =>
  object({
    name: string(),
    uri: string(),
    _meta: optional(unknown()),
    annotations: optional(unknown()),
    description: maybe(string()),
    icons: maybe(array(unknown())),
    mimeType: maybe(string()),
    size: maybe(integer()),
    title: maybe(string()),
  }),
);
export type Resource = Infer<typeof Resource>;

export const McpServerConnectionStatus = named("McpServerConnectionStatus", () =>
  literals("notStarted", "starting", "connected", "authenticationRequired", "failed", "cancelled", "disabled"),
);
export type McpServerConnectionStatus = Infer<typeof McpServerConnectionStatus>;

export const McpServerInfo = named("McpServerInfo", () =>
  object({
    name: string(),
    version: string(),
    description: maybe(string()),
    icons: maybe(array(unknown())),
    title: maybe(string()),
    websiteUrl: maybe(string()),
  }),
);
export type McpServerInfo = Infer<typeof McpServerInfo>;

export const Tool = named("Tool", () =>
  object({
    inputSchema: unknown(),
    name: string(),
    _meta: optional(unknown()),
    annotations: optional(unknown()),
    description: maybe(string()),
    icons: maybe(array(unknown())),
    outputSchema: optional(unknown()),
    title: maybe(string()),
  }),
);
export type Tool = Infer<typeof Tool>;

const noConnectors = "there are no connectors behind this server";

export const mcpRequests = {
  /** Lists the configured servers with their tools, resources and sign-in state. */
  "mcpServerStatus/list": request({ params: ListMcpServerStatusParams, result: ListMcpServerStatusResponse }),
  /** Starts signing in to a server; returns the page to open. */
  "mcpServer/oauth/login": request({
    params: McpServerOauthLoginParams,
    result: McpServerOauthLoginResponse,
    limits: ({ timeoutSecs }) => limitTime("mcpServer/oauth/login timeoutSecs", timeoutSecs),
    noEffect: {
      clientRegistration: "a client is registered in the way that the server offers",
      timeoutSecs: "a sign-in waits as long as its page is open",
    },
  }),
  /** Reads a resource of a server. */
  "mcpServer/resource/read": request({
    params: McpResourceReadParams,
    result: McpResourceReadResponse,
    noEffect: { connectorId: noConnectors, originCallId: "the answer does not depend on the call", target: noConnectors },
  }),
  /** Calls a tool of a server for the client itself. */
  "mcpServer/tool/call": request({ params: McpServerToolCallParams, result: McpServerToolCallResponse }),
};

export const mcpNotifications = {
  /** Signing in to a server has ended, successfully or not. */
  "mcpServer/oauthLogin/completed": notification(McpServerOauthLoginCompletedNotification),
  /** A server is starting, is ready, or could not be started. */
  "mcpServer/startupStatus/updated": notification(McpServerStatusUpdatedNotification),
};

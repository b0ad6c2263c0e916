/** Methods about the vendor's services and other platforms, answered truthfully by a server without them. Implemented in server/vendor-service.ts. */
import { array, boolean, type Infer, integer, literals, maybe, named, object, optional, string } from "../lib/schema.ts";
import { Empty, notification, request } from "./define.ts";
import { RemoteControlConnectionStatus } from "./initialize.ts";
import { AbsolutePathBuf } from "./policy.ts";
import { RequestId } from "./thread.ts";

export const AppsInstalledParams = named("AppsInstalledParams", () =>
  object({ forceRefresh: optional(boolean()), threadId: maybe(string()) }),
);
export type AppsInstalledParams = Infer<typeof AppsInstalledParams>;

export const AppsInstalledResponse = named("AppsInstalledResponse", () => object({ apps: array(InstalledApp()) }));
export type AppsInstalledResponse = Infer<typeof AppsInstalledResponse>;

export const InstalledApp = named("InstalledApp", () =>
  object({ callable: boolean(), enabled: boolean(), id: string(), runtimeName: maybe(string()) }),
);
export type InstalledApp = Infer<typeof InstalledApp>;

export const AppsReadParams = named("AppsReadParams", () =>
  object({ appIds: array(string()), includeTools: optional(boolean()), threadId: maybe(string()) }),
);
export type AppsReadParams = Infer<typeof AppsReadParams>;

export const AppsReadResponse = named("AppsReadResponse", () =>
  object({ apps: array(ConnectorMetadata()), missingAppIds: array(string()) }),
);
export type AppsReadResponse = Infer<typeof AppsReadResponse>;

export const ConnectorMetadata = named("ConnectorMetadata", () =>
  object({
    description: maybe(string()),
    distributionChannel: maybe(string()),
    iconUrl: maybe(string()),
    iconUrlDark: maybe(string()),
    id: string(),
    installUrl: maybe(string()),
    name: string(),
    pluginDisplayNames: optional(array(string())),
    toolSummaries: maybe(array(AppToolSummary())),
  }),
);
export type ConnectorMetadata = Infer<typeof ConnectorMetadata>;

export const AppToolSummary = named("AppToolSummary", () =>
  object({
    description: string(),
    disabledReason: maybe(string()),
    isEnabled: optional(boolean()),
    isReadOnly: optional(boolean()),
    name: string(),
    title: maybe(string()),
  }),
);
export type AppToolSummary = Infer<typeof AppToolSummary>;

export const AccountSessionsListParams = named("AccountSessionsListParams", () =>
  object({ refreshWorkspaceMetadata: optional(boolean()) }),
);
export type AccountSessionsListParams = Infer<typeof AccountSessionsListParams>;

export const AccountSessionsResponse = named("AccountSessionsResponse", () =>
  object({ activeSessionId: maybe(string()), sessions: array(AccountSession()) }),
);
export type AccountSessionsResponse = Infer<typeof AccountSessionsResponse>;

export const AccountSession = named("AccountSession", () =>
  object({
    displayName: maybe(string()),
    email: maybe(string()),
    imageUrl: maybe(string()),
    isActive: boolean(),
    lastUsedAt: integer(),
    selectedWorkspaceAccountId: maybe(string()),
    sessionId: string(),
    userId: maybe(string()),
    workspaces: array(AccountSessionWorkspace()),
  }),
);
export type AccountSession = Infer<typeof AccountSession>;

export const AccountSessionWorkspace = named("AccountSessionWorkspace", () =>
  object({ accountId: string(), imageUrl: maybe(string()), kind: maybe(AccountSessionWorkspaceKind()), name: maybe(string()) }),
);
export type AccountSessionWorkspace = Infer<typeof AccountSessionWorkspace>;

export const AccountSessionWorkspaceKind = named("AccountSessionWorkspaceKind", () => literals("personal", "workspace"));
export type AccountSessionWorkspaceKind = Infer<typeof AccountSessionWorkspaceKind>;

export const GatewayOAuthReadResponse = named("GatewayOAuthReadResponse", () =>
  object({
    error: maybe(string()),
    providerId: string(),
    providerName: string(),
    required: boolean(),
    status: maybe(GatewayOAuthStatus()),
  }),
);
export type GatewayOAuthReadResponse = Infer<typeof GatewayOAuthReadResponse>;

export const GatewayOAuthStatus = named("GatewayOAuthStatus", () => literals("notReady", "started", "succeeded", "failed"));
export type GatewayOAuthStatus = Infer<typeof GatewayOAuthStatus>;

export const GatewayOAuthCancelResponse = named("GatewayOAuthCancelResponse", () => object({}));
export type GatewayOAuthCancelResponse = Infer<typeof GatewayOAuthCancelResponse>;

export const RemoteControlStatusReadResponse = named("RemoteControlStatusReadResponse", () =>
  object({ environmentId: maybe(string()), installationId: string(), serverName: string(), status: RemoteControlConnectionStatus() }),
);
export type RemoteControlStatusReadResponse = Infer<typeof RemoteControlStatusReadResponse>;

export const RemoteControlDisableParams = named("RemoteControlDisableParams", () => object({ ephemeral: optional(boolean()) }));
export type RemoteControlDisableParams = Infer<typeof RemoteControlDisableParams>;

export const RemoteControlDisableResponse = named("RemoteControlDisableResponse", () =>
  object({ environmentId: maybe(string()), installationId: string(), serverName: string(), status: RemoteControlConnectionStatus() }),
);
export type RemoteControlDisableResponse = Infer<typeof RemoteControlDisableResponse>;

export const UserVerificationStatusParams = named("UserVerificationStatusParams", () => object({}));
export type UserVerificationStatusParams = Infer<typeof UserVerificationStatusParams>;

export const UserVerificationStatusResponse = named("UserVerificationStatusResponse", () =>
  object({
    credentialId: maybe(string()),
    unavailableMessage: maybe(string()),
    unavailableReason: maybe(UserVerificationUnavailableReason()),
  }),
);
export type UserVerificationStatusResponse = Infer<typeof UserVerificationStatusResponse>;

export const UserVerificationUnavailableReason = named("UserVerificationUnavailableReason", () =>
  literals("credentialMissing", "biometricsUnavailable", "providerUnavailable"),
);
export type UserVerificationUnavailableReason = Infer<typeof UserVerificationUnavailableReason>;

export const UserVerificationCancelParams = named("UserVerificationCancelParams", () => object({ requestId: RequestId() }));
export type UserVerificationCancelParams = Infer<typeof UserVerificationCancelParams>;

export const UserVerificationCancelResponse = named("UserVerificationCancelResponse", () => object({}));
export type UserVerificationCancelResponse = Infer<typeof UserVerificationCancelResponse>;

export const McpServerEventStreamStopParams = named("McpServerEventStreamStopParams", () => object({ subscriptionId: string() }));
export type McpServerEventStreamStopParams = Infer<typeof McpServerEventStreamStopParams>;

export const McpServerEventStreamStopResponse = named("McpServerEventStreamStopResponse", () => object({}));
export type McpServerEventStreamStopResponse = Infer<typeof McpServerEventStreamStopResponse>;

export const WindowsSandboxReadinessResponse = named("WindowsSandboxReadinessResponse", () =>
  object({ status: WindowsSandboxReadiness() }),
);
export type WindowsSandboxReadinessResponse = Infer<typeof WindowsSandboxReadinessResponse>;

export const WindowsSandboxReadiness = named("WindowsSandboxReadiness", () => literals("ready", "notConfigured", "updateRequired"));
export type WindowsSandboxReadiness = Infer<typeof WindowsSandboxReadiness>;

export const WindowsSandboxSetupStartParams = named("WindowsSandboxSetupStartParams", () =>
  object({ cwd: maybe(AbsolutePathBuf()), mode: WindowsSandboxSetupMode() }),
);
export type WindowsSandboxSetupStartParams = Infer<typeof WindowsSandboxSetupStartParams>;

export const WindowsSandboxSetupMode = named("WindowsSandboxSetupMode", () => literals("elevated", "unelevated"));
export type WindowsSandboxSetupMode = Infer<typeof WindowsSandboxSetupMode>;

export const WindowsSandboxSetupStartResponse = named("WindowsSandboxSetupStartResponse", () => object({ started: boolean() }));
export type WindowsSandboxSetupStartResponse = Infer<typeof WindowsSandboxSetupStartResponse>;

export const WindowsSandboxSetupCompletedNotification = named("WindowsSandboxSetupCompletedNotification", () =>
  object({ error: maybe(string()), mode: WindowsSandboxSetupMode(), success: boolean() }),
);
export type WindowsSandboxSetupCompletedNotification = Infer<typeof WindowsSandboxSetupCompletedNotification>;

export const vendorServiceRequests = {
  /** The connectors in use: none. */
  "app/installed": request({ params: AppsInstalledParams, result: AppsInstalledResponse }),
  /** Facts about connectors; every id is unknown. */
  "app/read": request({ params: AppsReadParams, result: AppsReadResponse }),
  /** The vendor's accounts that are signed in side by side: none. */
  "accountSession/list": request({ params: AccountSessionsListParams, result: AccountSessionsResponse, experimental: true }),
  /** Whether the current provider signs in through a gateway: none does. */
  "account/gatewayOAuth/read": request({ params: Empty, result: GatewayOAuthReadResponse }),
  /** Ends a sign-in through a gateway; there is never one. */
  "account/gatewayOAuth/cancel": request({ params: Empty, result: GatewayOAuthCancelResponse }),
  /** The state of the vendor's relay: always disabled. */
  "remoteControl/status/read": request({ params: Empty, result: RemoteControlStatusReadResponse, experimental: true }),
  /** Disconnects from the vendor's relay; it is never connected. */
  "remoteControl/disable": request({ params: RemoteControlDisableParams, result: RemoteControlDisableResponse, experimental: true }),
  /** Whether users can be verified with a device key: they cannot. */
  "userVerification/status": request({ params: UserVerificationStatusParams, result: UserVerificationStatusResponse, experimental: true }),
  /** Ends a verification; there is never one. */
  "userVerification/cancel": request({ params: UserVerificationCancelParams, result: UserVerificationCancelResponse, experimental: true }),
  /** Ends a stream of events of a hosted connector; there is never one. */
  "mcpServer/event/stream/stop": request({
    params: McpServerEventStreamStopParams,
    result: McpServerEventStreamStopResponse,
    experimental: true,
  }),
  /** Whether the sandbox for Windows is set up: there is none. */
  "windowsSandbox/readiness": request({ params: Empty, result: WindowsSandboxReadinessResponse }),
  /** Sets up the sandbox for Windows; `windowsSandbox/setupCompleted` says that it failed. */
  "windowsSandbox/setupStart": request({ params: WindowsSandboxSetupStartParams, result: WindowsSandboxSetupStartResponse }),
};

export const vendorServiceNotifications = {
  /** The outcome of setting up the sandbox for Windows. */
  "windowsSandbox/setupCompleted": notification(WindowsSandboxSetupCompletedNotification),
};

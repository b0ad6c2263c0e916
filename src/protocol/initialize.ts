/** The handshake: who the client is and what it can do. Implemented in server/initialize.ts. */
import { array, boolean, type Infer, literals, maybe, named, object, optional, record, string, unknown } from "../lib/schema.ts";
import { notification, request } from "./define.ts";
import { AbsolutePathBuf } from "./policy.ts";

export const InitializeParams = named("InitializeParams", () =>
  object({ clientInfo: ClientInfo(), capabilities: maybe(InitializeCapabilities()) }),
);
export type InitializeParams = Infer<typeof InitializeParams>;

export const InitializeResponse = named("InitializeResponse", () =>
  object({ codexHome: AbsolutePathBuf(), platformFamily: string(), platformOs: string(), userAgent: string() }),
);
export type InitializeResponse = Infer<typeof InitializeResponse>;

export const InitializeCapabilities = named("InitializeCapabilities", () =>
  object({
    experimentalApi: optional(boolean()),
    explicitGatewayOauth: optional(boolean()),
    extensions: maybe(record(unknown())),
    mcpServerOpenaiFormElicitation: optional(boolean()),
    optOutNotificationMethods: maybe(array(string())),
    requestAttestation: optional(boolean()),
  }),
);
export type InitializeCapabilities = Infer<typeof InitializeCapabilities>;

export const ClientInfo = named("ClientInfo", () => object({ name: string(), version: string(), title: maybe(string()) }));
export type ClientInfo = Infer<typeof ClientInfo>;

export const RemoteControlStatusChangedNotification = named("RemoteControlStatusChangedNotification", () =>
  object({
    status: RemoteControlConnectionStatus(),
    serverName: string(),
    installationId: string(),
    environmentId: maybe(string()),
  }),
);
export type RemoteControlStatusChangedNotification = Infer<typeof RemoteControlStatusChangedNotification>;

export const RemoteControlConnectionStatus = named("RemoteControlConnectionStatus", () =>
  literals("disabled", "connecting", "connected", "errored"),
);
export type RemoteControlConnectionStatus = Infer<typeof RemoteControlConnectionStatus>;

export const initializeRequests = {
  /** Opens the connection; must be the first request, once, and reports which generation of clients is served. */
  initialize: request({ params: InitializeParams, result: InitializeResponse }),
};

export const initializeNotifications = {
  /** Never sent: this server cannot be controlled through the vendor's relay. */
  "remoteControl/status/changed": notification(RemoteControlStatusChangedNotification),
};

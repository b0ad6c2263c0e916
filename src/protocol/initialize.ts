/** `initialize`. */
import { array, boolean, type Infer, maybe, named, object, optional, record, string, unknown } from "../lib/schema.ts";
import { request } from "./define.ts";
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

export const initializeRequests = {
  initialize: request({ params: InitializeParams, result: InitializeResponse }),
};

// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";

export type InitializeCapabilities = { experimentalApi?: boolean, explicitGatewayOauth?: boolean, extensions?: { [key in string]?: JsonValue } | null, mcpServerOpenaiFormElicitation?: boolean, optOutNotificationMethods?: Array<string> | null, requestAttestation?: boolean };

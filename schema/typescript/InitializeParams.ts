// Generated from the method tables of Parley's app-server. Do not edit.

import type { ClientInfo } from "./ClientInfo";
import type { InitializeCapabilities } from "./InitializeCapabilities";

export type InitializeParams = { clientInfo: ClientInfo, capabilities?: InitializeCapabilities | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { AccountRoutingOverride } from "./AccountRoutingOverride";

export type WorkspaceRouting = { accountRoutingOverride: AccountRoutingOverride, backendOrigin: string, chatgptAccountId: string };

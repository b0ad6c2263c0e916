// Generated from the method tables of Parley's app-server. Do not edit.

import type { AuthMode } from "./AuthMode";

export type AuthStatusChangeNotification = { authMethod?: AuthMode | null };

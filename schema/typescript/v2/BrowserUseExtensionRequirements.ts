// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestHeader } from "./RequestHeader";

export type BrowserUseExtensionRequirements = { requestHeaders?: Array<RequestHeader> | null };

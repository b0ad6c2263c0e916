// Generated from the method tables of Parley's app-server. Do not edit.

import type { BrowserUseExtensionRequirements } from "./BrowserUseExtensionRequirements";
import type { BrowserUseOriginPolicy } from "./BrowserUseOriginPolicy";

export type BrowserUseRequirements = { allowGlobalPersistentApproval?: boolean | null, allowHistoryAccess?: boolean | null, allowWebmcp?: boolean | null, defaultOriginPolicy?: BrowserUseOriginPolicy | null, disableAutoReview?: boolean | null, extension?: BrowserUseExtensionRequirements | null, origins?: { [key in string]?: BrowserUseOriginPolicy } | null };

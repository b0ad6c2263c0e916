// Generated from the method tables of Parley's app-server. Do not edit.

import type { BrowserUseOriginPolicyConfig } from "./BrowserUseOriginPolicyConfig";

export type BrowserUseConfig = { allow_history_access?: boolean | null, default_origin_policy?: BrowserUseOriginPolicyConfig | null, origins?: { [key in string]?: BrowserUseOriginPolicyConfig } | null };

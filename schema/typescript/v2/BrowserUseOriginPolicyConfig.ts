// Generated from the method tables of Parley's app-server. Do not edit.

import type { AllowDenyRequirement } from "./AllowDenyRequirement";

export type BrowserUseOriginPolicyConfig = { access?: AllowDenyRequirement | null, downloads?: AllowDenyRequirement | null, full_cdp_access?: AllowDenyRequirement | null, uploads?: AllowDenyRequirement | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { AllowDenyRequirement } from "./AllowDenyRequirement";
import type { BrowserUseAccessApprovalLifetime } from "./BrowserUseAccessApprovalLifetime";

export type BrowserUseOriginPolicy = { access?: AllowDenyRequirement | null, accessApprovalLifetime?: BrowserUseAccessApprovalLifetime | null, autoReview?: AllowDenyRequirement | null, downloads?: AllowDenyRequirement | null, fullCdpAccess?: AllowDenyRequirement | null, persistentApproval?: boolean | null, uploads?: AllowDenyRequirement | null };

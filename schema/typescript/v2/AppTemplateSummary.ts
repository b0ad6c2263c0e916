// Generated from the method tables of Parley's app-server. Do not edit.

import type { AppTemplateUnavailableReason } from "./AppTemplateUnavailableReason";

export type AppTemplateSummary = { materializedAppIds: Array<string>, name: string, templateId: string, canonicalConnectorId?: string | null, category?: string | null, description?: string | null, logoUrl?: string | null, logoUrlDark?: string | null, reason?: AppTemplateUnavailableReason | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigImportItemTypeFailure } from "./ExternalAgentConfigImportItemTypeFailure";
import type { ExternalAgentConfigImportItemTypeSuccess } from "./ExternalAgentConfigImportItemTypeSuccess";

export type ExternalAgentConfigImportHistory = { importId: string, completedAtMs: number, providerId?: string | null, successes: Array<ExternalAgentConfigImportItemTypeSuccess>, failures: Array<ExternalAgentConfigImportItemTypeFailure> };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigMigrationItemType } from "./ExternalAgentConfigMigrationItemType";

export type ExternalAgentConfigImportItemTypeFailure = { itemType: ExternalAgentConfigMigrationItemType, failureStage: string, message: string, errorType?: string | null, subErrorType?: string | null, cwd?: string | null, source?: string | null };

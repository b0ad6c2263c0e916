// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigMigrationItemType } from "./ExternalAgentConfigMigrationItemType";

export type ExternalAgentConfigImportHistoryRecordSuccessParams = { itemType: ExternalAgentConfigMigrationItemType, cwd?: string | null, source?: string | null, target?: string | null, title?: string | null };

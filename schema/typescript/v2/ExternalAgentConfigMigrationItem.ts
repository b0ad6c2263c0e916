// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigMigrationItemType } from "./ExternalAgentConfigMigrationItemType";
import type { MigrationDetails } from "./MigrationDetails";

export type ExternalAgentConfigMigrationItem = { itemType: ExternalAgentConfigMigrationItemType, description: string, cwd?: string | null, details?: MigrationDetails | null };

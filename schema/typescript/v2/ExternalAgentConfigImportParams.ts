// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigMigrationItem } from "./ExternalAgentConfigMigrationItem";

export type ExternalAgentConfigImportParams = { migrationItems: Array<ExternalAgentConfigMigrationItem>, migrationSource?: string | null, providerId?: string | null, source?: string | null };

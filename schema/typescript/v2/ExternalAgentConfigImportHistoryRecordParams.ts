// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigImportHistoryRecordTypeResultParams } from "./ExternalAgentConfigImportHistoryRecordTypeResultParams";

export type ExternalAgentConfigImportHistoryRecordParams = { itemTypeResults: Array<ExternalAgentConfigImportHistoryRecordTypeResultParams>, providerId: string };

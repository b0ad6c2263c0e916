// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigImportTypeResult } from "./ExternalAgentConfigImportTypeResult";

export type ExternalAgentConfigImportProgressNotification = { importId: string, itemTypeResults: Array<ExternalAgentConfigImportTypeResult> };

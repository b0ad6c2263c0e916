// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigImportHistory } from "./ExternalAgentConfigImportHistory";
import type { ExternalAgentImportedConnectorCandidate } from "./ExternalAgentImportedConnectorCandidate";

export type ExternalAgentConfigImportHistoriesReadResponse = { data: Array<ExternalAgentConfigImportHistory>, connectors: Array<ExternalAgentImportedConnectorCandidate> };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentConfigMigrationItem } from "./ExternalAgentConfigMigrationItem";
import type { ExternalAgentDetectedConnectorCandidate } from "./ExternalAgentDetectedConnectorCandidate";

export type ExternalAgentConfigDetectResponse = { items: Array<ExternalAgentConfigMigrationItem>, connectors?: Array<ExternalAgentDetectedConnectorCandidate> };

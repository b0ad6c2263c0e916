// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentImportedConnectorSource } from "./ExternalAgentImportedConnectorSource";

export type ExternalAgentImportedConnectorCandidate = { name: string, sessionCount: number, source: ExternalAgentImportedConnectorSource };

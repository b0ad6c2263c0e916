// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExternalAgentDetectedConnectorSource } from "./ExternalAgentDetectedConnectorSource";

export type ExternalAgentDetectedConnectorCandidate = { name: string, sessionCount: number, source: ExternalAgentDetectedConnectorSource };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { NetworkApprovalProtocol } from "./NetworkApprovalProtocol";

export type NetworkApprovalContext = { host: string, protocol: NetworkApprovalProtocol };

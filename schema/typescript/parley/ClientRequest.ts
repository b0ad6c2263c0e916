// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestId } from "../RequestId";
import type { PluginTrustAcceptParams } from "./PluginTrustAcceptParams";
import type { TurnFilesReadParams } from "./TurnFilesReadParams";
import type { TurnRevertParams } from "./TurnRevertParams";

export type ClientRequest = { method: "plugin/trust/list", id: RequestId } | { method: "plugin/trust/accept", id: RequestId, params: PluginTrustAcceptParams } | { method: "sandbox/read", id: RequestId } | { method: "turn/files/read", id: RequestId, params: TurnFilesReadParams } | { method: "turn/revert", id: RequestId, params: TurnRevertParams };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { RequestId } from "../RequestId";
import type { TurnRevertParams } from "./TurnRevertParams";

export type ClientRequest = { method: "sandbox/read", id: RequestId } | { method: "turn/revert", id: RequestId, params: TurnRevertParams };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { TurnAbortReason } from "./TurnAbortReason";

export type InterruptConversationResponse = { abortReason: TurnAbortReason };

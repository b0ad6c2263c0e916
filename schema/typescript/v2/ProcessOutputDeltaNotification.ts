// Generated from the method tables of Parley's app-server. Do not edit.

import type { ProcessOutputStream } from "./ProcessOutputStream";

export type ProcessOutputDeltaNotification = { capReached: boolean, deltaBase64: string, processHandle: string, stream: ProcessOutputStream };

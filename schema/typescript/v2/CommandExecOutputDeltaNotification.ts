// Generated from the method tables of Parley's app-server. Do not edit.

import type { CommandExecOutputStream } from "./CommandExecOutputStream";

export type CommandExecOutputDeltaNotification = { capReached: boolean, deltaBase64: string, processId: string, stream: CommandExecOutputStream };

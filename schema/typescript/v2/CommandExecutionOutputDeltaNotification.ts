// Generated from the method tables of Parley's app-server. Do not edit.

import type { OutputRun } from "./OutputRun";

export type CommandExecutionOutputDeltaNotification = { delta: string, itemId: string, threadId: string, turnId: string, runs?: Array<OutputRun> };

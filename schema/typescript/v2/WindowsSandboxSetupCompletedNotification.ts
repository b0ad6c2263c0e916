// Generated from the method tables of Parley's app-server. Do not edit.

import type { WindowsSandboxSetupMode } from "./WindowsSandboxSetupMode";

export type WindowsSandboxSetupCompletedNotification = { error?: string | null, mode: WindowsSandboxSetupMode, success: boolean };

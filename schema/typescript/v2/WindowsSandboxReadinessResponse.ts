// Generated from the method tables of Parley's app-server. Do not edit.

import type { WindowsSandboxReadiness } from "./WindowsSandboxReadiness";

export type WindowsSandboxReadinessResponse = { status: WindowsSandboxReadiness };

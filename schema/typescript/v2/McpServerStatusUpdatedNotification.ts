// Generated from the method tables of Parley's app-server. Do not edit.

import type { McpServerStartupFailureReason } from "./McpServerStartupFailureReason";
import type { McpServerStartupState } from "./McpServerStartupState";

export type McpServerStatusUpdatedNotification = { name: string, status: McpServerStartupState, error?: string | null, failureReason?: McpServerStartupFailureReason | null, threadId?: string | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { RequestPermissionProfile } from "./RequestPermissionProfile";

export type PermissionsRequestApprovalParams = { cwd: LegacyAppPathString, itemId: string, permissions: RequestPermissionProfile, startedAtMs: number, threadId: string, turnId: string, environmentId?: string | null, reason?: string | null, agentNickname?: string | null, agentRole?: string | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { GuardianCommandSource } from "./GuardianCommandSource";
import type { NetworkApprovalProtocol } from "./NetworkApprovalProtocol";
import type { RequestPermissionProfile } from "./RequestPermissionProfile";

export type GuardianApprovalReviewAction = { type: "command", command: string, cwd: LegacyAppPathString, source: GuardianCommandSource } | { type: "execve", argv: Array<string>, cwd: AbsolutePathBuf, program: string, source: GuardianCommandSource } | { type: "writeStdin", approvalId: string, cwd: LegacyAppPathString, processId: string, stdin: string } | { type: "applyPatch", cwd: LegacyAppPathString, files: Array<LegacyAppPathString> } | { type: "networkAccess", host: string, port: number, protocol: NetworkApprovalProtocol, target: string } | { type: "mcpToolCall", server: string, toolName: string, connectorId?: string | null, connectorName?: string | null, toolTitle?: string | null } | { type: "requestPermissions", permissions: RequestPermissionProfile, reason?: string | null };

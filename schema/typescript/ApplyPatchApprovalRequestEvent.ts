// Generated from the method tables of Parley's app-server. Do not edit.

import type { FileChange } from "./FileChange";

export type ApplyPatchApprovalRequestEvent = { type: "apply_patch_approval_request", call_id: string, turn_id?: string, changes: { [key in string]?: FileChange }, reason?: string | null, grant_root?: string | null };

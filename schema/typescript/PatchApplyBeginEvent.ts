// Generated from the method tables of Parley's app-server. Do not edit.

import type { FileChange } from "./FileChange";

export type PatchApplyBeginEvent = { type: "patch_apply_begin", call_id: string, turn_id?: string, auto_approved: boolean, changes: { [key in string]?: FileChange } };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { FileChange } from "./FileChange";

export type PatchApplyEndEvent = { type: "patch_apply_end", call_id: string, turn_id?: string, stdout: string, stderr: string, success: boolean, changes?: { [key in string]?: FileChange } };

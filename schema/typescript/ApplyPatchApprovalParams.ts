// Generated from the method tables of Parley's app-server. Do not edit.

import type { FileChange } from "./FileChange";
import type { ThreadId } from "./ThreadId";

export type ApplyPatchApprovalParams = { conversationId: ThreadId, callId: string, fileChanges: { [key in string]?: FileChange }, reason?: string | null, grantRoot?: string | null };

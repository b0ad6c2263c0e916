// Generated from the method tables of Parley's app-server. Do not edit.

import type { ParsedCommand } from "./ParsedCommand";
import type { ThreadId } from "./ThreadId";

export type ExecCommandApprovalParams = { conversationId: ThreadId, callId: string, approvalId?: string | null, command: Array<string>, cwd: string, reason?: string | null, parsedCmd: Array<ParsedCommand> };

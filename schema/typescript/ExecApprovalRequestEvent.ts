// Generated from the method tables of Parley's app-server. Do not edit.

import type { ParsedCommand } from "./ParsedCommand";

export type ExecApprovalRequestEvent = { type: "exec_approval_request", call_id: string, turn_id?: string, command: Array<string>, cwd: string, reason?: string | null, proposed_execpolicy_amendment?: Array<string> | null, parsed_cmd: Array<ParsedCommand> };

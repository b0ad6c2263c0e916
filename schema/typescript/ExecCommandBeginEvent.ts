// Generated from the method tables of Parley's app-server. Do not edit.

import type { ExecCommandSource } from "./ExecCommandSource";
import type { ParsedCommand } from "./ParsedCommand";

export type ExecCommandBeginEvent = { type: "exec_command_begin", call_id: string, process_id?: string | null, turn_id: string, command: Array<string>, cwd: string, parsed_cmd: Array<ParsedCommand>, source?: ExecCommandSource, interaction_input?: string | null };

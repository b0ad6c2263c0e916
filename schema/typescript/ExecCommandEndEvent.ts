// Generated from the method tables of Parley's app-server. Do not edit.

import type { Duration } from "./Duration";
import type { ExecCommandSource } from "./ExecCommandSource";
import type { ParsedCommand } from "./ParsedCommand";

export type ExecCommandEndEvent = { type: "exec_command_end", call_id: string, process_id?: string | null, turn_id: string, command: Array<string>, cwd: string, parsed_cmd: Array<ParsedCommand>, source?: ExecCommandSource, interaction_input?: string | null, stdout: string, stderr: string, aggregated_output?: string, exit_code: number, duration: Duration, formatted_output: string, status?: string };

// Generated from the method tables of Parley's app-server. Do not edit.

export type ExecCommandOutputDeltaEvent = { type: "exec_command_output_delta", call_id: string, stream: "stdout" | "stderr", chunk: string };

// Generated from the method tables of Parley's app-server. Do not edit.

export type LocalShellAction = { type: "exec", command: Array<string>, env?: { [key in string]?: string } | null, timeout_ms?: number | null, user?: string | null, working_directory?: string | null };

// Generated from the method tables of Parley's app-server. Do not edit.

export type FileChange = { type: "add", content: string } | { type: "delete", content: string } | { type: "update", unified_diff: string, move_path?: string | null, unifiedDiff?: string, movePath?: string | null };

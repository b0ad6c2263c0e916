// Generated from the method tables of Parley's app-server. Do not edit.

export type PatchChangeKind = { type: "add" } | { type: "delete" } | { type: "update", move_path?: string | null };

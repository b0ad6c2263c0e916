// Generated from the method tables of Parley's app-server. Do not edit.

export type GitChangedFile = { path: string, oldPath: string | null, change: "add" | "delete" | "update" | "rename" | "type", untracked: boolean, submodule: boolean, binary: boolean, added: number, removed: number, id: string, fixed: string | null, omitted: boolean };

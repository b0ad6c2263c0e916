// Generated from the method tables of Parley's app-server. Do not edit.

export type FileBefore = { type: "absent" | "notKept" | "link" } | { type: "file", dataBase64: string };

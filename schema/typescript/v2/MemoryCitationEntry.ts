// Generated from the method tables of Parley's app-server. Do not edit.

export type MemoryCitationEntry = { lineEnd: number, lineStart: number, note: string, path: string };

// Generated from the method tables of Parley's app-server. Do not edit.

export type FsGetMetadataResponse = { createdAtMs: number, isDirectory: boolean, isFile: boolean, isSymlink: boolean, modifiedAtMs: number };

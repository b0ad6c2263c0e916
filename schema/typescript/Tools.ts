// Generated from the method tables of Parley's app-server. Do not edit.

export type Tools = { viewImage?: boolean | null, webSearch?: boolean | null };

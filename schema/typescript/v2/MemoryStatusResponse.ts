// Generated from the method tables of Parley's app-server. Do not edit.

export type MemoryStatusResponse = { v2ConsolidatedThreads: number, v2Ready: boolean };

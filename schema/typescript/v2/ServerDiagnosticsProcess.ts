// Generated from the method tables of Parley's app-server. Do not edit.

export type ServerDiagnosticsProcess = { id: number, physicalFootprintBytes?: number | null, residentMemoryBytes?: number | null };

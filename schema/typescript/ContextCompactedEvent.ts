// Generated from the method tables of Parley's app-server. Do not edit.

export type ContextCompactedEvent = { type: "context_compacted" };

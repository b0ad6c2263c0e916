// Generated from the method tables of Parley's app-server. Do not edit.

export type ModelServiceTier = { description: string, id: string, name: string };

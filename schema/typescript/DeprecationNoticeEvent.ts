// Generated from the method tables of Parley's app-server. Do not edit.

export type DeprecationNoticeEvent = { type: "deprecation_notice", summary: string, details?: string | null };

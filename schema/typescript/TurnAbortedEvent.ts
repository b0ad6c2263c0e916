// Generated from the method tables of Parley's app-server. Do not edit.

export type TurnAbortedEvent = { type: "turn_aborted", reason: "interrupted" | "replaced" | "review_ended" };

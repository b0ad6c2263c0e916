// Generated from the method tables of Parley's app-server. Do not edit.

export type ReviewDecision = "approved" | "approved_for_session" | "denied" | "abort" | { approved_execpolicy_amendment: { proposed_execpolicy_amendment: Array<string> } };

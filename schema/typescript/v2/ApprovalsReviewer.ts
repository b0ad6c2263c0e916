// Generated from the method tables of Parley's app-server. Do not edit.

export type ApprovalsReviewer = "user" | "auto_review" | "guardian_subagent";

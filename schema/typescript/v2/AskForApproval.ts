// Generated from the method tables of Parley's app-server. Do not edit.

export type AskForApproval = "untrusted" | "on-failure" | "on-request" | "never" | { granular: { mcp_elicitations: boolean, rules: boolean, sandbox_approval: boolean, request_permissions?: boolean, skill_approval?: boolean } };

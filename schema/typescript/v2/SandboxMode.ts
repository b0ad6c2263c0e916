// Generated from the method tables of Parley's app-server. Do not edit.

export type SandboxMode = "read-only" | "workspace-write" | "danger-full-access";

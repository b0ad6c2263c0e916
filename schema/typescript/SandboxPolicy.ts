// Generated from the method tables of Parley's app-server. Do not edit.

export type SandboxPolicy = { type: "danger-full-access" } | { type: "read-only" } | { type: "external-sandbox", network_access?: "restricted" | "enabled" } | { type: "workspace-write", writable_roots?: Array<string>, network_access?: boolean, exclude_tmpdir_env_var?: boolean, exclude_slash_tmp?: boolean };

// Generated from the method tables of Parley's app-server. Do not edit.

export type SandboxWorkspaceWrite = { exclude_slash_tmp?: boolean, exclude_tmpdir_env_var?: boolean, network_access?: boolean, writable_roots?: Array<string> };

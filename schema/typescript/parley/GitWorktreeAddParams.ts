// Generated from the method tables of Parley's app-server. Do not edit.

export type GitWorktreeAddParams = { cwd: string, branch?: string | null };

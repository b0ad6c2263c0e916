// Generated from the method tables of Parley's app-server. Do not edit.

export type GitStatus = { root: string, branch: string | null, sha: string | null, base: { name: string, sha: string } | null, upstream: { name: string, ahead: number, behind: number } | null, ahead: number, underway: string | null, staged: number, unstaged: number, untracked: number, conflicts: Array<string>, branches: Array<string>, remote: { name: string, url: string } | null, forge: string | null, hooks: Array<string>, signs: boolean, worktree: { root: string, branch: string | null, isOurs: boolean } | null };

/**
 * Port: a person's own work with the git repository of a folder: looking at changes, staging, committing, pushing, worktrees. Nothing that
 * the repository configures is run (hooks, filters, fsmonitor, textconv, external diffs), except by a commit that asks for it.
 */

/** Which two states are compared: HEAD and the index, the index and the files, or the default branch's merge base and the files. */
export type DiffScope = "staged" | "unstaged" | "branch";

export interface RepositoryStatus {
  readonly root: string;
  /** Null for a detached HEAD. */
  readonly branch: string | null;
  /** Null before the first commit. */
  readonly sha: string | null;
  /** What the branch is compared with. */
  readonly base: { readonly name: string; readonly sha: string } | null;
  /** The branch's counterpart on a remote, as far as this repository knows it. */
  readonly upstream: { readonly name: string; readonly ahead: number; readonly behind: number } | null;
  /** Commits on top of the base. */
  readonly ahead: number;
  /** What a person has begun and not finished: "merge", "rebase" … */
  readonly underway: string | null;
  readonly staged: number;
  readonly unstaged: number;
  readonly untracked: number;
  readonly conflicts: readonly string[];
  readonly branches: readonly string[];
  readonly remote: { readonly name: string; readonly url: string } | null;
  /** The program that opens pull requests for this remote: `gh`, `glab`; null if there is none. */
  readonly forge: string | null;
  /** The hooks that a commit in a terminal would run. */
  readonly hooks: readonly string[];
  /** The user's settings ask for signed commits. */
  readonly signs: boolean;
  /** Set in a linked worktree. */
  readonly worktree: { readonly root: string; readonly branch: string | null; readonly isOurs: boolean } | null;
}

export interface ChangedFile {
  readonly path: string;
  readonly oldPath: string | null;
  readonly change: "add" | "delete" | "update" | "rename" | "type";
  /** Not known to git yet. */
  readonly untracked: boolean;
  readonly submodule: boolean;
  readonly binary: boolean;
  readonly added: number;
  readonly removed: number;
  /** Names exactly this change: an action on it is refused when the file has changed since. */
  readonly id: string;
  /** Why the page cannot stage or revert it; null if it can. */
  readonly fixed: string | null;
  /** The diff does not contain it, because it is too large. */
  readonly omitted: boolean;
}

export interface RepositoryDiff {
  readonly root: string;
  readonly base: string | null;
  readonly diff: string;
  readonly files: readonly ChangedFile[];
  readonly truncated: boolean;
}

export interface ShownChange {
  readonly scope: DiffScope;
  readonly path: string;
  readonly id: string;
}

export interface CommitRequest {
  readonly message: string;
  /** The current branch if omitted; otherwise a new one, or one that is at the same commit. */
  readonly branch: string | undefined;
  /** Stages every change first. */
  readonly all: boolean;
  /** As `git commit` in a terminal: with the repository's hooks and filters and the user's signature. */
  readonly asInTerminal: boolean;
}

export interface PullRequest {
  readonly url: string;
  readonly number: number;
  readonly title: string;
  readonly state: "open" | "draft" | "merged" | "closed";
  readonly checks: "none" | "pending" | "passed" | "failed";
}

export interface PullRequestDraft {
  readonly title: string;
  readonly body: string;
  /** The base branch; the default branch if omitted. */
  readonly base: string | undefined;
  readonly draft: boolean;
}

/** The content of a file in the index or in a commit. */
export type GitBlob =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly bytes: Uint8Array; readonly isExecutable: boolean }
  | { readonly kind: "link"; readonly target: string };

export interface Repositories {
  /** Undefined outside a repository, and without git. */
  status(cwd: string, signal: AbortSignal): Promise<RepositoryStatus | undefined>;
  diff(cwd: string, scope: DiffScope, signal: AbortSignal): Promise<RepositoryDiff>;
  /** Stages a change of the scope "unstaged", or takes one of the scope "staged" out of the index: the whole file, or one hunk by its number. */
  stage(cwd: string, shown: ShownChange, hunk: number | undefined, signal: AbortSignal): Promise<void>;
  /** What a file, and the name it had before, would become if a shown change was taken back. */
  before(cwd: string, shown: ShownChange, signal: AbortSignal): Promise<readonly { readonly path: string; readonly blob: GitBlob }[]>;
  commit(cwd: string, request: CommitRequest, signal: AbortSignal): Promise<{ readonly sha: string; readonly branch: string }>;
  push(cwd: string, signal: AbortSignal): Promise<{ readonly remote: string; readonly branch: string }>;
  pullRequest(cwd: string, signal: AbortSignal): Promise<PullRequest | null>;
  openPullRequest(cwd: string, draft: PullRequestDraft, signal: AbortSignal): Promise<PullRequest>;
  /** The same folder in a new checkout at the current commit; without a branch its HEAD is detached. */
  addWorktree(cwd: string, branch: string | undefined, signal: AbortSignal): Promise<{ readonly folder: string; readonly root: string }>;
  /** Merges a worktree's branch into what is checked out in the repository's own folder, and removes the worktree. With conflicts nothing is changed. */
  mergeWorktree(cwd: string, signal: AbortSignal): Promise<MergedWorktree>;
  /** Removes a worktree and its branch. What only it contained stays in the repository under `kept`, a ref. */
  removeWorktree(cwd: string, options: { readonly onlyIfMerged: boolean }, signal: AbortSignal): Promise<RemovedWorktree>;
}

export interface MergedWorktree {
  readonly into: string;
  readonly sha: string;
  /** If there are any, nothing was changed. */
  readonly conflicts: readonly { readonly path: string; readonly reason: string }[];
}
export interface RemovedWorktree {
  readonly removed: boolean;
  /** Null if nothing but the repository's own commits was in it. */
  readonly kept: string | null;
}

/** Why it was not done, in words for the person. */
export class RepositoryRefusal extends Error {
  readonly kind: "noGit" | "noRepository" | "stale" | "busy" | "refused";
  constructor(kind: RepositoryRefusal["kind"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

/** A person's own work with the git repository of a folder, which Codex does not have. Implemented in server/git.ts. */
import { array, boolean, type Infer, integer, literals, maybe, named, natural, nullable, object, optional, string } from "../lib/schema.ts";
import { byThread, Empty, request } from "./define.ts";
import { invalidRequest } from "./errors.ts";
import { limitAbsolutePath, limitPath } from "./limits.ts";

export const GitDiffScope = named("GitDiffScope", () => literals("staged", "unstaged", "branch"));
export type GitDiffScope = Infer<typeof GitDiffScope>;

export const GitStatus = named("GitStatus", () =>
  object({
    root: string(),
    branch: nullable(string()),
    sha: nullable(string()),
    base: nullable(object({ name: string(), sha: string() })),
    upstream: nullable(object({ name: string(), ahead: natural(), behind: natural() })),
    ahead: natural(),
    underway: nullable(string()),
    staged: natural(),
    unstaged: natural(),
    untracked: natural(),
    conflicts: array(string()),
    branches: array(string()),
    remote: nullable(object({ name: string(), url: string() })),
    forge: nullable(string()),
    hooks: array(string()),
    signs: boolean(),
    worktree: nullable(object({ root: string(), branch: nullable(string()), isOurs: boolean() })),
  }),
);
export type GitStatus = Infer<typeof GitStatus>;

export const GitFolderParams = named("GitFolderParams", () => object({ cwd: string() }));
export type GitFolderParams = Infer<typeof GitFolderParams>;

export const GitStatusResponse = named("GitStatusResponse", () => object({ repository: nullable(GitStatus()) }));
export type GitStatusResponse = Infer<typeof GitStatusResponse>;

export const GitDiffParams = named("GitDiffParams", () => object({ cwd: string(), scope: GitDiffScope() }));
export type GitDiffParams = Infer<typeof GitDiffParams>;

export const GitChangedFile = named("GitChangedFile", () =>
  object({
    path: string(),
    oldPath: nullable(string()),
    change: literals("add", "delete", "update", "rename", "type"),
    untracked: boolean(),
    submodule: boolean(),
    binary: boolean(),
    added: natural(),
    removed: natural(),
    id: string(),
    fixed: nullable(string()),
    omitted: boolean(),
  }),
);
export type GitChangedFile = Infer<typeof GitChangedFile>;

export const GitDiffResponse = named("GitDiffResponse", () =>
  object({ root: string(), base: nullable(string()), diff: string(), files: array(GitChangedFile()), truncated: boolean() }),
);
export type GitDiffResponse = Infer<typeof GitDiffResponse>;

export const GitStageParams = named("GitStageParams", () =>
  object({ cwd: string(), scope: literals("staged", "unstaged"), path: string(), id: string(), hunk: optional(natural()) }),
);
export type GitStageParams = Infer<typeof GitStageParams>;

export const GitRevertParams = named("GitRevertParams", () =>
  object({ threadId: string(), cwd: string(), scope: literals("unstaged", "branch"), path: string(), id: string() }),
);
export type GitRevertParams = Infer<typeof GitRevertParams>;

export const PatchRevertParams = named("PatchRevertParams", () => object({ threadId: string(), folder: string(), patch: string() }));
export type PatchRevertParams = Infer<typeof PatchRevertParams>;

/** `undoId` is accepted as a turn's id by `turn/revert`, which brings back what was there. */
export const GitRevertResponse = named("GitRevertResponse", () => object({ undoId: string(), restored: array(string()) }));
export type GitRevertResponse = Infer<typeof GitRevertResponse>;

export const GitCommitParams = named("GitCommitParams", () =>
  object({ cwd: string(), message: string(), branch: maybe(string()), all: optional(boolean()), asInTerminal: optional(boolean()) }),
);
export type GitCommitParams = Infer<typeof GitCommitParams>;

export const GitCommitResponse = named("GitCommitResponse", () => object({ sha: string(), branch: string() }));
export type GitCommitResponse = Infer<typeof GitCommitResponse>;

export const GitPushResponse = named("GitPushResponse", () => object({ remote: string(), branch: string() }));
export type GitPushResponse = Infer<typeof GitPushResponse>;

export const GitPullRequest = named("GitPullRequest", () =>
  object({
    url: string(),
    number: integer(),
    title: string(),
    state: literals("open", "draft", "merged", "closed"),
    checks: literals("none", "pending", "passed", "failed"),
  }),
);
export type GitPullRequest = Infer<typeof GitPullRequest>;

export const GitPullRequestReadResponse = named("GitPullRequestReadResponse", () => object({ pullRequest: nullable(GitPullRequest()) }));
export type GitPullRequestReadResponse = Infer<typeof GitPullRequestReadResponse>;

export const GitPullRequestCreateParams = named("GitPullRequestCreateParams", () =>
  object({ cwd: string(), title: string(), body: optional(string()), base: maybe(string()), draft: optional(boolean()) }),
);
export type GitPullRequestCreateParams = Infer<typeof GitPullRequestCreateParams>;

export const GitPullRequestCreateResponse = named("GitPullRequestCreateResponse", () => object({ pullRequest: GitPullRequest() }));
export type GitPullRequestCreateResponse = Infer<typeof GitPullRequestCreateResponse>;

export const GitWorktreeAddParams = named("GitWorktreeAddParams", () => object({ cwd: string(), branch: maybe(string()) }));
export type GitWorktreeAddParams = Infer<typeof GitWorktreeAddParams>;

export const GitWorktreeAddResponse = named("GitWorktreeAddResponse", () => object({ folder: string(), root: string() }));
export type GitWorktreeAddResponse = Infer<typeof GitWorktreeAddResponse>;

export const GitWorktreeMergeResponse = named("GitWorktreeMergeResponse", () =>
  object({ into: string(), sha: string(), conflicts: array(object({ path: string(), reason: string() })) }),
);
export type GitWorktreeMergeResponse = Infer<typeof GitWorktreeMergeResponse>;

export const GitWorktreeRemoveParams = named("GitWorktreeRemoveParams", () => object({ cwd: string(), onlyIfMerged: optional(boolean()) }));
export type GitWorktreeRemoveParams = Infer<typeof GitWorktreeRemoveParams>;

export const GitWorktreeRemoveResponse = named("GitWorktreeRemoveResponse", () => object({ removed: boolean(), kept: nullable(string()) }));
export type GitWorktreeRemoveResponse = Infer<typeof GitWorktreeRemoveResponse>;

const maxMessage = 100_000;
const maxPatch = 4_000_000;
const inFolder = ({ cwd }: { cwd: string }): void => limitAbsolutePath("cwd", cwd);
const onFile = ({ cwd, path }: { cwd: string; path: string }): void => {
  limitAbsolutePath("cwd", cwd);
  limitPath("path", path);
};
/** One after another in a repository's folder. */
const byFolder = ({ cwd }: { cwd: string }): string => `git:${cwd}`;
const own = { experimental: true, own: true } as const;

function limitMessage(field: string, text: string, max = maxMessage): void {
  if (text.length > max) throw invalidRequest(`${field} must have at most ${max} characters`);
}

export const gitRequests = {
  /** Branch, remote and counts of changes of the repository that a folder is in; null outside one. Nothing that the repository configures is run, by this and all the other `git/` methods. */
  "git/status": request({ params: GitFolderParams, result: GitStatusResponse, limits: inFolder, ...own }),
  /** The changes of files: staged, not staged (with new files), or of the branch since it left the default branch. */
  "git/diff": request({ params: GitDiffParams, result: GitDiffResponse, limits: inFolder, ...own }),
  /** Stages a change that `git/diff` showed as not staged, or unstages a staged one: the whole file, or one hunk by its number. */
  "git/stage": request({ params: GitStageParams, result: Empty, order: byFolder, limits: onFile, ...own }),
  /** Restores a file to its state in the index, or to the one before the branch; what was there is kept for `turn/revert` with the returned id. */
  "git/revert": request({ params: GitRevertParams, result: GitRevertResponse, order: byThread, limits: onFile, ...own }),
  /** Takes back what a diff of one file shows, in the file as it is now; refused if the file no longer has these lines. */
  "patch/revert": request({
    params: PatchRevertParams,
    result: GitRevertResponse,
    order: byThread,
    limits({ folder, patch }) {
      limitAbsolutePath("folder", folder);
      limitMessage("patch", patch, maxPatch);
    },
    ...own,
  }),
  /** Commits what is staged, or every change, on the current or a new branch. Hooks and filters run only with `asInTerminal`, which also signs as the user's settings say. */
  "git/commit": request({
    params: GitCommitParams,
    result: GitCommitResponse,
    order: byFolder,
    limits(params) {
      inFolder(params);
      limitMessage("message", params.message);
    },
    ...own,
  }),
  /** Pushes the current branch to its remote, with the user's own credentials and none of the repository's settings. */
  "git/push": request({ params: GitFolderParams, result: GitPushResponse, order: byFolder, limits: inFolder, ...own }),
  /** The pull request of the current branch and the state of its checks, from `gh` or `glab`. */
  "git/pullRequest/read": request({ params: GitFolderParams, result: GitPullRequestReadResponse, limits: inFolder, ...own }),
  /** Opens a pull request for the current branch, with `gh` or `glab`. */
  "git/pullRequest/create": request({
    params: GitPullRequestCreateParams,
    result: GitPullRequestCreateResponse,
    order: byFolder,
    limits(params) {
      inFolder(params);
      limitMessage("title", params.title, 1000);
      limitMessage("body", params.body ?? "");
    },
    ...own,
  }),
  /** A new worktree at the current commit, with a branch of its own, under `~/.local/share/parley`. */
  "git/worktree/add": request({ params: GitWorktreeAddParams, result: GitWorktreeAddResponse, order: byFolder, limits: inFolder, ...own }),
  /** Merges a worktree's branch into what is checked out in the repository's own folder and removes the worktree; with conflicts nothing is changed. */
  "git/worktree/merge": request({ params: GitFolderParams, result: GitWorktreeMergeResponse, order: byFolder, limits: inFolder, ...own }),
  /** Removes a worktree and its branch; what only it contained stays in the repository under the returned ref. */
  "git/worktree/remove": request({
    params: GitWorktreeRemoveParams,
    result: GitWorktreeRemoveResponse,
    order: byFolder,
    limits: inFolder,
    ...own,
  }),
};

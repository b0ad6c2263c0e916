/** The routes for the repository that a session works in: its changes, commits, pull request and worktree, and taking changes back. */
import { array, boolean, integer, literals, maybe, named, natural, nullable, object, optional, string } from "../../lib/schema.ts";
import { GitDiffResponse, GitPullRequest, GitStatus } from "../../protocol/git.ts";
import { SessionSummary } from "../../sessions/records.ts";
import { bounded, route } from "./define.ts";
import { DeletedSession, Failure, InvalidRequest, SessionNotFound, SystemSession } from "./records.ts";

const seen = { 404: SessionNotFound, 410: DeletedSession } as const;
const gone = { 403: SystemSession, ...seen } as const;
const engine = { 409: Failure, 501: Failure } as const;

const name = () => bounded(string(), { minLength: 1, maxLength: 8192 });
const id = () => bounded(string(), { minLength: 1, maxLength: 200 });
const FileConflict = named("FileConflict", () => object({ path: string(), reason: string() }));
const Reverted = named("RevertedChange", () =>
  object({ status: literals("ok"), sessionId: string(), undoId: string(), restored: array(string()) }),
);
const CommitBody = named("CommitBody", () =>
  object({
    message: bounded(string(), { minLength: 1, maxLength: 100_000 }),
    /** A new branch, or one at the same commit; the current one if omitted. */
    branch: maybe(bounded(string(), { minLength: 1, maxLength: 250 })),
    /** Stages every change first. */
    all: optional(boolean()),
  }),
);
const Committed = named("Committed", () => object({ status: literals("ok"), sessionId: string(), sha: string(), branch: string() }));
const WorktreeEnded = named("WorktreeEnded", () =>
  object({ status: literals("ok"), sessionId: string(), session: SessionSummary(), into: nullable(string()), kept: nullable(string()) }),
);

export const gitRoutes = {
  "GET /api/git": route({
    summary: "The repository that a folder is in, before a session is started there; null outside one",
    scope: "drive",
    query: named("GitFolderQuery", () => object({ cwd: bounded(string(), { minLength: 1, maxLength: 8192 }) })),
    answers: {
      200: named("GitFolder", () =>
        object({ repository: nullable(object({ root: string(), branch: nullable(string()), sha: nullable(string()) })) }),
      ),
      400: InvalidRequest,
      501: Failure,
    },
  }),
  "GET /api/sessions/:sessionId/git": route({
    summary: "Branch, remote and counts of changes of the session's repository, and its pull request; null outside one",
    scope: "read",
    /** Asks for the pull request and its checks again. */
    query: named("GitQuery", () => object({ refresh: optional(boolean()) })),
    answers: {
      200: named("SessionGit", () =>
        object({
          sessionId: string(),
          repository: nullable(GitStatus()),
          pullRequest: nullable(GitPullRequest()),
          /** Why the pull request could not be asked for. */
          problem: nullable(string()),
        }),
      ),
      400: InvalidRequest,
      ...seen,
      501: Failure,
    },
  }),
  "GET /api/sessions/:sessionId/git/diff": route({
    summary: "The changes of files: staged, not staged, or of the branch",
    scope: "read",
    query: named("GitDiffQuery", () => object({ scope: literals("staged", "unstaged", "branch") })),
    answers: { 200: GitDiffResponse, 400: InvalidRequest, ...seen, ...engine },
  }),
  "POST /api/sessions/:sessionId/git/stage": route({
    summary: "Stage a shown change, or unstage a staged one: the whole file, or one hunk by its number",
    scope: "drive",
    body: named("GitStage", () =>
      object({ scope: literals("staged", "unstaged"), path: name(), id: id(), hunk: optional(bounded(natural(), { maximum: 1_000_000 })) }),
    ),
    answers: {
      200: named("GitStaged", () => object({ status: literals("ok"), sessionId: string() })),
      400: InvalidRequest,
      ...gone,
      ...engine,
    },
  }),
  "POST /api/sessions/:sessionId/git/revert": route({
    summary: "Restore a file to its state in the index or before the branch; what was there is kept",
    scope: "drive",
    body: named("GitRevert", () => object({ scope: literals("unstaged", "branch"), path: name(), id: id() })),
    answers: { 200: Reverted, 400: InvalidRequest, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/changes/revert": route({
    summary: "Take back what a diff of one file shows, in the file as it is now; what was there is kept",
    scope: "drive",
    body: named("ChangeRevert", () =>
      object({
        patch: bounded(string(), { minLength: 1, maxLength: 4_000_000 }),
        /** What the diff's names are relative to. */
        of: literals("session", "repository"),
      }),
    ),
    answers: { 200: Reverted, 400: InvalidRequest, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/changes/restore": route({
    summary: "Bring back what a revert replaced",
    scope: "drive",
    body: named("ChangeRestore", () => object({ undoId: id(), force: optional(boolean()) })),
    answers: {
      200: named("RestoredChange", () => object({ restored: array(string()), conflicts: array(FileConflict()) })),
      400: InvalidRequest,
      ...gone,
      ...engine,
    },
  }),
  "GET /api/sessions/:sessionId/rollback/check": route({
    summary: "What restoring the files of the last turns would do, and which files are in its way",
    scope: "read",
    query: named("RollbackCheckQuery", () => object({ numTurns: optional(bounded(integer(), { minimum: 1, maximum: 100 })) })),
    answers: {
      200: named("RollbackCheck", () =>
        object({ files: array(object({ path: string(), becomes: literals("restored", "deleted") })), conflicts: array(FileConflict()) }),
      ),
      400: InvalidRequest,
      ...seen,
      ...engine,
    },
  }),
  "POST /api/sessions/:sessionId/git/draft": route({
    summary: "A message for a commit or a pull request, written by the session's model; nothing of it is stored",
    scope: "drive",
    body: named("GitDraft", () => object({ scope: literals("staged", "all", "branch") })),
    answers: { 200: named("GitDrafted", () => object({ text: string() })), 400: InvalidRequest, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/git/commit": route({
    summary: "Commit what is staged, or every change, without running hooks",
    scope: "drive",
    body: CommitBody,
    answers: { 200: Committed, 400: InvalidRequest, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/git/commit/as-in-terminal": route({
    summary: "Commit as git in a terminal does: hooks and filters of the repository run outside the sandbox, and the commit is signed",
    scope: "admin",
    body: CommitBody,
    answers: { 200: Committed, 400: InvalidRequest, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/git/push": route({
    summary: "Push the branch to its remote",
    scope: "drive",
    answers: {
      200: named("Pushed", () => object({ status: literals("ok"), sessionId: string(), remote: string(), branch: string() })),
      ...gone,
      ...engine,
    },
  }),
  "POST /api/sessions/:sessionId/git/pull-request": route({
    summary: "Open a pull request for the branch with gh or glab",
    scope: "drive",
    body: named("PullRequestOpen", () =>
      object({
        title: bounded(string(), { minLength: 1, maxLength: 1000 }),
        body: optional(bounded(string(), { maxLength: 100_000 })),
        base: maybe(bounded(string(), { minLength: 1, maxLength: 250 })),
        draft: optional(boolean()),
      }),
    ),
    answers: {
      200: named("PullRequestOpened", () => object({ status: literals("ok"), sessionId: string(), pullRequest: GitPullRequest() })),
      400: InvalidRequest,
      ...gone,
      ...engine,
    },
  }),
  "POST /api/sessions/:sessionId/git/worktree/merge": route({
    summary: "Merge the session's worktree into the repository and remove it; with conflicts (409 `conflicts`) nothing is changed",
    scope: "drive",
    answers: { 200: WorktreeEnded, ...gone, ...engine },
  }),
  "POST /api/sessions/:sessionId/git/worktree/discard": route({
    summary: "Remove the session's worktree; what only it contained stays in the repository under a ref",
    scope: "drive",
    answers: { 200: WorktreeEnded, ...gone, ...engine },
  }),
} as const;

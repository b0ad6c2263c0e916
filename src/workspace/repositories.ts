/** Implements the Repositories port: one function of this room for each of its operations. */
import type { Repositories } from "../core/ports/repository.ts";
import { openPullRequest, readPullRequest } from "./forge.ts";
import type { GitOptions } from "./git-run.ts";
import { findOpened, openRepository } from "./repository-access.ts";
import { commitChanges } from "./repository-commit.ts";
import { readDiff } from "./repository-diff.ts";
import { pushBranch } from "./repository-push.ts";
import { readBefore, stageChange } from "./repository-stage.ts";
import { readStatus } from "./repository-status.ts";
import { addWorktree, mergeWorktree, removeWorktree, worktreesFolder } from "./worktrees.ts";

export function createRepositories(options: GitOptions): Repositories {
  const open = (cwd: string, signal: AbortSignal) => openRepository(options, cwd, signal);
  return {
    async status(cwd, signal) {
      const opened = await findOpened(options, cwd, signal);
      return opened === undefined ? undefined : await readStatus(opened, worktreesFolder(options.env));
    },
    diff: async (cwd, scope, signal) => await readDiff(await open(cwd, signal), scope),
    stage: async (cwd, shown, hunk, signal) => await stageChange(await open(cwd, signal), shown, hunk),
    before: async (cwd, shown, signal) => await readBefore(await open(cwd, signal), shown),
    commit: async (cwd, request, signal) => await commitChanges(await open(cwd, signal), request, signal),
    push: async (cwd, signal) => await pushBranch(await open(cwd, signal), signal),
    pullRequest: async (cwd, signal) => await readPullRequest(await open(cwd, signal), signal),
    openPullRequest: async (cwd, draft, signal) => await openPullRequest(await open(cwd, signal), draft, signal),
    addWorktree: async (cwd, branch, signal) => await addWorktree(await open(cwd, signal), cwd, branch),
    mergeWorktree: async (cwd, signal) => await mergeWorktree(await open(cwd, signal), signal),
    removeWorktree: async (cwd, { onlyIfMerged }, signal) => await removeWorktree(await open(cwd, signal), onlyIfMerged, signal),
  };
}

/** The calls about a session's repository and about going back, over the manager's HTTP. */
import type { Connection, GitCalls } from "./connection.ts";
import type { Http } from "./http.ts";

export const gitOver = (call: Http["call"]): GitCalls => {
  const of = (sessionId: string) => ({ path: { sessionId } });
  return {
    folder: async (cwd) => (await call("GET /api/git", { query: { cwd } })).repository,
    status: (sessionId, refresh) => call("GET /api/sessions/:sessionId/git", { ...of(sessionId), query: { refresh } }),
    diff: (sessionId, scope) => call("GET /api/sessions/:sessionId/git/diff", { ...of(sessionId), query: { scope } }),
    stage: async (sessionId, change) => void (await call("POST /api/sessions/:sessionId/git/stage", { ...of(sessionId), body: change })),
    revertFile: async (sessionId, change) =>
      (await call("POST /api/sessions/:sessionId/git/revert", { ...of(sessionId), body: change })).undoId,
    revertPatch: async (sessionId, patch, what) =>
      (await call("POST /api/sessions/:sessionId/changes/revert", { ...of(sessionId), body: { patch, of: what } })).undoId,
    restore: async (sessionId, undoId) =>
      (await call("POST /api/sessions/:sessionId/changes/restore", { ...of(sessionId), body: { undoId } })).conflicts,
    draft: async (sessionId, scope) => (await call("POST /api/sessions/:sessionId/git/draft", { ...of(sessionId), body: { scope } })).text,
    commit: async (sessionId, commit, asInTerminal) =>
      (
        await call(`POST /api/sessions/:sessionId/git/commit${asInTerminal ? "/as-in-terminal" : ""}`, {
          ...of(sessionId),
          body: commit,
        })
      ).branch,
    push: async (sessionId) => (await call("POST /api/sessions/:sessionId/git/push", of(sessionId))).remote,
    openPullRequest: async (sessionId, draft) =>
      (await call("POST /api/sessions/:sessionId/git/pull-request", { ...of(sessionId), body: draft })).pullRequest,
    mergeWorktree: async (sessionId) => (await call("POST /api/sessions/:sessionId/git/worktree/merge", of(sessionId))).into ?? "",
    discardWorktree: async (sessionId) => (await call("POST /api/sessions/:sessionId/git/worktree/discard", of(sessionId))).kept,
  };
};

/** Going back to before a turn, and forking at one. */
export const undoOver = (call: Http["call"]): Pick<Connection, "fork" | "rollback" | "checkRollback" | "restoreFiles"> => {
  const rollback = async (sessionId: string, body: { numTurns: number; files: "keep" | "restore" | "force"; conversation?: boolean }) =>
    void (await call("POST /api/sessions/:sessionId/rollback", { path: { sessionId }, body }));
  return {
    fork: async (sessionId, beforeTurnId) =>
      (await call("POST /api/sessions/:sessionId/fork", { path: { sessionId }, body: { beforeTurnId: beforeTurnId ?? null } })).session,
    rollback: (sessionId, numTurns, files) => rollback(sessionId, { numTurns, files }),
    checkRollback: (sessionId, numTurns) =>
      call("GET /api/sessions/:sessionId/rollback/check", { path: { sessionId }, query: { numTurns } }),
    restoreFiles: (sessionId, numTurns, files) => rollback(sessionId, { numTurns, files, conversation: false }),
  };
};

/** Handlers for a session's repository. The engine does the work; the manager keeps which session has a worktree or a pull request. */
import { RpcError } from "../../client/client.ts";
import type { GitPullRequest, GitStatus } from "../../protocol/git.ts";
import { isUnsupported } from "../../sessions/refusals.ts";
import { checkFiles } from "../../sessions/restore-files.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { Caller } from "../access.ts";
import type { gitRoutes } from "../api/git.ts";
import { type HandlersFor, ok } from "../handlers.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";
import { draftMessage } from "./git-draft.ts";
import { open } from "./sessions.ts";
import { endWorktree } from "./worktrees.ts";

export const gitHandlers: HandlersFor<typeof gitRoutes> = {
  async "GET /api/git"({ manager, query }) {
    const { repository } = await manager.link.call("git/status", { cwd: query.cwd });
    return ok({ repository: repository === null ? null : { root: repository.root, branch: repository.branch, sha: repository.sha } });
  },
  async "GET /api/sessions/:sessionId/git"({ manager, path, query }) {
    const session = await look(manager, path.sessionId);
    const { repository } = await manager.link.call("git/status", { cwd: session.thread.cwd });
    noteBranch(manager, session, repository);
    const problem = query.refresh === true && repository !== null ? await refreshPullRequest(manager, session, repository) : null;
    return ok({ sessionId: session.id, repository, pullRequest: manager.store.state.pullRequests[session.id] ?? null, problem });
  },
  async "GET /api/sessions/:sessionId/git/diff"({ manager, path, query }) {
    const session = await look(manager, path.sessionId);
    return ok(await manager.link.call("git/diff", { cwd: session.thread.cwd, scope: query.scope }));
  },
  async "POST /api/sessions/:sessionId/git/stage"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    await manager.link.call("git/stage", { cwd: session.thread.cwd, ...body });
    return ok({ status: "ok", sessionId: session.id });
  },
  async "POST /api/sessions/:sessionId/git/revert"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    record(manager, caller, session, `took back the changes of ${body.path}`);
    const reverted = await manager.link.call("git/revert", { threadId: session.id, cwd: session.thread.cwd, ...body });
    return ok({ status: "ok", sessionId: session.id, ...reverted });
  },
  async "POST /api/sessions/:sessionId/changes/revert"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    const folder = body.of === "session" ? session.thread.cwd : await rootOf(manager, session);
    record(manager, caller, session, "took back a shown change");
    const reverted = await manager.link.call("patch/revert", { threadId: session.id, folder, patch: body.patch });
    return ok({ status: "ok", sessionId: session.id, ...reverted });
  },
  async "POST /api/sessions/:sessionId/changes/restore"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    record(manager, caller, session, "brought back a change that was taken back");
    return ok(await manager.link.call("turn/revert", { threadId: session.id, turnId: body.undoId, force: body.force ?? false }));
  },
  async "GET /api/sessions/:sessionId/rollback/check"({ manager, path, query }) {
    const session = await look(manager, path.sessionId);
    return ok(await checkFiles(manager.link, session.id, query.numTurns ?? 1));
  },
  async "POST /api/sessions/:sessionId/git/draft"({ manager, path, body }) {
    const session = await open(manager, path.sessionId);
    return ok({ text: await draftMessage(manager, session, body.scope) });
  },
  async "POST /api/sessions/:sessionId/git/commit"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    return ok(await commit(manager, caller, session, { ...body, asInTerminal: false }));
  },
  async "POST /api/sessions/:sessionId/git/commit/as-in-terminal"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    return ok(await commit(manager, caller, session, { ...body, asInTerminal: true }));
  },
  async "POST /api/sessions/:sessionId/git/push"({ manager, caller, path }) {
    const session = await open(manager, path.sessionId);
    record(manager, caller, session, "pushed the branch");
    return ok({ status: "ok", sessionId: session.id, ...(await manager.link.call("git/push", { cwd: session.thread.cwd })) });
  },
  async "POST /api/sessions/:sessionId/git/pull-request"({ manager, caller, path, body }) {
    const session = await open(manager, path.sessionId);
    record(manager, caller, session, `opened a pull request: ${body.title}`);
    const { pullRequest } = await manager.link.call("git/pullRequest/create", { cwd: session.thread.cwd, ...body });
    notePullRequest(manager, session, pullRequest);
    return ok({ status: "ok", sessionId: session.id, pullRequest });
  },
  async "POST /api/sessions/:sessionId/git/worktree/merge"({ manager, caller, path }) {
    const session = await open(manager, path.sessionId);
    record(manager, caller, session, "merged the worktree");
    return ok(
      await endWorktree(manager, session, async (cwd) => {
        const { into, conflicts } = await manager.link.call("git/worktree/merge", { cwd });
        if (conflicts.length > 0) {
          const named = conflicts.map((c) => `${c.path} (${c.reason})`).join(", ");
          throw failure(409, "conflicts", `Not merged into ${into}, nothing was changed: ${named}.`, conflicts);
        }
        return { into, kept: null };
      }),
    );
  },
  async "POST /api/sessions/:sessionId/git/worktree/discard"({ manager, caller, path }) {
    const session = await open(manager, path.sessionId);
    record(manager, caller, session, "discarded the worktree");
    return ok(
      await endWorktree(manager, session, async (cwd) => ({
        into: null,
        kept: (await manager.link.call("git/worktree/remove", { cwd })).kept,
      })),
    );
  },
};

/** Reading is allowed in the system's sessions too. */
async function look(manager: Manager, sessionId: string): Promise<Session> {
  manager.sessions.gate(sessionId, "allow");
  return await manager.sessions.require(sessionId);
}

const record = (manager: Manager, caller: Caller, session: Session, summary: string): unknown =>
  manager.audit.write({ type: "git", by: caller.actor, threadId: session.id, summary: summary.slice(0, 500) });

async function rootOf(manager: Manager, session: Session): Promise<string> {
  const { repository } = await manager.link.call("git/status", { cwd: session.thread.cwd });
  if (repository === null) throw failure(409, "no_repository", `${session.thread.cwd} is in no git repository.`);
  return repository.root;
}

interface Commit {
  readonly message: string;
  readonly branch?: string | null;
  readonly all?: boolean;
  readonly asInTerminal: boolean;
}

async function commit(manager: Manager, caller: Caller, session: Session, given: Commit) {
  record(manager, caller, session, `${given.asInTerminal ? "committed, with hooks" : "committed"}: ${given.message.split("\n")[0]}`);
  const { sha, branch } = await manager.link.call("git/commit", { cwd: session.thread.cwd, ...given });
  setBranch(manager, session, branch);
  return { status: "ok" as const, sessionId: session.id, sha, branch };
}

/** The engine notes the branch when a thread starts; it may be another one by now. */
function noteBranch(manager: Manager, session: Session, repository: GitStatus | null): void {
  if (repository?.branch != null) setBranch(manager, session, repository.branch);
}
function setBranch(manager: Manager, session: Session, branch: string): void {
  if (session.thread.gitInfo?.branch === branch) return;
  session.thread = { ...session.thread, gitInfo: { ...session.thread.gitInfo, branch } };
  manager.sessions.announce(session);
}

function notePullRequest(manager: Manager, session: Session, pullRequest: GitPullRequest | null): void {
  const { [session.id]: known, ...others } = manager.store.state.pullRequests;
  if (JSON.stringify(known) === JSON.stringify(pullRequest ?? undefined)) return;
  manager.store.note({ pullRequests: pullRequest === null ? others : { ...others, [session.id]: pullRequest } });
  manager.sessions.announce(session);
}

/** Pages ask whenever somebody looks; the host of the code is asked less often. */
const askEveryMs = 3000;
const askedAt = new WeakMap<Session, number>();

/** Returns why it could not be asked for. */
async function refreshPullRequest(manager: Manager, session: Session, { forge }: GitStatus): Promise<string | null> {
  if (forge === null || manager.now() - (askedAt.get(session) ?? 0) < askEveryMs) return null;
  askedAt.set(session, manager.now());
  try {
    const { pullRequest } = await manager.link.call("git/pullRequest/read", { cwd: session.thread.cwd });
    notePullRequest(manager, session, pullRequest);
    return null;
  } catch (error) {
    if (error instanceof RpcError && !isUnsupported(error)) return error.message;
    throw error;
  }
}

/** The worktrees of sessions: made when a session starts, and ended when it is merged, discarded or deleted. */
import { randomUuid } from "../../lib/random.ts";
import type { Session } from "../../sessions/sessions.ts";
import type { Manager } from "../manager.ts";
import { failure } from "../problems.ts";

export interface SessionWorktree {
  readonly root: string;
  readonly branch: string;
  readonly folder: string;
}

/** The folder that the session works in. */
export async function addWorktree(manager: Manager, cwd: string): Promise<SessionWorktree> {
  const day = new Date(manager.now()).toISOString().slice(0, 10);
  const branch = `parley/${day}-${randomUuid().slice(0, 6)}`;
  const { folder, root } = await manager.link.call("git/worktree/add", { cwd, branch });
  return { root, branch, folder };
}

export const noteWorktree = (manager: Manager, sessionId: string, worktree: SessionWorktree): void =>
  manager.store.change({ worktrees: { ...manager.store.state.worktrees, [sessionId]: worktree } });

/** Nothing is left in the session's folder afterwards, so it is archived. */
export async function endWorktree(
  manager: Manager,
  session: Session,
  end: (cwd: string) => Promise<{ into: string | null; kept: string | null }>,
) {
  const cwd = session.thread.cwd;
  const sharing = manager.sessions.all().filter((other) => other.thread.cwd === cwd && other.activeTurnId !== null);
  if (sharing.length > 0) throw failure(409, "turn_running", "A turn is running in this worktree. Stop it first.");
  const { into, kept } = await end(cwd);
  const left = Object.entries(manager.store.state.worktrees).filter(([, { folder }]) => folder !== cwd);
  manager.store.note({ worktrees: Object.fromEntries(left) });
  for (const other of manager.sessions.all().filter(({ thread }) => thread.cwd === cwd)) {
    await manager.link.call("thread/archive", { threadId: other.id }).then(
      () => {
        other.archived = true;
        other.attached = false;
      },
      // A session without a message is on no disk and cannot be archived.
      () => {},
    );
    manager.sessions.announce(other);
  }
  return { status: "ok" as const, sessionId: session.id, session: manager.sessions.summary(session), into, kept };
}

/** After a session was deleted: its worktree goes too if the repository has everything that is in it, and nobody else uses it. */
export async function dropWorktree(manager: Manager, sessionId: string): Promise<void> {
  const { [sessionId]: own, ...others } = manager.store.state.worktrees;
  if (own === undefined) return;
  manager.store.note({ worktrees: others });
  if (Object.values(others).some(({ folder }) => folder === own.folder)) return;
  await manager.link.call("git/worktree/remove", { cwd: own.folder, onlyIfMerged: true }).catch(() => {});
}

/** Ends a session's worktree: merged back into the repository, or discarded; conflicts are named and change nothing. */
import { type ReactElement, useEffect, useState } from "react";
import { useApp } from "../../app-context.tsx";
import { type GitStatus, Refused } from "../../connection/connection.ts";
import { spelledLine } from "../../parts/requests/spelled.ts";
import { plural, shortPath } from "../../state/format.ts";
import type { SessionSummary } from "../../state/model.ts";
import { Button, focusIt } from "../../ui/controls.tsx";
import { Dialog } from "../../ui/overlays.tsx";

interface WorktreeProps {
  readonly session: SessionSummary;
  readonly onClose: () => void;
  readonly onCommit: () => void;
}

export function WorktreeDialog({ session, onClose, onCommit }: WorktreeProps): ReactElement {
  const { controller, toast } = useApp();
  const { git } = controller.connection;
  const [status, setStatus] = useState<GitStatus | null>();
  const [problem, setProblem] = useState<string>();
  const [isSure, setSure] = useState(false);
  const [busy, setBusy] = useState<"merge" | "discard">();
  useEffect(() => {
    git?.status(session.sessionId, false).then(
      ({ repository }) => setStatus(repository),
      (error: unknown) => setProblem(error instanceof Refused ? error.message : "The manager cannot be reached."),
    );
  }, [git, session.sessionId]);
  const end = async (what: "merge" | "discard", work: () => Promise<string>): Promise<void> => {
    setBusy(what);
    setProblem(undefined);
    try {
      toast(await work());
      onClose();
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : "The manager cannot be reached.");
    } finally {
      setBusy(undefined);
    }
  };
  if (git === undefined) return <Dialog title="Worktree" onClose={onClose} children={<p>It cannot be changed here.</p>} />;
  const merge = (): Promise<void> =>
    end("merge", async () => `Merged into ${await git.mergeWorktree(session.sessionId)}; the session is in the archive`);
  const discard = (): Promise<void> =>
    end("discard", async () => {
      const kept = await git.discardWorktree(session.sessionId);
      return kept === null ? "Discarded; the session is in the archive" : `Discarded; a copy is kept as ${kept}`;
    });
  const loose = status == null ? 0 : status.staged + status.unstaged + status.untracked;
  const into = status?.worktree?.branch ?? "what is checked out";
  const isRunning = session.activeTurnId != null;
  return (
    <Dialog title="Worktree of this session" onClose={onClose}>
      <p>
        The agent works on <strong className="mono">{status?.branch ?? session.worktree?.branch ?? "a branch of its own"}</strong>, in a
        copy of <span className="mono">{shortPath(status?.worktree?.root ?? session.worktree?.root ?? "")}</span> that is separate from your
        files.
      </p>
      <p>
        {status === undefined
          ? "Looking at it…"
          : loose > 0
            ? `${plural(loose, "file")} changed and not committed. Commit before you merge.`
            : `${plural(status?.ahead ?? 0, "commit")} of its own, to be merged into ${into}.`}
      </p>
      <p className="hint">
        Afterwards the worktree is removed, files that git ignores with it, and the session goes to the archive. What is discarded stays in
        the repository under a name of its own.
      </p>
      <div role="status">{problem === undefined ? null : <p className="problem">{spelledLine(problem)}</p>}</div>
      {isRunning ? <p className="problem">A turn is running. Stop it first.</p> : null}
      <div className="row-end">
        {isSure ? (
          <Button tone="danger" busy={busy === "discard"} disabled={busy !== undefined || isRunning} onClick={() => void discard()}>
            Discard everything in it
          </Button>
        ) : (
          <Button tone="quiet" disabled={busy !== undefined || isRunning} onClick={() => setSure(true)}>
            Discard…
          </Button>
        )}
        {loose > 0 ? (
          <Button ref={focusIt} tone="primary" icon="commit" onClick={onCommit}>
            Commit…
          </Button>
        ) : (
          <Button
            ref={focusIt}
            tone="primary"
            busy={busy === "merge"}
            disabled={busy !== undefined || isRunning || status == null}
            onClick={() => void merge()}
          >
            Merge into {into}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** File changes of the last turn or the whole session, with comments on lines that are sent to the agent as one message. */
import { type ReactElement, useCallback, useEffect, useMemo, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import { type Connection, Refused, type SessionDiff } from "../connection/connection.ts";
import { type CommentDraft, commentsMessage, isCommentDraft, type LineComment } from "../parts/diff/comments.ts";
import { DiffCount, DiffView } from "../parts/diff/diff-view.tsx";
import { diffOfChange, type FileDiff, mergeFiles, parseDiff } from "../parts/diff/parse.ts";
import { plural, shortPath } from "../state/format.ts";
import { readCommentDraft, writeCommentDraft } from "../state/kept.ts";
import type { SessionSummary, ThreadView, TurnView } from "../state/model.ts";
import { Button, Empty, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";

export interface ChangesProps {
  readonly thread: ThreadView;
  readonly session: SessionSummary | undefined;
  readonly comments: readonly LineComment[];
  readonly onComments: (comments: readonly LineComment[]) => void;
}

export function Changes({ thread, session, comments, onComments }: ChangesProps): ReactElement {
  const { controller, settings, change, scope } = useApp();
  const [wide, setWide] = useState<"turn" | "session">("turn");
  const [draft, setDraft] = useState(() => {
    const kept = readCommentDraft(controller.shelf, thread.id);
    return isCommentDraft(kept) ? kept : undefined;
  });
  const onDraft = (next: CommentDraft | undefined): void => {
    setDraft(next);
    writeCommentDraft(controller.shelf, thread.id, next);
  };
  const shown = useChanges(controller.connection, thread, wide);
  const { files } = shown;
  const cwd = session?.cwd ?? "";
  const send = (): void => {
    if (session === undefined) return;
    controller.send(session.sessionId, [{ type: "text", text: commentsMessage(comments) }], { delivery: "auto", overrides: {} });
    onComments([]);
  };
  const split = settings.diffView === "split";
  return (
    <>
      <div className="panel-bar">
        <fieldset className="segmented" aria-label="Scope">
          {(["turn", "session"] as const).map((scopeName) => (
            <button key={scopeName} type="button" aria-pressed={wide === scopeName} onClick={() => setWide(scopeName)}>
              {scopeName === "turn" ? "Last turn" : "Session"}
            </button>
          ))}
        </fieldset>
        <span className="panel-count">
          {files === undefined ? null : (
            <>
              {plural(files.length, "file")} <DiffCount added={sum(files, "added")} removed={sum(files, "removed")} />
            </>
          )}
        </span>
        <span className="spacer" />
        <IconButton
          icon={split ? "rows" : "columns"}
          label={split ? "Unified" : "Side by side"}
          onClick={() => change({ diffView: split ? "unified" : "split" })}
        />
      </div>
      {shown.notes.map((note) => (
        <p key={note} className="diff-hint">
          <Icon name="info" size={14} /> {note}
        </p>
      ))}
      {shown.problem !== undefined ? (
        <Empty icon="warning" title="The changes could not be read">
          <p>{shown.problem}</p>
          <Button size="small" onClick={shown.again}>
            Try again
          </Button>
        </Empty>
      ) : files === undefined ? (
        <div className="diff-loading" role="status">
          <span className="visually-hidden">Reading the changes…</span>
        </div>
      ) : files.length === 0 ? (
        <Empty icon="diff" title="No changes yet">
          <p>What the agent changes in files, by patches or by commands, shows up here.</p>
        </Empty>
      ) : (
        <DiffView
          files={files}
          view={settings.diffView}
          shorten={(p) => shortPath(p, cwd)}
          {...(allows(scope, "drive")
            ? {
                comments: {
                  list: comments,
                  draft,
                  onDraft,
                  add: (c: Omit<LineComment, "id">) => onComments([...comments, { ...c, id: crypto.randomUUID() }]),
                  remove: (id: string) => onComments(comments.filter((c) => c.id !== id)),
                },
              }
            : {})}
        />
      )}
      {ranCommands(thread) ? (
        <p className="hint">In folders of more than 10,000 files, what commands change is not watched and is missing here.</p>
      ) : null}
      {comments.length === 0 ? null : (
        <div className="panel-send">
          <span>{plural(comments.length, "comment")}</span>
          <span className="spacer" />
          <Button tone="quiet" size="small" onClick={() => onComments([])}>
            Discard
          </Button>
          <Button tone="primary" size="small" icon="send" onClick={send}>
            Send as one message
          </Button>
        </div>
      )}
    </>
  );
}

const ranCommands = ({ turns }: ThreadView): boolean => turns.some(({ items }) => items.some(({ type }) => type === "commandExecution"));

const sum = (files: readonly FileDiff[], key: "added" | "removed"): number => files.reduce((n, f) => n + f[key], 0);

interface Shown {
  /** Undefined while loading. */
  readonly files: readonly FileDiff[] | undefined;
  readonly notes: readonly string[];
  readonly problem: string | undefined;
  readonly again: () => void;
}

/** The manager computes it from the engine's records and all patches; without a manager, the patches loaded here are used. */
function useChanges(connection: Connection, thread: ThreadView, wide: "turn" | "session"): Shown {
  const isLocal = connection.diff === undefined;
  const near = useMemo(() => {
    if (!isLocal) return undefined;
    const last = thread.turns.findLast((turn) => turn.diff !== null || patches(turn).length > 0);
    if (wide === "turn" && last?.diff != null && last.diff !== "") return parseDiff(last.diff);
    return mergeFiles((wide === "turn" ? patches(last) : thread.turns.flatMap(patches)).map(diffOfChange));
  }, [isLocal, wide, thread.turns]);
  // Reloaded after something that may change files or when the turn ends, not with every streamed delta.
  const stamp = useMemo(() => thread.turns.map((t) => `${t.id}${t.status}${deeds(t)}`).join(), [thread.turns]);
  const far = useRead(connection, isLocal ? undefined : thread.id, wide, stamp);
  const notes = near !== undefined || far.diff === undefined ? [] : notesOf(far.diff);
  const files = useMemo(() => (far.diff === undefined ? undefined : parseDiff(far.diff.diff)), [far.diff]);
  return near === undefined
    ? { files, notes, problem: far.problem, again: far.again }
    : { files: near, notes, problem: undefined, again: far.again };
}

/** The number of a turn's commands and patches that have ended. */
const deeds = (turn: TurnView): number =>
  turn.items.filter((item) => (item.type === "commandExecution" || item.type === "fileChange") && item.status !== "inProgress").length;

const patches = (turn: TurnView | undefined) =>
  turn?.items.flatMap((item) => (item.type === "fileChange" && item.status === "completed" ? item.changes : [])) ?? [];

function notesOf({ inexact, truncated }: SessionDiff): string[] {
  return [
    ...(inexact.length === 0
      ? []
      : [
          `Changed by something else in between, so shown patch by patch: ${inexact.slice(0, 5).join(", ")}${inexact.length > 5 ? " …" : ""}`,
        ]),
    ...(truncated ? ["There is more than can be shown; some files were left out."] : []),
  ];
}

interface Read {
  readonly diff: SessionDiff | undefined;
  readonly problem: string | undefined;
  readonly again: () => void;
}

/** The old data stays visible while it is reloaded. */
function useRead(connection: Connection, sessionId: string | undefined, wide: "turn" | "session", stamp: string): Read {
  const [read, setRead] = useState<{ key: string; diff?: SessionDiff; problem?: string }>();
  const [attempt, setAttempt] = useState(0);
  const key = `${sessionId} ${wide}`;
  useEffect(() => {
    if (sessionId === undefined) return;
    let isWanted = true;
    connection.diff?.(sessionId, wide).then(
      (diff) => isWanted && setRead({ key, diff }),
      (error: unknown) =>
        isWanted && setRead({ key, problem: error instanceof Refused ? error.message : "The manager cannot be reached." }),
    );
    return () => {
      isWanted = false;
    };
  }, [connection, sessionId, wide, stamp, attempt]);
  const again = useCallback(() => setAttempt((n) => n + 1), []);
  const fresh = read?.key === key ? read : undefined;
  return { diff: fresh?.diff, problem: fresh?.problem, again };
}

/** File changes of the working tree, the branch, the last turn or the session, with comments on lines that are sent to the agent as one message. */
import { lazy, type ReactElement, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { allows, useApp } from "../app-context.tsx";
import { type Connection, type GitStatus, Refused, type SessionDiff } from "../connection/connection.ts";
import { type CommentDraft, commentsMessage, isCommentDraft, type LineComment } from "../parts/diff/comments.ts";
import { type DiffActions, DiffCount, type DiffProps, DiffView } from "../parts/diff/diff-view.tsx";
import { diffOfChange, type FileDiff, mergeFiles, parseDiff } from "../parts/diff/parse.ts";
import { patchText } from "../parts/diff/patch.ts";
import { plural, shortPath } from "../state/format.ts";
import { readCommentDraft, writeCommentDraft } from "../state/kept.ts";
import type { SessionSummary, ThreadView, TurnView } from "../state/model.ts";
import { Button, Empty, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { TakenBackList, useTakenBack } from "./git/taken-back.tsx";
import { useFocusCount, useGitStatus } from "./git/use-git.ts";

const GitChanges = lazy(async () => ({ default: (await import("./git/git-changes.tsx")).GitChanges }));

export interface ChangesProps {
  readonly thread: ThreadView;
  readonly session: SessionSummary | undefined;
  readonly comments: readonly LineComment[];
  readonly onComments: (comments: readonly LineComment[]) => void;
  /** Opens the dialog for commits, where there can be any. */
  readonly onCommit?: (() => void) | undefined;
}

type Wide = "tree" | "branch" | "turn" | "session";
const wideLabels: Readonly<Record<Wide, string>> = { tree: "Working tree", branch: "Branch", turn: "Last turn", session: "Session" };

export function Changes(props: ChangesProps): ReactElement {
  const { thread, session, comments, onComments, onCommit } = props;
  const { controller, settings, change, scope } = useApp();
  const { connection } = controller;
  const [wide, setWide] = useState<Wide>("turn");
  const onLines = useComments(thread.id, comments, onComments, allows(scope, "drive"));
  const taken = useTakenBack(thread.id);
  const [changed, setChanged] = useState(0);
  const onChanged = useCallback(() => setChanged((n) => n + 1), []);
  const focused = useFocusCount();
  // Reloaded after something that may change files or when the turn ends, not with every streamed delta.
  const deedsDone = useMemo(() => thread.turns.map((t) => `${t.id}${t.status}${deeds(t)}`).join(), [thread.turns]);
  const stamp = `${deedsDone} ${changed}`;
  const status = useGitStatus(connection, thread.id, `${stamp} ${focused}`);
  const repository = status.value?.repository ?? null;
  const mayHaveGit = status.problem === undefined && connection.git !== undefined && session?.branch != null;
  const hasGit = status.value === undefined ? mayHaveGit : repository !== null;
  const shownWide: Wide = !hasGit && (wide === "tree" || wide === "branch") ? "turn" : wide;
  const shared = { sessionId: thread.id, cwd: session?.cwd ?? "", comments: onLines, onChanged };
  const onTaken = (undoId: string, what: string): void => taken.add({ undoId, what });
  const split = settings.diffView === "split";
  return (
    <>
      <div className="panel-bar">
        <fieldset className="segmented" aria-label="Scope">
          {(hasGit ? (["tree", "branch", "turn", "session"] as const) : (["turn", "session"] as const)).map((name) => (
            <button key={name} type="button" aria-pressed={shownWide === name} onClick={() => setWide(name)}>
              {wideLabels[name]}
            </button>
          ))}
        </fieldset>
        <span className="panel-tools">
          {hasGit && allows(scope, "drive") && onCommit !== undefined ? (
            <Button size="small" icon="commit" onClick={onCommit}>
              Commit…
            </Button>
          ) : null}
          <IconButton
            icon={split ? "rows" : "columns"}
            label={split ? "Unified" : "Side by side"}
            className="only-wide"
            onClick={() => change({ diffView: split ? "unified" : "split" })}
          />
        </span>
      </div>
      <TakenBackList sessionId={thread.id} taken={taken} onChanged={onChanged} />
      {shownWide === "tree" || shownWide === "branch" ? (
        <>
          {repository === null ? null : <RepositoryLine repository={repository} />}
          <Suspense fallback={<Reading />}>
            <GitChanges
              {...shared}
              scope={shownWide}
              stamp={`${stamp} ${focused}`}
              base={repository?.base?.name ?? null}
              onTaken={onTaken}
            />
          </Suspense>
        </>
      ) : (
        <TurnChanges
          {...shared}
          thread={thread}
          wide={shownWide}
          stamp={stamp}
          isRunning={session?.activeTurnId != null}
          onTaken={onTaken}
        />
      )}
      <SendComments {...props} />
    </>
  );
}

function SendComments({ session, comments, onComments }: ChangesProps): ReactElement | null {
  const { controller } = useApp();
  if (comments.length === 0) return null;
  const send = (): void => {
    if (session === undefined) return;
    controller.send(session.sessionId, [{ type: "text", text: commentsMessage(comments) }], { delivery: "auto", overrides: {} });
    onComments([]);
  };
  return (
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
  );
}

/** Undefined where no comments can be made. */
function useComments(
  threadId: string,
  list: readonly LineComment[],
  onComments: ChangesProps["onComments"],
  isAllowed: boolean,
): DiffProps["comments"] {
  const { shelf } = useApp().controller;
  const [draft, setDraft] = useState(() => {
    const kept = readCommentDraft(shelf, threadId);
    return isCommentDraft(kept) ? kept : undefined;
  });
  if (!isAllowed) return undefined;
  return {
    ...{ list, draft },
    onDraft(next: CommentDraft | undefined) {
      setDraft(next);
      writeCommentDraft(shelf, threadId, next);
    },
    add: (c: Omit<LineComment, "id">) => onComments([...list, { ...c, id: crypto.randomUUID() }]),
    remove: (id: string) => onComments(list.filter((c) => c.id !== id)),
  };
}

interface TurnChangesProps {
  readonly thread: ThreadView;
  readonly sessionId: string;
  readonly cwd: string;
  readonly wide: "turn" | "session";
  readonly stamp: string;
  readonly isRunning: boolean;
  readonly comments: DiffProps["comments"];
  readonly onTaken: (undoId: string, what: string) => void;
  readonly onChanged: () => void;
}

/** What the agent did to files in the last turn or in the session. */
function TurnChanges(props: TurnChangesProps): ReactElement {
  const { thread, cwd, wide, stamp, comments } = props;
  const { controller, settings } = useApp();
  const shown = useChanges(controller.connection, thread, wide, stamp);
  const actions = useTakingBack(props, shown.text);
  const { files } = shown;
  if (shown.problem !== undefined)
    return (
      <Empty icon="warning" title="The changes could not be read">
        <p>{shown.problem}</p>
        <Button size="small" onClick={shown.again}>
          Try again
        </Button>
      </Empty>
    );
  if (files === undefined) return <Reading />;
  return (
    <>
      {files.length === 0 ? null : (
        <p className="panel-count panel-sum">
          {plural(files.length, "file")} <DiffCount added={sum(files, "added")} removed={sum(files, "removed")} />
        </p>
      )}
      {shown.notes.map((note) => (
        <p key={note} className="diff-hint">
          <Icon name="info" size={14} /> {note}
        </p>
      ))}
      {files.length === 0 ? (
        <Empty icon="diff" title="No changes yet">
          <p>What the agent changes in files, by patches or by commands, shows up here.</p>
        </Empty>
      ) : (
        <DiffView
          files={files}
          view={settings.diffView}
          shorten={(p) => shortPath(p, cwd)}
          actions={actions}
          {...(comments === undefined ? {} : { comments })}
        />
      )}
      {ranCommands(thread) ? (
        <p className="hint">In folders of more than 10,000 files, what commands change is not watched and is missing here.</p>
      ) : null}
    </>
  );
}

/** Undefined for a device that may only look, while a turn runs, and where nobody can take changes back. */
function useTakingBack(
  { sessionId, cwd, isRunning, onTaken, onChanged }: TurnChangesProps,
  text: string | undefined,
): DiffActions | undefined {
  const { controller, scope } = useApp();
  const { git } = controller.connection;
  if (!allows(scope, "drive") || git === undefined || text === undefined || isRunning) return undefined;
  const takeBack = (file: FileDiff, hunk?: number): void => {
    const patch = patchText(text, file.path, hunk);
    if (patch === undefined) return;
    const what = shortPath(file.path, cwd);
    void controller.try(git.revertPatch(sessionId, patch, "session")).then((undoId) => {
      if (undoId !== undefined) onTaken(undoId, hunk === undefined ? what : `Part ${hunk + 1} of ${what}`);
      onChanged();
    });
  };
  return {
    file: (file) => (file.hunks.length === 0 ? [] : [{ label: "Revert", icon: "undo", run: () => takeBack(file) }]),
    hunk: (file, number) => [{ label: "Revert", icon: "undo", run: () => takeBack(file, number) }],
  };
}

const Reading = (): ReactElement => (
  <div className="diff-loading" role="status">
    <span className="visually-hidden">Reading the changes…</span>
  </div>
);

/** The branch, how far it is from its remote, and what is under way. */
function RepositoryLine({ repository }: { repository: GitStatus }): ReactElement {
  const { branch, upstream, ahead, underway, conflicts, base } = repository;
  const facts = [
    upstream === null ? (ahead > 0 ? `${plural(ahead, "commit")} since ${base?.name ?? "the base"}, not pushed` : undefined) : undefined,
    upstream !== null && upstream.ahead > 0 ? `${plural(upstream.ahead, "commit")} to push` : undefined,
    upstream !== null && upstream.behind > 0 ? `${upstream.behind} behind ${upstream.name}` : undefined,
    underway === null ? undefined : `a ${underway} is under way`,
    conflicts.length === 0 ? undefined : `conflicts in ${conflicts.slice(0, 5).join(", ")}${conflicts.length > 5 ? " …" : ""}`,
  ].filter((fact) => fact !== undefined);
  return (
    <p className="git-line">
      <Icon name="branch" size={13} /> <strong>{branch ?? "Detached HEAD"}</strong>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}

const ranCommands = ({ turns }: ThreadView): boolean => turns.some(({ items }) => items.some(({ type }) => type === "commandExecution"));

const sum = (files: readonly FileDiff[], key: "added" | "removed"): number => files.reduce((n, f) => n + f[key], 0);

interface Shown {
  /** Undefined while loading. */
  readonly files: readonly FileDiff[] | undefined;
  /** The diff as the manager made it; undefined without a manager. */
  readonly text: string | undefined;
  readonly notes: readonly string[];
  readonly problem: string | undefined;
  readonly again: () => void;
}

/** The manager computes it from the engine's records and all patches; without a manager, the patches loaded here are used. */
function useChanges(connection: Connection, thread: ThreadView, wide: "turn" | "session", stamp: string): Shown {
  const isLocal = connection.diff === undefined;
  const near = useMemo(() => {
    if (!isLocal) return undefined;
    const last = thread.turns.findLast((turn) => turn.diff !== null || patches(turn).length > 0);
    if (wide === "turn" && last?.diff != null && last.diff !== "") return parseDiff(last.diff);
    return mergeFiles((wide === "turn" ? patches(last) : thread.turns.flatMap(patches)).map(diffOfChange));
  }, [isLocal, wide, thread.turns]);
  const far = useRead(connection, isLocal ? undefined : thread.id, wide, stamp);
  const notes = near !== undefined || far.diff === undefined ? [] : notesOf(far.diff);
  const files = useMemo(() => (far.diff === undefined ? undefined : parseDiff(far.diff.diff)), [far.diff]);
  return near === undefined
    ? { files, text: far.diff?.diff, notes, problem: far.problem, again: far.again }
    : { files: near, text: undefined, notes, problem: undefined, again: far.again };
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

/** One session: its conversation, its open requests, the composer, and its changes beside it. */
import { type CSSProperties, lazy, type ReactElement, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import type { ReviewTarget } from "../connection/connection.ts";
import type { LineComment } from "../parts/diff/comments.ts";
import { DecisionLine } from "../parts/requests/decision-line.tsx";
import { Transcript, type TranscriptHandle } from "../parts/transcript/transcript.tsx";
import { duration } from "../state/format.ts";
import { readComments, readPanel, writeComments, writePanel } from "../state/kept.ts";
import type { Decision, SessionSummary, ThreadView, TurnView } from "../state/model.ts";
import { Button, Empty } from "../ui/controls.tsx";
import { Grip } from "../ui/grip.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/overlays.tsx";
import { ReviewDialog } from "./dialogs.tsx";
import { Dock } from "./dock.tsx";
import { focusOnceDrawn } from "./focus.ts";
import { usePullRequest } from "./git/use-git.ts";
import { type ListDialog, ListDialogs } from "./list-dialogs.tsx";
import { OutboxList } from "./outbox.tsx";
import { panelTabs } from "./panel-tabs.ts";
import { PlanReady } from "./plan-ready.tsx";
import { SessionHeader } from "./session-header.tsx";
import { Contexts, PanelOnDemand, useFileAndJump, useMoreCommands, useSteady } from "./session-more.tsx";
import { forkAt, turnsFrom, undo } from "./undo.ts";

const GoalDialog = lazy(() => import("./goal-dialog.tsx"));
const CommitDialog = lazy(async () => ({ default: (await import("./git/commit-dialog.tsx")).CommitDialog }));
const WorktreeDialog = lazy(async () => ({ default: (await import("./git/worktree-dialog.tsx")).WorktreeDialog }));
const ShareDialog = lazy(async () => ({ default: (await import("./share-dialog.tsx")).ShareDialog }));
const UndoDialog = lazy(async () => ({ default: (await import("./undo-dialog.tsx")).UndoDialog }));

export interface SessionProps {
  readonly sessionId: string;
  readonly requestId: string | null;
  readonly menuButton: ReactElement | null;
  readonly onCommands: (handle: (command: string) => boolean) => void;
}

export type SessionDialog =
  | ListDialog
  | { readonly kind: "review" }
  | { readonly kind: "goal" }
  | { readonly kind: "commit" }
  | { readonly kind: "worktree" }
  | { readonly kind: "share" }
  /** The turn to go back before. */
  | { readonly kind: "undo"; readonly turnId: string };

/** How many ended requests that belong to no turn are shown. */
const answersShown = 5;
const noDecisions: readonly Decision[] = [];
const noQueue: ThreadView["queue"] = [];

export function SessionScreen({ sessionId, requestId, menuButton, onCommands }: SessionProps): ReactElement {
  const app = useApp();
  const { controller, settings, change, go, scope, toast } = app;
  const { connection } = controller;
  const thread = useAppState((s) => s.threads.get(sessionId));
  const session = useAppState((s) => s.sessions.get(sessionId) ?? s.archived.get(sessionId));
  const allPending = useAppState((s) => s.pending);
  const [gone, setGone] = useState(false);
  const [panel, setPanel] = useState(() => readPanel(controller.shelf, sessionId, panelTabs));
  const [dialog, setDialog] = useState<SessionDialog>();
  const [comments, setComments] = useState(() => readComments<LineComment>(controller.shelf, sessionId));
  useEffect(() => void writePanel(controller.shelf, sessionId, panel), [controller, sessionId, panel]);
  useEffect(() => void writeComments(controller.shelf, sessionId, comments), [controller, sessionId, comments]);
  const transcript = useRef<TranscriptHandle>(null);
  const pending = useMemo(
    () =>
      [...allPending.values()]
        .filter((p) => p.threadId === sessionId || p.rootThreadId === sessionId)
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt)),
    [allPending, sessionId],
  );
  const waiting = useMemo(() => new Set(pending.flatMap((p) => [p.itemId, p.callId]).filter((id) => id !== null)), [pending]);
  const decisions = useAppState((state) => state.decisions.get(sessionId)) ?? noDecisions;
  /** Those that belong to no visible turn are shown after the last one. */
  const loose = useMemo(() => {
    const turns = new Set(thread?.turns.map((turn) => turn.id));
    return decisions.filter((d) => d.turnId === null || (thread?.olderCursor === null && !turns.has(d.turnId))).slice(-answersShown);
  }, [decisions, thread?.turns, thread?.olderCursor]);
  useEffect(() => {
    void controller.open(sessionId).then((result) => setGone(result === "gone"));
    return () => controller.leave();
  }, [controller, sessionId]);
  useEffect(() => {
    if (requestId !== null) focusOnceDrawn(`[data-request="${CSS.escape(requestId)}"]`);
  }, [requestId]);

  const more = useMoreCommands({ sessionId, session, setPanel, setDialog });
  const { file, openFile, jump } = useFileAndJump(sessionId, setPanel, transcript);
  const run = useCallback(
    (command: string): boolean => {
      const drive = allows(scope, "drive");
      switch (command) {
        case "diff":
          setPanel((p) => (p === "changes" ? undefined : "changes"));
          return true;
        case "latest":
          transcript.current?.toLatest();
          return true;
        case "stop":
          if (drive && session?.activeTurnId != null) void controller.try(connection.interrupt(sessionId));
          return true;
        case "review":
          if (drive) setDialog({ kind: "review" });
          return true;
        case "compact":
          if (drive) void controller.try(connection.compact(sessionId), "Summarising the conversation");
          return true;
        case "undo": {
          const last = controller.store.get().threads.get(sessionId)?.turns.at(-1);
          if (drive && last !== undefined && last.status !== "inProgress") setDialog({ kind: "undo", turnId: last.id });
          return true;
        }
        case "commit":
          if (connection.git === undefined) toast("The editor's own source control does that.", "problem");
          else if (drive) setDialog({ kind: "commit" });
          return true;
        case "worktree":
          if (session?.worktree == null) toast("This session works in no worktree of its own.", "problem");
          else if (drive) setDialog({ kind: "worktree" });
          return true;
        case "plan":
          if (drive && session !== undefined)
            void controller.changeControls(session, { mode: session.sessionControls?.mode === "plan" ? "default" : "plan" });
          return true;
        case "rename":
          if (drive && session !== undefined) setDialog({ kind: "rename", session });
          return true;
        case "archive":
          if (drive) void controller.archive(sessionId);
          return true;
        case "fork":
          if (drive)
            void controller
              .try(connection.fork(sessionId), "Forked")
              .then((f) => f !== undefined && go({ name: "session", sessionId: f.sessionId, requestId: null }));
          return true;
        default:
          return more(command);
      }
    },
    [scope, session, controller, connection, sessionId, go, more],
  );
  useEffect(() => onCommands(run), [onCommands, run]);
  usePullRequest(connection, sessionId, session?.branch != null);
  const older = useCallback(() => controller.loadOlder(sessionId).catch(controller.report), [controller, sessionId]);

  const { onPanel, onCommand, plan } = useSteady(thread, setPanel, run);
  if (gone || (thread?.loaded === true && session === undefined)) return <Gone menuButton={menuButton} />;
  const turnMenu = (turn: TurnView): ReactElement | null =>
    !allows(scope, "drive") || turn.status === "inProgress" ? null : (
      <TurnMenu onUndo={() => setDialog({ kind: "undo", turnId: turn.id })} onFork={(how) => void forkAt(app, sessionId, turn.id, how)} />
    );
  /** Sends the same message again; the failed turn stays in the conversation, so that the agent knows about it. */
  const retry = (turn: TurnView): ReactElement | undefined => {
    const message = turn.items.find((item) => item.type === "userMessage");
    if (!allows(scope, "drive") || message === undefined || (turn.status !== "failed" && turn.status !== "interrupted")) return undefined;
    return (
      <Button size="small" icon="retry" onClick={() => controller.send(sessionId, message.content, { delivery: "auto", overrides: {} })}>
        Try again
      </Button>
    );
  };
  const share = settings.panelShare || (panel === "changes" && settings.diffView === "split" ? 62 : 44);
  return (
    <div
      className={`session ${panel === undefined ? "" : "session-panel"}`}
      style={{ "--panel-share": `${share}%` } as CSSProperties}
      data-grip-area=""
    >
      <div className="session-main">
        <SessionHeader
          session={session}
          menuButton={menuButton}
          panel={panel}
          onPanel={onPanel}
          onCommand={run}
          onDialog={setDialog}
          plan={plan}
        />
        {thread === undefined || !thread.loaded ? (
          <Loading />
        ) : (
          <Contexts waiting={waiting} openFile={openFile}>
            <Transcript
              ref={transcript}
              thread={thread}
              decisions={decisions}
              cwd={session?.cwd ?? ""}
              foldReasoning={settings.foldReasoning}
              onOlder={older}
              turnMenu={turnMenu}
              retry={retry}
              empty={<Start />}
              footer={
                <>
                  <Notices notices={thread.notices} />
                  {loose.map((d) => (
                    <DecisionLine key={d.requestId} decision={d} />
                  ))}
                  <OutboxList sessionId={sessionId} />
                  {session === undefined || !allows(scope, "drive") ? null : <PlanReady session={session} thread={thread} />}
                  <Working thread={thread} waits={pending.length > 0} />
                </>
              }
            />
          </Contexts>
        )}
        <Dock
          sessionId={sessionId}
          session={session}
          running={session?.activeTurnId != null || thread?.turns.at(-1)?.status === "inProgress"}
          queue={thread?.queue ?? noQueue}
          usage={thread?.tokenUsage ?? null}
          pending={pending}
          requestId={requestId}
          onCommand={onCommand}
        />
      </div>
      {panel === undefined || thread === undefined ? null : (
        <PanelOnDemand
          grip={
            <Grip
              label="Width of the panel"
              value={share}
              min={25}
              max={75}
              onMove={(panelShare) => change({ panelShare })}
              onReset={() => change({ panelShare: 0 })}
            />
          }
          tab={panel}
          onTab={setPanel}
          onClose={() => setPanel(undefined)}
          thread={thread}
          session={session}
          comments={comments}
          onComments={setComments}
          onCommit={() => void run("commit")}
          file={file}
          onJump={jump}
        />
      )}
      {dialog === undefined ? null : (
        <SessionDialogs dialog={dialog} onDialog={setDialog} sessionId={sessionId} session={session} thread={thread} />
      )}
    </div>
  );
}

interface DialogsProps {
  readonly dialog: SessionDialog;
  readonly onDialog: (dialog: SessionDialog | undefined) => void;
  readonly sessionId: string;
  readonly session: SessionSummary | undefined;
  readonly thread: ThreadView | undefined;
}

function SessionDialogs({ dialog, onDialog, sessionId, session, thread }: DialogsProps): ReactElement | null {
  const { controller, go } = useApp();
  const onClose = (): void => onDialog(undefined);
  const start = (target: ReviewTarget): void =>
    void controller
      .try(controller.connection.review(sessionId, target))
      .then((id) => id !== undefined && id !== sessionId && go({ name: "session", sessionId: id, requestId: null }));
  switch (dialog.kind) {
    case "review":
      return <ReviewDialog onClose={onClose} onStart={start} />;
    case "undo":
      // Another device may have taken it back while the dialog was open.
      return turnsFrom(thread, dialog.turnId) === 0 ? null : (
        <Suspense>
          <UndoDialog
            sessionId={sessionId}
            cwd={session?.cwd ?? ""}
            turns={turnsFrom(thread, dialog.turnId)}
            onClose={onClose}
            onConfirm={(what, files) => undo(controller, sessionId, dialog.turnId, { what, files })}
          />
        </Suspense>
      );
    case "goal":
      return (
        <Suspense>
          <GoalDialog sessionId={sessionId} onClose={onClose} />
        </Suspense>
      );
    case "commit":
      return (
        <Suspense>
          <CommitDialog sessionId={sessionId} isRunning={session?.activeTurnId != null} onClose={onClose} />
        </Suspense>
      );
    case "worktree":
      return session === undefined ? null : (
        <Suspense>
          <WorktreeDialog session={session} onClose={onClose} onCommit={() => onDialog({ kind: "commit" })} />
        </Suspense>
      );
    case "share": {
      const { tools } = controller.connection;
      return session === undefined || tools === undefined ? null : (
        <Suspense>
          <ShareDialog tools={tools} session={session} onClose={onClose} />
        </Suspense>
      );
    }
    default:
      return <ListDialogs dialog={dialog} onClose={onClose} />;
  }
}

/** The engine's warnings, including those from before this page opened the session. */
function Notices({ notices }: { notices: ThreadView["notices"] }): ReactElement | null {
  if (notices.length === 0) return null;
  return (
    <ul className="notices" aria-label="Warnings">
      {notices.map((notice) => (
        <li key={notice.id}>
          <Icon name="warning" size={14} />
          <span dir="auto">{notice.text}</span>
        </li>
      ))}
    </ul>
  );
}

function TurnMenu({ onUndo, onFork }: { onUndo: () => void; onFork: (how: "after" | "edit") => void }): ReactElement {
  return (
    <Menu
      label="Turn"
      className="icon-button turn-menu-button"
      items={[
        { id: "back", label: "Go back to before this turn…", icon: "undo", run: onUndo },
        { id: "fork", label: "Fork after this turn", icon: "fork", run: () => onFork("after") },
        { id: "edit", label: "Fork before it and edit the prompt", icon: "edit", run: () => onFork("edit") },
      ]}
    />
  );
}

/** Shows that a turn runs, on what and for how long; the screen-reader announcement is made elsewhere. */
function Working({ thread, waits }: { thread: ThreadView; waits: boolean }): ReactElement | null {
  const turn = thread.turns.at(-1);
  const running = turn?.status === "inProgress";
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  if (turn === undefined || !running) return null;
  const seconds = turn.startedAt === null ? 0 : Math.floor(now / 1000 - turn.startedAt);
  return (
    <p className="working" aria-hidden="true">
      <span className="working-dots">
        <span />
        <span />
        <span />
      </span>
      {waits ? "Waiting for you" : doing(turn)}
      {seconds < 3 ? null : <span className="working-time">{duration(seconds * 1000).replace(".0", "")}</span>}
    </p>
  );
}

function doing(turn: TurnView): string {
  const last = turn.items.at(-1);
  if (last?.type === "agentMessage") return "Writing";
  if (last?.type === "reasoning") return "Thinking";
  if (last?.type === "commandExecution" && last.status === "inProgress") return "Running a command";
  if (last?.type === "fileChange" && last.status === "inProgress") return "Editing files";
  if ((last?.type === "mcpToolCall" || last?.type === "dynamicToolCall") && last.status === "inProgress") return `Calling ${last.tool}`;
  return "Working";
}

const Loading = (): ReactElement => (
  <div className="transcript loading" aria-busy="true">
    <div className="column">
      <div className="skeleton skeleton-user" />
      <div className="skeleton" />
      <div className="skeleton skeleton-short" />
    </div>
  </div>
);

const Start = (): ReactElement => (
  <div className="column">
    <Empty icon="comment" title="A fresh session">
      <p>Write the first message below.</p>
    </Empty>
  </div>
);

function Gone({ menuButton }: { menuButton: ReactElement | null }): ReactElement {
  const { go } = useApp();
  return (
    <div className="page">
      <header className="page-head">
        {menuButton}
        <h1>Not here</h1>
      </header>
      <Empty icon="trash" title="This session was deleted or never existed">
        <Button onClick={() => go({ name: "home" })}>
          <Icon name="plus" /> Start a new one
        </Button>
      </Empty>
    </div>
  );
}

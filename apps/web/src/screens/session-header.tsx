/** The session header: title, folder, state, and actions. */
import { memo, type ReactElement } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import { planProgress } from "../parts/plan.tsx";
import { folderName, shortPath } from "../state/format.ts";
import { isWorking, stateLabel, waitingCounts } from "../state/list.ts";
import type { PlanView, SessionSummary } from "../state/model.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu, type MenuItem } from "../ui/overlays.tsx";
import { PullRequestLink } from "./badges.tsx";
import type { ListDialog } from "./list-dialogs.tsx";
import type { PanelTab } from "./panel-tabs.ts";
import { useSessionMenu } from "./sidebar.tsx";
import { useAgents } from "./use-agents.ts";

export interface HeaderProps {
  readonly session: SessionSummary | undefined;
  /** The newest plan of the conversation. */
  readonly plan: PlanView | null;
  readonly menuButton: ReactElement | null;
  readonly panel: PanelTab | undefined;
  readonly onPanel: (panel: PanelTab) => void;
  readonly onCommand: (command: string) => boolean;
  readonly onDialog: (dialog: ListDialog) => void;
}

/** It is not drawn again for each word that streams in. */
export const SessionHeader = memo(function SessionHeader(props: HeaderProps): ReactElement {
  const { session, plan, menuButton, panel, onPanel, onCommand, onDialog } = props;
  const waiting = useAppState((s) => (session === undefined ? 0 : (waitingCounts(s.pending).get(session.sessionId) ?? 0)));
  const state = session === undefined ? undefined : stateLabel(session, waiting, false);
  const progress = plan === null ? null : planProgress(plan);
  return (
    <header className="session-head">
      {menuButton}
      <div className="session-name">
        <h1 title={session?.title} dir="auto">
          {session?.title ?? "Session"}
        </h1>
        {session === undefined ? null : (
          <p className="session-place">
            <ParentLink session={session} />
            <span title={session.cwd}>
              <Icon name="folder" size={13} /> <span className="place-short">{folderName(session.cwd)}</span>
              <span className="place-long">{shortPath(session.worktree?.root ?? session.cwd)}</span>
            </span>
            {session.branch == null ? null : (
              <span>
                <Icon name="branch" size={13} /> {session.branch}
              </span>
            )}
            {session.worktree == null ? null : (
              <button type="button" className="link-button worktree-badge" onClick={() => void onCommand("worktree")}>
                <Icon name="worktree" size={13} /> Worktree
              </button>
            )}
          </p>
        )}
      </div>
      {session?.pullRequest == null ? null : <PullRequestLink pullRequest={session.pullRequest} />}
      {state === undefined || state.id === "idle" ? null : <span className={`state-pill state-pill-${state.id}`}>{state.text}</span>}
      <span className="spacer" />
      {session === undefined ? null : <AgentsButton sessionId={session.sessionId} panel={panel} onPanel={onPanel} />}
      {progress === null || progress.total === 0 ? null : (
        <button
          type="button"
          className="head-button"
          aria-pressed={panel === "plan"}
          onClick={() => onPanel("plan")}
          title={progress.current ?? "Plan"}
        >
          <Icon name="plan" size={16} />
          <span>
            {progress.done}/{progress.total}
            <span className="visually-hidden"> steps of the plan done</span>
          </span>
        </button>
      )}
      <IconButton icon="diff" label="Changes" keys="Ctrl+Shift+D" aria-pressed={panel === "changes"} onClick={() => onPanel("changes")} />
      <ProgramsButton isOpen={panel === "programs"} onOpen={() => onPanel("programs")} />
      <IconButton icon="info" label="Details" className="only-wide" aria-pressed={panel === "details"} onClick={() => onPanel("details")} />
      {session === undefined ? null : <HeaderMenu session={session} onCommand={onCommand} onDialog={onDialog} />}
    </header>
  );
});

/** Only where programs can be shown. */
function ProgramsButton({ isOpen, onOpen }: { isOpen: boolean; onOpen: () => void }): ReactElement | null {
  const { tools } = useApp().controller.connection;
  return tools === undefined ? null : (
    <IconButton icon="terminal" label="Programs" className="only-wide" aria-pressed={isOpen} onClick={onOpen} />
  );
}

/** Link from a sub-agent to the session that started it. */
function ParentLink({ session }: { session: SessionSummary }): ReactElement | null {
  const { go } = useApp();
  const id = session.parentSessionId ?? null;
  const parent = useAppState((s) => (id === null ? undefined : (s.sessions.get(id) ?? s.archived.get(id))));
  if (id === null || parent === undefined) return null;
  return (
    <span>
      <Icon name="users" size={13} /> Sub-agent of{" "}
      <button type="button" className="link-button" dir="auto" onClick={() => go({ name: "session", sessionId: id, requestId: null })}>
        {parent.title}
      </button>
    </span>
  );
}

/** Only where there are sub-agents. */
function AgentsButton({ sessionId, panel, onPanel }: { sessionId: string } & Pick<HeaderProps, "panel" | "onPanel">): ReactElement | null {
  const agents = useAgents(sessionId);
  if (agents.length === 0) return null;
  const working = agents.filter(({ session }) => isWorking(session)).length;
  return (
    <button type="button" className="head-button" aria-pressed={panel === "agents"} onClick={() => onPanel("agents")} title="Sub-agents">
      <Icon name="users" size={16} />
      <span>
        {working > 0 ? `${working}/` : ""}
        {agents.length}
        <span className="visually-hidden">{working > 0 ? " sub-agents working" : " sub-agents"}</span>
      </span>
    </button>
  );
}

function HeaderMenu({
  session,
  onCommand,
  onDialog,
}: {
  session: SessionSummary;
  onCommand: (command: string) => boolean;
  onDialog: (dialog: ListDialog) => void;
}): ReactElement | null {
  const { scope, controller } = useApp();
  const { tools } = controller.connection;
  const shared = useSessionMenu(session, onDialog);
  if (!allows(scope, "drive")) return null;
  const hasGit = controller.connection.git !== undefined && session.branch != null;
  const own: readonly (MenuItem | "line")[] = [
    ...(controller.connection.goals === undefined
      ? []
      : [{ id: "goal", label: "Goal…", icon: "target", run: () => void onCommand("goal") } as const]),
    { id: "review", label: "Review…", icon: "review", run: () => void onCommand("review") },
    {
      id: "compact",
      label: "Summarise to make room",
      icon: "compress",
      disabled: session.activeTurnId != null,
      run: () => void onCommand("compact"),
    },
    ...(tools === undefined
      ? []
      : [{ id: "share", label: "Share or export…", icon: "external", run: () => void onCommand("share") } as const]),
    ...(hasGit
      ? [{ id: "commit", label: "Commit, push, pull request…", icon: "commit", run: () => void onCommand("commit") } as const]
      : []),
    ...(session.worktree == null
      ? []
      : [{ id: "worktree", label: "Merge or discard the worktree…", icon: "worktree", run: () => void onCommand("worktree") } as const]),
    { id: "undo", label: "Undo the last turn…", icon: "undo", disabled: session.activeTurnId != null, run: () => void onCommand("undo") },
    "line",
  ];
  return <Menu label="Session actions" items={[...own, ...shared]} />;
}

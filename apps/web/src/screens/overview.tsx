/** The start screen's overview: what needs the person, what runs, what is done and unread, and what is pinned. */
import { type ReactElement, useMemo, useState } from "react";
import { allows, useApp, useAppState } from "../app-context.tsx";
import { ago, folderName, plural } from "../state/format.ts";
import { agentsOf, isWorking, type Overview, overviewOf, stateLabel, waitingCounts } from "../state/list.ts";
import type { SessionSummary } from "../state/model.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/overlays.tsx";
import { ChangeCount, togglePin } from "./arrange.tsx";
import { RowBadges } from "./badges.tsx";
import { type ListDialog, ListDialogs } from "./list-dialogs.tsx";
import { useNow, useSessionMenu } from "./sidebar.tsx";

/** More would push the rest off the screen; the list beside has all of them. */
const mostShown = 8;

const groups = [
  ["waiting", "Needs you"],
  ["running", "Running"],
  ["unread", "Done and unread"],
  ["pinned", "Pinned"],
] as const satisfies readonly (readonly [keyof Overview, string])[];

const useOverview = (now: number): Overview => {
  const sessions = useAppState((s) => s.sessions);
  const pending = useAppState((s) => s.pending);
  const sections = useAppState((s) => s.sections);
  return useMemo(() => overviewOf({ sessions, pending, sections }, now), [sessions, pending, sections, now]);
};

/** Whether nothing needs the person, runs, is unread or pinned. */
export const useIsQuiet = (): boolean => Object.values(useOverview(useNow(30_000))).every((group) => group.length === 0);

export function OverviewGroups(): ReactElement | null {
  const now = useNow(30_000);
  const overview = useOverview(now);
  const [dialog, setDialog] = useState<ListDialog>();
  if (Object.values(overview).every((group) => group.length === 0)) return null;
  return (
    <div className="overview">
      {groups.map(([id, title]) =>
        overview[id].length === 0 ? null : (
          <OverviewGroup key={id} id={id} title={title} sessions={overview[id]} now={now} onDialog={setDialog} />
        ),
      )}
      {dialog === undefined ? null : <ListDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
    </div>
  );
}

function OverviewGroup({
  id,
  title,
  sessions,
  now,
  onDialog,
}: {
  id: keyof Overview;
  title: string;
  sessions: readonly SessionSummary[];
  now: number;
  onDialog: (dialog: ListDialog) => void;
}): ReactElement {
  const { controller, scope } = useApp();
  const [all, setAll] = useState(false);
  const shown = all ? sessions : sessions.slice(0, mostShown);
  const { markRead, lists } = controller.connection;
  const readAll = async (): Promise<void> => {
    for (const session of sessions) await markRead?.(session.sessionId, true);
  };
  const archivable = sessions.filter((s) => s.materialized).map((s) => s.sessionId);
  return (
    <section className={`overview-group overview-${id}`} aria-labelledby={`overview-${id}`}>
      <header>
        <h2 id={`overview-${id}`}>
          {title} <span className="list-count">{sessions.length}</span>
        </h2>
        <span className="spacer" />
        {id === "unread" && markRead !== undefined && allows(scope, "approve") ? (
          <Button size="small" tone="quiet" icon="check" onClick={() => void controller.try(readAll())}>
            Mark all as read
          </Button>
        ) : null}
        {id === "unread" && lists !== undefined && allows(scope, "drive") ? (
          <Button size="small" tone="quiet" icon="archive" onClick={() => void controller.archiveMany(archivable)}>
            Archive all
          </Button>
        ) : null}
      </header>
      <ul>
        {shown.map((session) => (
          <li key={session.sessionId}>
            <OverviewRow session={session} now={now} onDialog={onDialog} />
          </li>
        ))}
      </ul>
      {shown.length === sessions.length ? null : (
        <Button size="small" tone="quiet" onClick={() => setAll(true)}>
          Show {sessions.length - shown.length} more
        </Button>
      )}
    </section>
  );
}

function OverviewRow({
  session,
  now,
  onDialog,
}: {
  session: SessionSummary;
  now: number;
  onDialog: (dialog: ListDialog) => void;
}): ReactElement {
  const { go, scope, controller } = useApp();
  const pending = useAppState((s) => s.pending);
  const sessions = useAppState((s) => s.sessions);
  const pinned = useAppState((s) => s.sections.find((section) => section.isPinned)?.sectionId);
  const id = session.sessionId;
  const request = useMemo(
    () =>
      [...pending.values()]
        .filter((p) => p.rootThreadId === id || p.threadId === id)
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt))[0],
    [pending, id],
  );
  const agents = useMemo(() => agentsOf(id, sessions.values()).filter((row) => isWorking(row.session)).length, [id, sessions]);
  const state = stateLabel(session, waitingCounts(pending).get(id) ?? 0, session.unread);
  const menu = useSessionMenu(session, onDialog);
  const isPinned = pinned !== undefined && session.sectionId === pinned;
  return (
    <div className="overview-row">
      <button
        type="button"
        className="overview-open"
        onClick={() => go({ name: "session", sessionId: request?.threadId ?? id, requestId: request?.requestId ?? null })}
      >
        <span className={`state-dot state-${state.id}`} aria-hidden="true" />
        <span className="overview-text">
          <span className="session-title" dir="auto">
            {session.title}
          </span>
          <span className="session-sub">
            <span className={`state-word state-word-${state.id}`}>{state.text}</span>
            {request === undefined ? null : (
              <span className="overview-request" dir="auto">
                {request.summary}
              </span>
            )}
            <span className="session-where">{folderName(session.cwd)}</span>
            {session.branch == null ? null : (
              <span className="session-branch">
                <Icon name="branch" size={11} /> {session.branch}
              </span>
            )}
            {agents === 0 ? null : <span>{plural(agents, "agent")} working</span>}
            <ChangeCount session={session} />
            <RowBadges session={session} />
          </span>
        </span>
        <span className="overview-time">{ago(session.updatedAt, now)}</span>
      </button>
      {allows(scope, "drive") ? (
        <span className="overview-actions">
          {pinned === undefined ? null : (
            <IconButton
              icon="pin"
              size={16}
              label={`${isPinned ? "Unpin" : "Pin"} ${session.title}`}
              aria-pressed={isPinned}
              onClick={() => void togglePin(controller, session)}
            />
          )}
          <Menu label={`Actions for ${session.title}`} className="icon-button" items={menu} />
        </span>
      ) : null}
    </div>
  );
}

/** The session list: the inbox on top, then every session with its state, searchable, grouped by time or project. */
import { type CSSProperties, memo, type ReactElement, useEffect, useMemo, useState } from "react";
import { Virtualizer } from "virtua";
import { allows, useApp, useAppState } from "../app-context.tsx";
import { ago, folderName } from "../state/format.ts";
import { type ListRow, type ListView, listRows, stateLabel, waitingCounts } from "../state/list.ts";
import type { SessionSummary } from "../state/model.ts";
import { Button, IconButton } from "../ui/controls.tsx";
import { Icon, Logo } from "../ui/icons.tsx";
import { Menu, type MenuItem, Picker } from "../ui/overlays.tsx";
import { BulkBar, ChangeCount, useArrangeItems } from "./arrange.tsx";
import { RowBadges } from "./badges.tsx";
import { type ListDialog, ListDialogs } from "./list-dialogs.tsx";

export function Sidebar({ onClose, onNew }: { onClose: () => void; onNew: () => void }): ReactElement {
  const app = useApp();
  const { controller, settings, place, go } = app;
  const { offers } = controller.connection;
  const sessions = useAppState((s) => s.sessions);
  const archived = useAppState((s) => s.archived);
  const projects = useAppState((s) => s.projects);
  const pending = useAppState((s) => s.pending);
  const sections = useAppState((s) => s.sections);
  /** The selected sessions; undefined outside of selecting. */
  const [selected, setSelected] = useState<ReadonlySet<string>>();
  const [filter, setFilter] = useState<ListView["filter"]>("all");
  const [search, setSearch] = useState("");
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<ListDialog>();
  const now = useNow(30_000);
  const rows = useMemo(
    () => listRows({ sessions, archived, projects, pending, sections }, { groupBy: settings.groupBy, filter, search, folded }, now),
    [sessions, archived, projects, pending, sections, settings.groupBy, filter, search, folded, now],
  );
  useDeepSearch(search, filter === "archived");
  useEffect(() => {
    if (filter === "archived") void controller.readArchive();
  }, [filter, controller]);
  const fold = (key: string): void =>
    setFolded((before) => new Set(before.has(key) ? [...before].filter((k) => k !== key) : [...before, key]));

  return (
    <nav className="sidebar" aria-label="Sessions">
      <header className="sidebar-head">
        <Logo />
        <span className="brand">Parley</span>
        <span className="spacer" />
        {offers.settings[0] === undefined ? null : (
          <IconButton
            icon="gear"
            label="Settings"
            onClick={() => go({ name: "settings", tab: offers.settings[0] ?? "general" })}
            aria-current={place.name === "settings" ? "page" : undefined}
          />
        )}
        <IconButton icon="close" label="Close the session list" className="only-narrow" onClick={onClose} />
      </header>
      <div className="sidebar-actions">
        <Button tone="primary" icon="plus" onClick={onNew} disabled={!allows(app.scope, "drive")}>
          New session
        </Button>
      </div>
      <button
        type="button"
        className={`inbox-link ${place.name === "inbox" ? "row-current" : ""}`}
        aria-current={place.name === "inbox" ? "page" : undefined}
        onClick={() => go({ name: "inbox" })}
      >
        <Icon name="inbox" size={17} />
        <span>Inbox</span>
        {pending.size > 0 ? (
          <span className="badge">
            {pending.size}
            <span className="visually-hidden"> waiting</span>
          </span>
        ) : null}
      </button>
      <ListTools
        {...{ search, filter, isSelecting: selected !== undefined }}
        onSearch={setSearch}
        onFilter={setFilter}
        onSelecting={(on) => setSelected(on ? new Set() : undefined)}
        onNewProject={() => setDialog({ kind: "newProject" })}
      />
      {rows.length === 0 ? <p className="sidebar-empty">{search === "" ? "No sessions here yet." : "Nothing fits."}</p> : null}
      <div className="session-list">
        <Virtualizer as="ul" item="li" itemSize={58} data={rows}>
          {(row) => (
            <Row
              key={row.key}
              row={row}
              now={now}
              folded={folded.has(row.key)}
              onFold={fold}
              onDialog={setDialog}
              selected={selected}
              onSelect={setSelected}
            />
          )}
        </Virtualizer>
      </div>
      {selected === undefined ? null : (
        <BulkBar
          selected={[...selected].flatMap((id) => sessions.get(id) ?? archived.get(id) ?? [])}
          onDone={() => setSelected(undefined)}
        />
      )}
      {dialog === undefined ? null : <ListDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
    </nav>
  );
}

interface ListToolsProps {
  readonly search: string;
  readonly filter: ListView["filter"];
  readonly isSelecting: boolean;
  readonly onSearch: (search: string) => void;
  readonly onFilter: (filter: ListView["filter"]) => void;
  readonly onSelecting: (on: boolean) => void;
  readonly onNewProject: () => void;
}

/** What is shown of the list, and how. */
function ListTools(props: ListToolsProps): ReactElement {
  const { search, onSearch } = props;
  const { controller, go } = useApp();
  const canSearch = controller.connection.search !== undefined && search.trim() !== "";
  return (
    <>
      <div className="sidebar-search">
        <Icon name="search" size={15} />
        <input
          id="session-search"
          type="search"
          placeholder="Search sessions"
          aria-label="Search sessions"
          value={search}
          onChange={(e) => onSearch(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === "Enter" && canSearch) go({ name: "search", query: search.trim() });
          }}
        />
      </div>
      {search.trim().length < 2 || !canSearch ? null : (
        <button type="button" className="search-messages" onClick={() => go({ name: "search", query: search.trim() })}>
          <Icon name="search" size={14} />
          <span>
            Search in messages for “<bdi>{search.trim()}</bdi>”
          </span>
        </button>
      )}
      <FilterRow {...props} />
    </>
  );
}

function FilterRow({ filter, isSelecting, onFilter, onSelecting, onNewProject }: ListToolsProps): ReactElement {
  const app = useApp();
  const { controller, settings } = app;
  const { offers } = controller.connection;
  return (
    <div className="sidebar-filter">
      <Picker
        label="Show"
        value={filter}
        prefer="below"
        options={[
          { value: "all", label: "All sessions" },
          { value: "waiting", label: "Needs you" },
          { value: "working", label: "Working" },
          { value: "unread", label: "Unread" },
          ...(controller.connection.lists?.snooze === undefined ? [] : [{ value: "snoozed", label: "Snoozed" }]),
          { value: "archived", label: "Archive" },
        ]}
        onPick={(value) => onFilter(value as ListView["filter"])}
      />
      <span className="spacer" />
      {controller.connection.lists === undefined || !allows(app.scope, "approve") ? null : (
        <IconButton
          icon="check"
          size={16}
          label={isSelecting ? "End selecting" : "Select sessions"}
          aria-pressed={isSelecting}
          onClick={() => onSelecting(!isSelecting)}
        />
      )}
      {offers.projects ? (
        <IconButton
          icon={settings.groupBy === "time" ? "clock" : "folder"}
          size={16}
          label={settings.groupBy === "time" ? "Group by project" : "Group by time"}
          onClick={() => app.change({ groupBy: settings.groupBy === "time" ? "project" : "time" })}
        />
      ) : null}
      {offers.projects && allows(app.scope, "drive") ? (
        <IconButton icon="plus" size={16} label="New project" onClick={onNewProject} />
      ) : null}
    </div>
  );
}

function Row({
  row,
  now,
  folded,
  onFold,
  onDialog,
  selected,
  onSelect,
}: {
  row: ListRow;
  now: number;
  folded: boolean;
  onFold: (key: string) => void;
  onDialog: (dialog: ListDialog) => void;
  selected: ReadonlySet<string> | undefined;
  onSelect: (selected: ReadonlySet<string>) => void;
}): ReactElement {
  const { scope, controller } = useApp();
  if (row.kind === "session")
    return (
      <Selectable session={row.session} selected={selected} onSelect={onSelect}>
        <SessionRow session={row.session} number={row.number} depth={row.depth} now={now} onDialog={onDialog} />
      </Selectable>
    );
  const { sectionId } = row;
  const { projectId } = row;
  return (
    <div className={`list-heading ${row.key === "waiting" ? "list-heading-waiting" : ""}`}>
      <button type="button" aria-expanded={!folded} onClick={() => onFold(row.key)}>
        <Icon name={folded ? "chevronRight" : "chevronDown"} size={12} />
        <span dir="auto">{row.text}</span>
        <span className="list-count">{row.count}</span>
      </button>
      {sectionId === undefined || !allows(scope, "drive") ? null : (
        <Menu
          label={`Section ${row.text}`}
          className="icon-button row-menu"
          items={[
            {
              id: "rename",
              label: "Rename section",
              icon: "edit",
              run: () => onDialog({ kind: "renameSection", sectionId, name: row.text }),
            },
            {
              id: "delete",
              label: "Remove section",
              icon: "trash",
              danger: true,
              run: () => void controller.arrange((lists) => lists.removeSection(sectionId)),
            },
          ]}
        />
      )}
      {projectId === undefined || !allows(scope, "drive") ? null : (
        <Menu
          label={`Project ${row.text}`}
          className="icon-button row-menu"
          items={[
            {
              id: "rename",
              label: "Rename project",
              icon: "edit",
              run: () => onDialog({ kind: "renameProject", projectId, name: row.text }),
            },
            {
              id: "delete",
              label: "Remove project",
              icon: "trash",
              danger: true,
              disabled: row.count > 0,
              run: () => onDialog({ kind: "deleteProject", projectId, name: row.text }),
            },
          ]}
        />
      )}
    </div>
  );
}

/** A row with a box to check while sessions are selected. */
function Selectable({
  session: { sessionId: id, title },
  selected,
  onSelect,
  children,
}: {
  session: SessionSummary;
  selected: ReadonlySet<string> | undefined;
  onSelect: (selected: ReadonlySet<string>) => void;
  children: ReactElement;
}): ReactElement {
  if (selected === undefined) return children;
  return (
    <div className="select-row">
      <input
        type="checkbox"
        aria-label={`Select ${title}`}
        checked={selected.has(id)}
        onChange={(e) => onSelect(new Set(e.target.checked ? [...selected, id] : [...selected].filter((one) => one !== id)))}
      />
      {children}
    </div>
  );
}

const SessionRow = memo(function SessionRow({
  session,
  number,
  depth,
  now,
  onDialog,
}: {
  session: SessionSummary;
  number: number;
  depth: number;
  now: number;
  onDialog: (dialog: ListDialog) => void;
}): ReactElement {
  const { place, go, scope } = useApp();
  const waiting = useAppState((s) => waitingCounts(s.pending).get(session.sessionId) ?? 0);
  const { unread } = session;
  const state = stateLabel(session, waiting, unread);
  const current = place.name === "session" && place.sessionId === session.sessionId;
  const menu = useSessionMenu(session, onDialog);
  return (
    <div
      className={`session-row ${current ? "row-current" : ""} ${depth > 0 ? "session-child" : ""}`}
      style={{ "--depth": Math.min(depth, 4) } as CSSProperties}
    >
      <button
        type="button"
        className="session-open"
        aria-current={current ? "page" : undefined}
        onClick={() => go({ name: "session", sessionId: session.sessionId, requestId: null })}
      >
        <span className={`state-dot state-${state.id}`} aria-hidden="true" />
        <span className="session-text">
          <span className={`session-title ${unread ? "session-unread" : ""}`} dir="auto">
            {depth > 0 ? <span className="visually-hidden">Sub-agent: </span> : null}
            {session.title}
          </span>
          <span className="session-sub">
            <span className="session-where">
              {depth > 0 && session.agentName !== undefined ? session.agentName : folderName(session.cwd)}
            </span>
            {session.branch == null ? null : (
              <span className="session-branch" title={session.branch}>
                <Icon name="branch" size={11} /> {session.branch}
              </span>
            )}
            <ChangeCount session={session} />
            <RowBadges session={session} />
            {state.id === "idle" ? null : <span className={`state-word state-word-${state.id}`}>{state.text}</span>}
            {state.id === "idle" ? <span className="visually-hidden">, {state.text}</span> : null}
          </span>
        </span>
        <span className="session-time">
          {number > 0 && number <= 9 ? (
            <span className="session-number" aria-hidden="true">
              {number}
            </span>
          ) : null}
          {ago(session.updatedAt, now)}
        </span>
      </button>
      {allows(scope, "drive") ? <Menu label={`Actions for ${session.title}`} className="icon-button row-menu" items={menu} /> : null}
    </div>
  );
});

/** Actions on a session, from the list and from its own header. */
export function useSessionMenu(session: SessionSummary, onDialog: (dialog: ListDialog) => void): readonly (MenuItem | "line")[] {
  const { controller, go } = useApp();
  const projects = useAppState((s) => s.projects);
  const arrange = useArrangeItems(session, onDialog);
  const { connection } = controller;
  const id = session.sessionId;
  const moves = projects
    .filter((p) => p.projectId !== session.projectId)
    .slice(0, 8)
    .map(
      (p): MenuItem => ({
        id: `move:${p.projectId}`,
        label: `Move to ${p.name}`,
        icon: "folder",
        run: () => void controller.try(connection.assign(id, p.projectId)),
      }),
    );
  return [
    ...(arrange.length === 0 ? [] : ([...arrange, "line"] as const)),
    { id: "rename", label: "Rename", icon: "edit", run: () => onDialog({ kind: "rename", session }) },
    {
      id: "fork",
      label: "Fork",
      icon: "fork",
      disabled: !session.materialized,
      run: () =>
        void controller
          .try(connection.fork(id), "Forked")
          .then((forked) => forked !== undefined && go({ name: "session", sessionId: forked.sessionId, requestId: null })),
    },
    ...(moves.length === 0 ? [] : (["line", ...moves] as const)),
    ...(session.projectId === null
      ? []
      : [
          {
            id: "unassign",
            label: "Take out of its project",
            icon: "folder",
            run: () => void controller.try(connection.assign(id, null)),
          } as const,
        ]),
    "line",
    session.archived
      ? {
          id: "unarchive",
          label: "Bring back",
          icon: "archive",
          run: () => void controller.try(connection.archive(id, false), "Back in the list"),
        }
      : {
          id: "archive",
          label: "Archive",
          icon: "archive",
          disabled: !session.materialized,
          run: () => void controller.archive(id),
        },
    { id: "delete", label: "Delete", icon: "trash", danger: true, run: () => onDialog({ kind: "delete", session }) },
  ];
}

/** The loaded list is searched at once; the server is queried for matching sessions that are not loaded. */
function useDeepSearch(search: string, archived: boolean): void {
  const { controller } = useApp();
  useEffect(() => {
    const wanted = search.trim();
    if (wanted.length < 3) return;
    const timer = setTimeout(() => {
      controller.connection.sessions({ search: wanted, archived }).then(
        (page) =>
          controller.store.dispatch({
            type: "sessions",
            sessions: page.sessions,
            archived,
            first: false,
            complete: controller.store.get().listComplete,
            seq: page.seq,
          }),
        () => {},
      );
    }, 300);
    return () => clearTimeout(timer);
  }, [search, archived, controller]);
}

export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

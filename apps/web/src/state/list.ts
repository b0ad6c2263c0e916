/** The session list as rows: sessions that need the user first, then by time or project, filtered by search terms. */

import { dayGroup } from "./format.ts";
import type { AppState, PendingView, Section, SessionSummary } from "./model.ts";

export type ListRow =
  | {
      readonly kind: "heading";
      readonly key: string;
      readonly text: string;
      readonly count: number;
      readonly projectId?: string;
      readonly sectionId?: string;
    }
  | { readonly kind: "session"; readonly key: string; readonly session: SessionSummary; readonly number: number; readonly depth: number };

export interface ListView {
  readonly groupBy: "time" | "project";
  readonly filter: "all" | "waiting" | "working" | "unread" | "snoozed" | "archived";
  readonly search: string;
  readonly folded: ReadonlySet<string>;
}

/** Times are whole seconds; ids grow with time, so of two sessions in the same second the newer comes first. */
export const newestFirst = (a: SessionSummary, b: SessionSummary): number =>
  b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? 1 : a.sessionId > b.sessionId ? -1 : 0);

export function listRows(
  state: Pick<AppState, "sessions" | "archived" | "projects" | "pending" | "sections">,
  view: ListView,
  now: number,
): readonly ListRow[] {
  const source = view.filter === "archived" ? state.archived : state.sessions;
  const terms = view.search
    .toLowerCase()
    .split(/\s+/)
    .filter((w) => w !== "");
  const waiting = waitingCounts(state.pending);
  const fits = (s: SessionSummary): boolean =>
    !s.systemOwned &&
    (view.filter !== "waiting" || needsYou(s, waiting)) &&
    (view.filter !== "working" || isWorking(s)) &&
    (view.filter !== "unread" || s.unread) &&
    (view.filter === "archived" ||
      (view.filter === "all" && terms.length > 0) ||
      isSnoozed(s, waiting, now) === (view.filter === "snoozed")) &&
    terms.every((w) => searchText(s).includes(w));
  const all = sorted(source).filter(fits);
  const { roots: sessions, children } = family(all);
  const first = sessions.filter((s) => needsYou(s, waiting));
  const rest = sessions.filter((s) => !needsYou(s, waiting));
  const groups = new Map<string, Group>();
  if (first.length > 0) groups.set("waiting", { text: "Needs you", list: first });
  if (view.groupBy === "project" && view.filter !== "archived")
    for (const project of state.projects)
      groups.set(`p:${project.projectId}`, { text: project.name, projectId: project.projectId, list: [] });
  const placed = view.filter === "archived" ? new Set() : placeInSections(groups, state.sections, rest);
  for (const session of rest) {
    if (placed.has(session)) continue;
    const [key, text] = groupOf(session, state, view, now);
    const group = groups.get(key) ?? { text, list: [] };
    group.list.push(session);
    groups.set(key, group);
  }
  return flatten(groups, view.folded, children);
}

/** A letter typed into the search does not change their order. */
const order = new WeakMap<ReadonlyMap<string, SessionSummary>, readonly SessionSummary[]>();
function sorted(sessions: ReadonlyMap<string, SessionSummary>): readonly SessionSummary[] {
  const known = order.get(sessions) ?? [...sessions.values()].sort(newestFirst);
  order.set(sessions, known);
  return known;
}

interface Group {
  readonly text: string;
  readonly projectId?: string;
  readonly sectionId?: string;
  readonly list: SessionSummary[];
}

/** Sections come before everything else, Pinned first, in the order in which people have put their sessions. */
function placeInSections(groups: Map<string, Group>, sections: readonly Section[], sessions: readonly SessionSummary[]): Set<unknown> {
  const placed = new Set<unknown>();
  for (const { sectionId, name, isPinned, sessionIds } of sections) {
    const places = new Map(sessionIds.map((id, i) => [id, i]));
    const placeOf = (s: SessionSummary): number => places.get(s.sessionId) ?? sessionIds.length;
    const list = sessions.filter((s) => s.sectionId === sectionId).sort((a, b) => placeOf(a) - placeOf(b));
    // An empty section of one's own is shown, so that it can be renamed and removed.
    if (list.length > 0 || !isPinned) groups.set(`s:${sectionId}`, { text: name, list, ...(isPinned ? {} : { sectionId }) });
    for (const session of list) placed.add(session);
  }
  return placed;
}

export const isWorking = (s: SessionSummary): boolean => s.state === "working" || s.state === "waiting";

/** What waits for a person is never hidden. */
export const isSnoozed = (s: SessionSummary, waiting: ReadonlyMap<string, number>, now: number): boolean =>
  (s.snoozedUntil ?? 0) * 1000 > now && !needsYou(s, waiting);

/** Sub-agents are listed under their parent, if the parent is in the list too. */
function family(sessions: readonly SessionSummary[]): {
  roots: readonly SessionSummary[];
  children: ReadonlyMap<string, readonly SessionSummary[]>;
} {
  if (sessions.every((s) => s.parentSessionId == null)) return { roots: sessions, children: new Map() };
  const parents = new Map(sessions.map((s) => [s.sessionId, s.parentSessionId]));
  const isChild = (s: SessionSummary): boolean => {
    // A cycle of parents has no root; all of its sessions stay visible.
    const seen = new Set([s.sessionId]);
    for (let at = s.parentSessionId; at != null && parents.has(at); at = parents.get(at)) {
      if (seen.has(at)) return false;
      seen.add(at);
    }
    return s.parentSessionId != null && parents.has(s.parentSessionId);
  };
  const [roots, below] = [sessions.filter((s) => !isChild(s)), sessions.filter(isChild)];
  return { roots, children: Map.groupBy(below, (s) => s.parentSessionId ?? "") };
}

function groupOf(session: SessionSummary, state: Pick<AppState, "projects">, view: ListView, now: number): [string, string] {
  if (view.groupBy === "project" && view.filter !== "archived") {
    const project = state.projects.find((p) => p.projectId === session.projectId);
    return project === undefined ? ["p:none", "No project"] : [`p:${project.projectId}`, project.name];
  }
  const day = dayGroup(session.updatedAt, now);
  return [`d:${day}`, day];
}

function flatten(
  groups: ReadonlyMap<string, Group>,
  folded: ReadonlySet<string>,
  children: ReadonlyMap<string, readonly SessionSummary[]>,
): ListRow[] {
  const rows: ListRow[] = [];
  let number = 0;
  for (const [key, group] of groups) {
    rows.push({
      kind: "heading",
      key,
      text: group.text,
      count: group.list.length,
      ...(group.projectId === undefined ? {} : { projectId: group.projectId }),
      ...(group.sectionId === undefined ? {} : { sectionId: group.sectionId }),
    });
    if (folded.has(key)) continue;
    const add = (session: SessionSummary, depth: number): void => {
      rows.push({ kind: "session", key: session.sessionId, session, number: depth === 0 ? ++number : 0, depth });
      for (const child of children.get(session.sessionId) ?? []) add(child, depth + 1);
    };
    for (const session of group.list) add(session, 0);
  }
  return rows;
}

export function waitingCounts(pending: ReadonlyMap<string, PendingView>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const p of pending.values()) {
    for (const id of new Set([p.threadId, p.rootThreadId])) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** A session's sub-agents at every depth, in the order of their creation. */
export interface AgentRow {
  readonly session: SessionSummary;
  readonly depth: number;
}
export function agentsOf(sessionId: string, sessions: Iterable<SessionSummary>): readonly AgentRow[] {
  const children = Map.groupBy(sessions, (s) => s.parentSessionId ?? "");
  const rows: AgentRow[] = [];
  const seen = new Set([sessionId]);
  const add = (parent: string, depth: number): void => {
    for (const session of (children.get(parent) ?? []).toSorted((a, b) => a.createdAt - b.createdAt)) {
      if (seen.has(session.sessionId)) continue;
      seen.add(session.sessionId);
      rows.push({ session, depth });
      add(session.sessionId, depth + 1);
    }
  };
  add(sessionId, 0);
  return rows;
}

/** The start screen's groups: what needs a person, what runs, what is done and was not looked at. Sub-agents belong to their sessions. */
export interface Overview {
  readonly waiting: readonly SessionSummary[];
  readonly running: readonly SessionSummary[];
  readonly unread: readonly SessionSummary[];
  readonly pinned: readonly SessionSummary[];
}
export function overviewOf(state: Pick<AppState, "sessions" | "pending" | "sections">, now: number): Overview {
  const counts = waitingCounts(state.pending);
  const roots = family([...state.sessions.values()].filter((s) => !s.systemOwned)).roots.toSorted(newestFirst);
  const shown = roots.filter((s) => !isSnoozed(s, counts, now));
  const rest = shown.filter((s) => !needsYou(s, counts));
  const pinned = state.sections.find((section) => section.isPinned)?.sessionIds ?? [];
  return {
    waiting: shown.filter((s) => needsYou(s, counts)),
    running: rest.filter(isWorking),
    unread: rest.filter((s) => !isWorking(s) && s.unread),
    pinned: pinned.flatMap((id) => rest.find((s) => s.sessionId === id && !isWorking(s) && !s.unread) ?? []),
  };
}

const needsYou = (session: SessionSummary, waiting: ReadonlyMap<string, number>): boolean => (waiting.get(session.sessionId) ?? 0) > 0;

const texts = new WeakMap<SessionSummary, string>();
function searchText(session: SessionSummary): string {
  const { title, preview, cwd, branch } = session;
  const text = texts.get(session) ?? `${title}\n${preview}\n${cwd}\n${branch ?? ""}`.toLowerCase();
  texts.set(session, text);
  return text;
}

export interface StateLabel {
  readonly id: "waiting" | "working" | "failed" | "unread" | "idle";
  readonly text: string;
}

/** The label of a session's state; the state is never shown by colour alone. */
export function stateLabel(session: SessionSummary, waiting: number, unread: boolean): StateLabel {
  if (waiting > 0) return { id: "waiting", text: "Needs you" };
  if (session.state === "working" || session.state === "waiting") return { id: "working", text: "Working" };
  if (session.state === "failed") return { id: "failed", text: "Failed" };
  return unread ? { id: "unread", text: "Done, unread" } : { id: "idle", text: "Idle" };
}

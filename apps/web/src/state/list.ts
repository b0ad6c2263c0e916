/** The session list as rows: sessions that need the user first, then by time or project, filtered by search terms. */

import { dayGroup } from "./format.ts";
import type { AppState, PendingView, SessionSummary } from "./model.ts";

export type ListRow =
  | { readonly kind: "heading"; readonly key: string; readonly text: string; readonly count: number; readonly projectId?: string }
  | { readonly kind: "session"; readonly key: string; readonly session: SessionSummary; readonly number: number; readonly depth: number };

export interface ListView {
  readonly groupBy: "time" | "project";
  readonly filter: "all" | "waiting" | "working" | "archived";
  readonly search: string;
  readonly folded: ReadonlySet<string>;
}

/** Times are whole seconds; ids grow with time, so of two sessions in the same second the newer comes first. */
export const newestFirst = (a: SessionSummary, b: SessionSummary): number =>
  b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? 1 : a.sessionId > b.sessionId ? -1 : 0);

export function listRows(
  state: Pick<AppState, "sessions" | "archived" | "projects" | "pending">,
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
    (view.filter !== "working" || s.state === "working" || s.state === "waiting") &&
    terms.every((w) => searchText(s).includes(w));
  const all = [...source.values()].filter(fits).sort(newestFirst);
  const { roots: sessions, children } = family(all);
  const first = sessions.filter((s) => needsYou(s, waiting));
  const rest = sessions.filter((s) => !needsYou(s, waiting));
  const groups = new Map<string, { text: string; projectId?: string; list: SessionSummary[] }>();
  if (first.length > 0) groups.set("waiting", { text: "Needs you", list: first });
  if (view.groupBy === "project" && view.filter !== "archived")
    for (const project of state.projects)
      groups.set(`p:${project.projectId}`, { text: project.name, projectId: project.projectId, list: [] });
  for (const session of rest) {
    const [key, text] = groupOf(session, state, view, now);
    const group = groups.get(key) ?? { text, list: [] };
    group.list.push(session);
    groups.set(key, group);
  }
  return flatten(groups, view.folded, children);
}

/** Sub-agents are listed under their parent, if the parent is in the list too. */
function family(sessions: readonly SessionSummary[]): {
  roots: readonly SessionSummary[];
  children: ReadonlyMap<string, readonly SessionSummary[]>;
} {
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
  groups: ReadonlyMap<string, { text: string; projectId?: string; list: SessionSummary[] }>,
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

const needsYou = (session: SessionSummary, waiting: ReadonlyMap<string, number>): boolean => (waiting.get(session.sessionId) ?? 0) > 0;

const searchText = (s: SessionSummary): string => `${s.title}\n${s.preview}\n${s.cwd}\n${s.branch ?? ""}`.toLowerCase();

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

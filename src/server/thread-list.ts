/** `thread/list` and the other lists of threads, turns and items. */
import type { ThreadQuery } from "../core/ports/thread-store.ts";
import { checkId, isThreadId } from "../core/thread/threads.ts";
import { invalidParams, invalidRequest } from "../protocol/errors.ts";
import type { ThreadListParams, ThreadTurnsListParams, ThreadTurnsListResponse, threadListRequests } from "../protocol/thread-list.ts";
import type { Turn } from "../protocol/turn.ts";
import type { App, HandlersFor } from "./app.ts";
import { listedPage, writeAhead } from "./listed-page.ts";
import { recentTurnsOf, storedToWire, turnsOf } from "./stored-thread.ts";
import { withPlace } from "./thread-place.ts";

const defaultLimit = 25;
const maxLimit = 100;

export const threadListHandlers: HandlersFor<typeof threadListRequests> = {
  async "thread/list"(params, call) {
    const { app } = call;
    if (params.parentThreadId && params.ancestorThreadId)
      throw invalidRequest("parentThreadId and ancestorThreadId are mutually exclusive");
    if (params.sortKey === "section_position" && typeof params.sectionId !== "string")
      throw invalidRequest("section-position sorting requires a section filter");
    const [page] = await Promise.all([
      idsFor(params, app).then((ids) => app.store.list({ ...queryFrom(params), ids, onAhead: (threads) => writeAhead(threads, app) })),
      app.relay.listenElsewhere(call),
    ]);
    return await listedPage(page, app);
  },

  async "thread/loaded/list"(params, call) {
    const { app } = call;
    await app.relay.listenElsewhere(call);
    const ids = app.threads.ids.toSorted();
    const { cursor } = params;
    if (typeof cursor === "string" && !isThreadId(cursor)) throw invalidRequest(`invalid cursor: ${cursor}`);
    const rest = typeof cursor === "string" ? ids.filter((id) => id > cursor) : ids;
    const data = rest.slice(0, Math.max(1, params.limit ?? rest.length));
    return { data, nextCursor: data.length < rest.length ? (data.at(-1) ?? null) : null };
  },

  async "thread/turns/list"(params, { app }) {
    return await pageOfTurns(params.threadId, params, app);
  },

  async "thread/items/list"(params, { app }) {
    const turns = await turnsOf(params.threadId, app);
    const chosen = params.turnId ? turns.filter((turn) => turn.id === params.turnId) : turns;
    const entries = chosen.flatMap((turn) =>
      turn.items.map((item) => ({
        item,
        turnId: turn.id,
        startedAtMs: item.startedAtMs ?? null,
        completedAtMs: item.completedAtMs ?? null,
      })),
    );
    const { cursor } = params;
    const anchor = typeof cursor === "object" && cursor !== null ? entries.find((e) => e.item.id === cursor.itemId) : undefined;
    const plain = typeof cursor === "string" ? cursor : anchor === undefined ? null : `${anchor.turnId}/${anchor.item.id}`;
    return pageOf(entries, (e) => `${e.turnId}/${e.item.id}`, {
      limit: params.limit,
      cursor: plain,
      sortDirection: params.sortDirection ?? "asc",
    });
  },

  async "thread/search"(params, { app }) {
    if (params.searchTerm.trim() === "") throw invalidRequest("thread/search requires a non-empty searchTerm");
    const { hits, nextCursor } = await app.store.search(params.searchTerm, Math.max(1, Math.min(params.limit ?? defaultLimit, maxLimit)), {
      archived: params.archived === true,
      sourceKinds: params.sourceKinds ?? [],
      sortKey: params.sortKey ?? "created_at",
      sortDirection: params.sortDirection ?? "desc",
      cursor: params.cursor ?? null,
    });
    return {
      data: await Promise.all(
        hits.map(async (hit) => ({ thread: await withPlace(storedToWire(hit.thread, app), app), snippet: hit.snippet })),
      ),
      nextCursor,
      backwardsCursor: null,
    };
  },
};

/** The threads that the lists leave over, in the section's order; undefined if the lists do not matter. Throws for unknown projects. */
async function idsFor(
  { sectionId, projectId, attachedToThreadId }: ThreadListParams,
  { lists }: App,
): Promise<readonly string[] | undefined> {
  const chosen: (readonly string[])[] = [];
  if (typeof sectionId === "string") chosen.push(await lists.sections.threads(sectionId));
  if (projectId) {
    if ((await lists.projects.find(projectId)) === undefined) throw invalidParams(`project not found: ${projectId}`);
    chosen.push(await lists.projects.threads(projectId));
  }
  if (attachedToThreadId) {
    checkId(attachedToThreadId, "attached thread parent");
    chosen.push(await lists.attachedTo(attachedToThreadId));
  }
  const [first, ...others] = chosen;
  return first?.filter((id) => others.every((ids) => ids.includes(id)));
}

function queryFrom(params: ThreadListParams): ThreadQuery {
  const cwd = params.cwd ?? [];
  return {
    cursor: params.cursor ?? null,
    limit: Math.max(1, Math.min(params.limit ?? defaultLimit, maxLimit)),
    sortKey: params.sortKey ?? "created_at",
    sortDirection: params.sortDirection ?? (params.sortKey === "section_position" ? "asc" : "desc"),
    modelProviders: params.modelProviders ?? [],
    sourceKinds: sourceKindsOf(params),
    archived: params.archived === true,
    cwds: typeof cwd === "string" ? [cwd] : cwd,
    searchTerm: params.searchTerm ?? null,
    parentId: params.parentThreadId || undefined,
    ancestorId: params.ancestorThreadId || undefined,
    excludedIds: params.excludedThreadIds ?? [],
    originators: params.originators ?? [],
  };
}

/** Sub-agents are listed only if those of a thread, or their kind, are requested. */
function sourceKindsOf({ sourceKinds, parentThreadId, ancestorThreadId }: ThreadListParams): readonly string[] {
  if (sourceKinds && sourceKinds.length > 0) return sourceKinds;
  return parentThreadId || ancestorThreadId ? [] : ["cli", "vscode"];
}

interface PageParams {
  readonly cursor?: string | null;
  readonly limit?: number | null | undefined;
  readonly sortDirection?: "asc" | "desc";
}

/** Of a long thread all turns are read only for a page of old ones. */
export async function pageOfTurns(
  threadId: string,
  params: Omit<ThreadTurnsListParams, "threadId">,
  app: App,
): Promise<ThreadTurnsListResponse> {
  const pageIn = (turns: readonly Turn[]) => pageOf(turns, (turn) => turn.id, { ...params, sortDirection: params.sortDirection ?? "desc" });
  const recent = await recentTurnsOf(threadId, app);
  let page = pageIn(recent.turns);
  if (!page.data.every((turn) => recent.isWhole(turn.id))) page = pageIn(await turnsOf(threadId, app));
  return { ...page, data: page.data.map((turn) => viewOf(turn, params.itemsView ?? "summary")) };
}

/** Prefix of a backwards cursor's key: its own row is included again, because it may have changed. */
const from = "from:";
/** A cursor for a list of which the entry with this key is the first. */
export const inclusiveCursor = (key: string): string => `${from}${key}`;

/** One page of an in-memory list; the cursor is the key of the last row, the backwards cursor that of the first. */
export function pageOf<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  params: PageParams,
): { data: T[]; nextCursor: string | null; backwardsCursor: string | null } {
  const ordered = params.sortDirection === "desc" ? rows.toReversed() : rows;
  const { cursor } = params;
  const inclusive = typeof cursor === "string" && cursor.startsWith(from);
  const key = inclusive ? cursor.slice(from.length) : cursor;
  const at = typeof key === "string" ? ordered.findIndex((row) => keyOf(row) === key) : -1;
  if (typeof cursor === "string" && at === -1) throw invalidRequest(`invalid cursor: ${cursor}`);
  const rest = ordered.slice(inclusive ? at : at + 1);
  const data = rest.slice(0, Math.max(1, params.limit ?? rest.length));
  const last = data.at(-1);
  const first = data[0];
  return {
    data,
    nextCursor: data.length < rest.length && last !== undefined ? keyOf(last) : null,
    backwardsCursor: first === undefined ? null : inclusiveCursor(keyOf(first)),
  };
}

export function viewOf(turn: Turn, view: "notLoaded" | "summary" | "full"): Turn {
  if (view === "full") return turn;
  if (view === "notLoaded") return { ...turn, items: [], itemsView: "notLoaded" };
  const first = turn.items.find((item) => item.type === "userMessage");
  const last = turn.items.findLast((item) => item.type === "agentMessage");
  return { ...turn, items: [first, last].filter((item) => item !== undefined), itemsView: "summary" };
}

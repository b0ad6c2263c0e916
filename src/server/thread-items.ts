/** Single items of a thread, the places where a text occurs in it, and its time line. */
import { invalidRequest } from "../protocol/errors.ts";
import type { ThreadItem } from "../protocol/item.ts";
import type { ThreadSearchOccurrence, ThreadTimelineEntry, threadItemsRequests } from "../protocol/thread-items.ts";
import type { Turn } from "../protocol/turn.ts";
import type { HandlersFor } from "./app.ts";
import { listPage } from "./page.ts";
import { turnsOf } from "./stored-thread.ts";
import { inclusiveCursor } from "./thread-list.ts";

const maxItems = 100;
/** Characters of a snippet before and after what was found. */
const around = 80;
const defaultEntries = 50;
const maxEntries = 200;

export const threadItemsHandlers: HandlersFor<typeof threadItemsRequests> = {
  async "thread/items/read"({ threadId, turnId, itemIds }, { app }) {
    if (itemIds.length === 0 || itemIds.length > maxItems) throw invalidRequest(`itemIds must contain 1 to ${maxItems} IDs`);
    const items = (await turnsOf(threadId, app)).find((turn) => turn.id === turnId)?.items ?? [];
    const found = itemIds.flatMap((id) => items.find((item) => item.id === id) ?? []);
    return {
      data: found.map((item) => ({ turnId, item, startedAtMs: item.startedAtMs ?? null, completedAtMs: item.completedAtMs ?? null })),
    };
  },
  async "thread/searchOccurrences"({ threadId, searchTerm, cursor, limit }, { app }) {
    if (searchTerm.trim() === "") throw invalidRequest("thread/searchOccurrences requires a non-empty searchTerm");
    const found = (await turnsOf(threadId, app)).flatMap((turn) => turn.items.flatMap((item) => occurrencesIn(turn, item, searchTerm)));
    const numbered = found.map((occurrence, i) => ({ occurrence, key: String(i) }));
    if (cursor && !numbered.some(({ key }) => key === cursor)) throw invalidRequest(`invalid cursor: ${cursor}`);
    const page = listPage(numbered, ({ key }) => key, { cursor, limit });
    return { ...page, data: page.data.map(({ occurrence }) => occurrence) };
  },
  async "thread/timeline/list"({ threadId, cursor, limit }, { app }) {
    const entries = timelineOf(await turnsOf(threadId, app));
    const end = typeof cursor === "string" ? entries.findIndex((entry) => String(entry.position) === cursor) : entries.length;
    if (end === -1) throw invalidRequest(`invalid cursor: ${cursor}`);
    const data = entries.slice(Math.max(0, end - Math.max(1, Math.min(limit ?? defaultEntries, maxEntries))), end);
    const isMore = data.length < end;
    return { data, nextCursor: isMore ? String(data[0]?.position) : null, activeRealtimeSessionAtPageStart: null };
  },
};

/** Upper and lower case count as the same, as long as both have the same length. */
function occurrencesIn(turn: Turn, item: ThreadItem, term: string): ThreadSearchOccurrence[] {
  const text = textOf(item);
  const [lower, wanted] = [text.toLowerCase(), term.toLowerCase()];
  const [searched, needle] = lower.length === text.length && wanted.length === term.length ? [lower, wanted] : [text, term];
  const found: ThreadSearchOccurrence[] = [];
  for (let at = searched.indexOf(needle); at !== -1; at = searched.indexOf(needle, at + needle.length)) {
    const from = Math.max(0, at - around);
    found.push({
      turnId: turn.id,
      itemId: item.id,
      snippet: text.slice(from, at + needle.length + around),
      snippetMatchRange: { start: at - from, end: at - from + needle.length },
      turnCursor: inclusiveCursor(turn.id),
    });
  }
  return found;
}

/** The messages of a conversation; outputs of commands and the like are not searched. */
function textOf(item: ThreadItem): string {
  if (item.type === "agentMessage") return item.text;
  if (item.type !== "userMessage") return "";
  return item.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function timelineOf(turns: readonly Turn[]): ThreadTimelineEntry[] {
  let position = 0;
  return turns.flatMap((turn): ThreadTimelineEntry[] => {
    const { id: turnId, status, startedAt = null, completedAt = null, durationMs = null, error = null } = turn;
    return [
      { type: "turnStarted", position: ++position, turnId, startedAt },
      ...turn.items.map((item): ThreadTimelineEntry => ({ type: "item", position: ++position, turnId, item })),
      ...(status === "inProgress"
        ? []
        : [{ type: "turnCompleted" as const, position: ++position, turnId, status, error, startedAt, completedAt, durationMs }]),
    ];
  });
}

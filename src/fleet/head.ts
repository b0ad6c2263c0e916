/** The facts about a thread that lists show and filter by: the `head` of its row. */
import type { StoredThread, ThreadMeta, ThreadRecord } from "../core/ports/thread-store.ts";
import { shownPreview } from "../store/index/head.ts";
import { gitFromFacts, sourceFromDisk, sourceKind, sourceToDisk } from "../store/rollout/session-meta.ts";
import { textOf, textOrNull } from "../store/rollout/shapes.ts";

export type Head = Readonly<Record<string, unknown>>;

/** Of the columns of `threads`; the engine's numbers come as text. */
export interface ThreadRow {
  readonly id: string;
  readonly archived: boolean;
  readonly created_ms: string;
  readonly updated_ms: string;
  readonly head: Head | null;
}
export const rowColumns = "t.id, t.archived, t.created_ms, t.updated_ms, t.head";

/** Undefined where the records say nothing new. `knowsMessage`: the thread's first message is known. */
export function headFrom(records: readonly ThreadRecord[], knowsMessage: boolean): Head | undefined {
  const meta = records.find((record) => record.type === "meta")?.meta;
  const first = knowsMessage ? undefined : records.find((record) => record.type === "item" && record.item.type === "userMessage");
  const preview = first?.type === "item" && first.item.type === "userMessage" ? previewOf(first.item.content) : undefined;
  if (meta === undefined && preview === undefined) return undefined;
  return {
    ...(meta === undefined ? {} : factsOf(meta)),
    ...(preview === undefined ? {} : { preview, hasUserMessage: true }),
  };
}

const previewOf = (content: readonly { readonly type: string; readonly text?: unknown }[]): string =>
  shownPreview(content.map((part) => (part.type === "text" ? textOf(part.text) : "")).join(""));

const factsOf = (meta: ThreadMeta): Head => ({
  cwd: meta.cwd,
  modelProvider: meta.modelProvider,
  sourceKind: sourceKind(meta.source),
  source: sourceToDisk(meta.source),
  originator: meta.originator,
  cliVersion: meta.cliVersion,
  forkedFromId: meta.forkedFromId ?? null,
  parentThreadId: meta.parentThreadId ?? null,
  sessionId: meta.sessionId ?? null,
  threadSource: meta.threadSource ?? null,
  historyMode: meta.historyMode ?? "legacy",
  git: meta.git ?? null,
});

/** Of a thread that another store has: the inverse of `storedThread`. */
export const headOf = (stored: StoredThread): Head => ({
  ...factsOf({
    ...stored,
    ...{ baseInstructions: undefined, git: stored.git ?? undefined, forkedFromId: stored.forkedFromId ?? undefined },
    ...{ parentThreadId: stored.parentThreadId ?? undefined, sessionId: stored.sessionId ?? undefined },
    threadSource: stored.threadSource ?? undefined,
  }),
  ...(stored.hasUserMessage ? { preview: stored.preview, hasUserMessage: true } : {}),
  ...(stored.name === null ? {} : { name: stored.name }),
});

export const pathOf = (threadId: string): string => `parley://${threadId}`;

export function storedThread({ id, archived, created_ms, updated_ms, head }: ThreadRow): StoredThread {
  const facts = head ?? {};
  return {
    id,
    path: pathOf(id),
    preview: textOf(facts["preview"]),
    name: textOrNull(facts["name"]),
    createdAtMs: Number(created_ms),
    updatedAtMs: Number(updated_ms),
    cwd: textOf(facts["cwd"]),
    cliVersion: textOf(facts["cliVersion"]),
    source: sourceFromDisk(facts["source"]),
    originator: textOf(facts["originator"]),
    modelProvider: textOf(facts["modelProvider"]),
    archived,
    forkedFromId: textOrNull(facts["forkedFromId"]),
    parentThreadId: textOrNull(facts["parentThreadId"]),
    sessionId: textOrNull(facts["sessionId"]),
    threadSource: textOrNull(facts["threadSource"]),
    historyMode: facts["historyMode"] === "paginated" ? "paginated" : "legacy",
    git: gitFromFacts(facts["git"]),
    hasUserMessage: facts["hasUserMessage"] === true,
  };
}

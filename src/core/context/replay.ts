/** Rebuilds a thread's turns and model history from its records: for reading, resuming and forking. */
import type { ThreadTokenUsage } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";
import { wholeItem } from "../../protocol/whole-item.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadSettings } from "../ports/settings.ts";
import type { ThreadMeta, ThreadRecord } from "../ports/thread-store.ts";
import { plainMessage, previewOf } from "./context.ts";
import { callOf, outputFor, outputOf } from "./history.ts";

export interface Replayed {
  readonly meta: ThreadMeta | undefined;
  readonly turns: readonly Turn[];
  /** After compactions and rollbacks. */
  readonly modelHistory: readonly ModelItem[];
  readonly settings: ThreadSettings | undefined;
  readonly usage: ThreadTokenUsage | undefined;
  /** The provider's token count of `modelHistory`, unless something was removed since. */
  readonly countedTokens: number | undefined;
  /** How often the history was replaced. */
  readonly windows: number;
  readonly preview: string;
}

type RecordOf<T extends ThreadRecord["type"]> = Extract<ThreadRecord, { type: T }>;

/** `openTurn` continues: its accepted input waits for it, and its calls for their outputs. */
export function replay(stored: readonly ThreadRecord[], openTurn?: string): Replayed {
  return replayWith(addItem, stored, openTurn);
}
/** The same for whoever shows no turns: of their items they have one message of the user, if there is one. */
export function replayForModel(stored: readonly ThreadRecord[], openTurn?: string): Replayed {
  return replayWith(addMessage, stored, openTurn);
}
function replayWith(add: AddItem, stored: readonly ThreadRecord[], openTurn: string | undefined): Replayed {
  const records = withLateInput(stored, openTurn);
  const turns = turnsFromRecords(records, add);
  return {
    meta: records.find((record) => record.type === "meta")?.meta, // a copied fork may also contain its parent's; the first one is its own
    turns,
    modelHistory: withUnknownOutcomes(historyFromRecords(records, new Set(turns.map((turn) => turn.id))), records, openTurn),
    // Searched in the stored records: input that a turn accepted may carry settings.
    settings: stored.findLast((record) => record.type === "turnContext" || record.type === "steered")?.settings,
    usage: records.findLast((record) => record.type === "tokenUsage")?.usage,
    countedTokens: countedTokens(records),
    windows: records.filter((record) => record.type === "compacted").length,
    preview: previewFromRecords(records),
  };
}

/** Only the turns, for whoever shows them. */
export const turnsFrom = (stored: readonly ThreadRecord[]): readonly Turn[] => turnsFromRecords(withLateInput(stored));

/** Input that a turn accepted but never took in comes last. */
function withLateInput(records: readonly ThreadRecord[], openTurn?: string): readonly ThreadRecord[] {
  if (!records.some((record) => record.type === "steered")) return records;
  const taken = new Set(records.flatMap((record) => (record.type === "item" ? [record.item.id] : [])));
  const ended = new Set(records.flatMap((record) => (record.type === "turnEnded" ? [record.turnId] : [])));
  const late: RecordOf<"steered">[] = [];
  const settled = (): ThreadRecord[] =>
    late.splice(0).flatMap(({ turnId, item, atMs }): ThreadRecord[] => [
      { type: "modelItem", item: plainMessage(item.content), turnId },
      { type: "item", turnId, item, startedAtMs: atMs, completedAtMs: atMs },
    ]);
  const known = records.flatMap((record): readonly ThreadRecord[] => {
    if (record.type === "turnStarted") return [...settled(), record];
    if (record.type !== "steered") return [record];
    // A turn that completed has taken in everything it was going to: a hook rejected the rest.
    if (!taken.has(record.item.id) && !ended.has(record.turnId) && record.turnId !== openTurn) late.push(record);
    return [];
  });
  return [...known, ...settled()];
}

/** A reviewer's requests did not use the thread's history. */
function countedTokens(records: readonly ThreadRecord[]): number | undefined {
  const reviews = new Set(
    records.flatMap((record) => (record.type === "item" && record.item.type === "enteredReviewMode" ? [record.turnId] : [])),
  );
  const newest = records.findLast(
    (record) =>
      (record.type === "tokenUsage" && !reviews.has(record.turnId)) || record.type === "compacted" || record.type === "rolledBack",
  );
  return newest?.type === "tokenUsage" ? newest.usage.last.totalTokens : undefined;
}

/** A turn that never ended is interrupted: its process died. A late item goes to the turn that it names. */
function turnsFromRecords(records: readonly ThreadRecord[], add: AddItem = addItem): Turn[] {
  const turns: Turn[] = [];
  const byId = new Map<string, Turn>();
  const turnOf = (id: string): Turn => {
    const known = byId.get(id);
    if (known !== undefined) return known;
    const turn = emptyTurn(id);
    byId.set(id, turn);
    turns.push(turn);
    return turn;
  };
  for (const record of records) {
    if (record.type === "turnStarted") turnOf(record.turnId).startedAt = Math.floor(record.atMs / 1000);
    else if (record.type === "item") add(turnOf(record.turnId), record);
    else if (record.type === "turnEnded") endTurn(turnOf(record.turnId), record);
    // Rolled back items stay known by id, so that a late record does not bring them back.
    else if (record.type === "rolledBack") turns.length = Math.max(0, turns.length - record.numTurns);
  }
  return turns;
}

const emptyTurn = (id: string): Turn => ({
  id,
  items: [],
  itemsView: "full",
  status: "interrupted",
  error: null,
  startedAt: null,
  completedAt: null,
  durationMs: null,
});

type AddItem = (turn: Turn, record: RecordOf<"item">) => void;

function addMessage(turn: Turn, record: RecordOf<"item">): void {
  if (record.item.type === "userMessage" && turn.items.length === 0) addItem(turn, record);
}

/** An item in progress is recorded again when it ends, which replaces its first record. Messages are not: two with one id are two messages. */
function addItem(turn: Turn, record: RecordOf<"item">): void {
  const item = wholeItem({ startedAtMs: record.startedAtMs, completedAtMs: record.completedAtMs, ...record.item });
  const at = "status" in item ? turn.items.findIndex((other) => other.id === item.id && other.type === item.type) : -1;
  if (at === -1) turn.items.push(item);
  else turn.items[at] = item;
}

function endTurn(turn: Turn, record: RecordOf<"turnEnded">): void {
  turn.status = record.status === "inProgress" ? "interrupted" : record.status;
  turn.error = record.error;
  turn.completedAt = Math.floor(record.atMs / 1000);
  turn.durationMs = record.durationMs;
}

/** A rollback undoes everything a turn did, including a compaction: only records of remaining turns, and of no turn, are replayed. */
function historyFromRecords(records: readonly ThreadRecord[], stayed: ReadonlySet<string>): ModelItem[] {
  const isGone = goneTurns(records, stayed);
  let history: ModelItem[] = [];
  for (const record of records) {
    if (record.type === "modelItem" && !isGone(record.turnId)) history.push(record.item);
    else if (record.type === "compacted" && !isGone(record.turnId)) history = [...record.replacement];
  }
  return history;
}

const notRecorded = "The result of this call was not recorded. Whether it took effect is unknown: check before doing it again.";

/** The process of a turn that never ended has died: what its last calls did is unknown, which is not the same as aborted. */
function withUnknownOutcomes(history: readonly ModelItem[], records: readonly ThreadRecord[], openTurn: string | undefined): ModelItem[] {
  const open = new Set(records.flatMap((record) => (record.type === "turnStarted" ? [record.turnId] : [])));
  for (const record of records) if (record.type === "turnEnded") open.delete(record.turnId);
  if (openTurn !== undefined) open.delete(openTurn);
  const calls = new Set<string>();
  if (open.size > 0)
    for (const record of records)
      if (record.type === "modelItem" && record.turnId !== undefined && open.has(record.turnId)) {
        const call = callOf(record.item);
        if (call !== undefined) calls.add(call);
      }
  if (calls.size === 0) return [...history];
  for (const item of history) calls.delete(outputOf(item) ?? "");
  return history.flatMap((item) => (calls.has(callOf(item) ?? "") ? [item, outputFor(item, notRecorded)] : [item]));
}

/** The history around compactions that only their provider can read, as if they had not been made. */
export function unsealedHistory(stored: readonly ThreadRecord[]): ModelItem[] {
  const records = withLateInput(stored).filter((record) => record.type !== "compacted" || !record.replacement.some(isSealedHistory));
  return historyFromRecords(records, new Set(turnsFromRecords(records).map((turn) => turn.id)));
}

export const isSealedHistory = (item: ModelItem): boolean => item.type === "compaction" || item.type === "context_compaction";

function goneTurns(records: readonly ThreadRecord[], stayed: ReadonlySet<string>): (turnId: string | undefined) => boolean {
  if (!records.some((record) => record.type === "rolledBack")) return () => false;
  const gone = new Set<string | undefined>();
  for (const record of records) if (record.type === "turnStarted" && !stayed.has(record.turnId)) gone.add(record.turnId);
  return (turnId) => gone.has(turnId);
}

function previewFromRecords(records: readonly ThreadRecord[]): string {
  for (const record of records) {
    if (record.type !== "item" || record.item.type !== "userMessage") continue;
    const preview = previewOf(record.item.content);
    if (preview !== "") return preview;
  }
  return "";
}

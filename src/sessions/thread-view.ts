/** Folds an engine's notifications into a client's view of one thread. Pure: the page, the manager and the extension use the same fold. */
import { hookNotice } from "../protocol/hook-notice.ts";
import type { ThreadItem } from "../protocol/item.ts";
import type { ServerNotification } from "../protocol/methods.ts";
import type { ThreadTokenUsage } from "../protocol/thread.ts";
import type { Turn, TurnError, TurnPlanStep } from "../protocol/turn.ts";

export interface PlanView {
  readonly explanation: string | null;
  readonly steps: readonly TurnPlanStep[];
}

export interface TurnView {
  readonly id: string;
  readonly status: Turn["status"];
  readonly items: readonly ThreadItem[];
  readonly error: TurnError | null;
  /** Seconds since 1970, as on the wire. */
  readonly startedAt: number | null;
  readonly durationMs: number | null;
  readonly plan: PlanView | null;
  /** The unified diff of everything this turn changed so far. */
  readonly diff: string | null;
  /** Why the engine is retrying, while it does. */
  readonly retrying: string | null;
}

export interface Notice {
  readonly id: string;
  readonly kind: "warning" | "info";
  readonly text: string;
}

/** What the fold needs; additional members are returned unchanged. */
export interface ThreadView {
  readonly turns: readonly TurnView[];
  readonly tokenUsage: ThreadTokenUsage | null;
  readonly notices: readonly Notice[];
}

export const emptyView: ThreadView = { turns: [], tokenUsage: null, notices: [] };

export function turnView(turn: Turn, before?: TurnView): TurnView {
  return {
    id: turn.id,
    status: turn.status,
    items: turn.items,
    error: turn.error ?? null,
    startedAt: turn.startedAt ?? before?.startedAt ?? null,
    durationMs: turn.durationMs ?? null,
    plan: before?.plan ?? null,
    diff: before?.diff ?? null,
    retrying: null,
  };
}

/** Idempotent: folding the same notification again changes nothing that matters. A notification that is not about turns or items returns the thread itself. */
export function foldNotification<T extends ThreadView>(thread: T, message: ServerNotification): T {
  switch (message.method) {
    case "turn/started":
      return foldTurn(thread, message.params.turn, false);
    case "turn/completed":
      return foldTurn(thread, message.params.turn, true);
    case "item/started":
    case "item/completed":
      return inTurn(thread, message.params.turnId, (turn) => putItem({ ...turn, retrying: null }, message.params.item));
    case "turn/plan/updated": {
      const { turnId, explanation, plan } = message.params;
      return inTurn(thread, turnId, (turn) => ({ ...turn, plan: { explanation: explanation || null, steps: plan } }));
    }
    case "turn/diff/updated":
      return inTurn(thread, message.params.turnId, (turn) => ({ ...turn, diff: message.params.diff }));
    case "thread/tokenUsage/updated":
      return { ...thread, tokenUsage: message.params.tokenUsage };
    case "error": {
      const { turnId, error, willRetry } = message.params;
      return inTurn(thread, turnId, (turn) => (willRetry ? { ...turn, retrying: error.message } : { ...turn, error }));
    }
    case "hook/completed": {
      const text = hookNotice(message.params.run);
      return text === undefined ? thread : addNotice(thread, { id: crypto.randomUUID(), kind: "warning", text });
    }
    case "warning":
    case "guardianWarning":
      return addNotice(thread, { id: crypto.randomUUID(), kind: "warning", text: message.params.message });
    default:
      return isDelta(message) ? foldDelta(thread, message) : thread;
  }
}

function foldTurn<T extends ThreadView>(thread: T, turn: Turn, ended: boolean): T {
  const at = thread.turns.findIndex((t) => t.id === turn.id);
  const before = thread.turns[at];
  // Events contain a summary of the turn at most; the folded items are complete.
  const items = before === undefined || before.items.length === 0 ? turn.items : before.items;
  const view = { ...turnView(turn, before), items };
  // The end of a turn closes everything still open in it: a command must not outlive its turn on the screen.
  const next = ended ? { ...view, items: view.items.map((item) => closeItem(item, turn.status)) } : view;
  return { ...thread, turns: before === undefined ? [...thread.turns, next] : replaceAt(thread.turns, at, next) };
}

function closeItem(item: ThreadItem, status: Turn["status"]): ThreadItem {
  if (!("status" in item) || item.status !== "inProgress") return item;
  return { ...item, status: status === "completed" ? "completed" : "failed" } as ThreadItem;
}

const deltas = [
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/commandExecution/outputDelta",
  "item/fileChange/patchUpdated",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/summaryPartAdded",
  "item/reasoning/textDelta",
] as const satisfies readonly ServerNotification["method"][];
type Delta = Extract<ServerNotification, { method: (typeof deltas)[number] }>;
const isDelta = (message: ServerNotification): message is Delta => (deltas as readonly string[]).includes(message.method);

function foldDelta<T extends ThreadView>(thread: T, delta: Delta): T {
  const { turnId, itemId } = delta.params;
  return inTurn(thread, turnId, (turn) => {
    const at = lastIndexById(turn.items, itemId);
    const item = at === -1 ? blankItem(delta.method, itemId) : turn.items[at];
    if (item === undefined) return turn;
    const next = grown(item, delta);
    return { ...turn, items: at === -1 ? [...turn.items, next] : replaceAt(turn.items, at, next) };
  });
}

function grown(item: ThreadItem, { method, params }: Delta): ThreadItem {
  switch (method) {
    case "item/agentMessage/delta":
      return item.type === "agentMessage" ? { ...item, text: item.text + params.delta } : item;
    case "item/plan/delta":
      return item.type === "plan" ? { ...item, text: item.text + params.delta } : item;
    case "item/commandExecution/outputDelta":
      return item.type === "commandExecution" ? { ...item, aggregatedOutput: tail((item.aggregatedOutput ?? "") + params.delta) } : item;
    case "item/fileChange/patchUpdated":
      return item.type === "fileChange" ? { ...item, changes: params.changes } : item;
    case "item/reasoning/summaryTextDelta":
      return item.type === "reasoning" ? { ...item, summary: growPart(item.summary, params.summaryIndex, params.delta) } : item;
    case "item/reasoning/summaryPartAdded":
      return item.type === "reasoning" ? { ...item, summary: growPart(item.summary, params.summaryIndex, "") } : item;
    case "item/reasoning/textDelta":
      return item.type === "reasoning" ? { ...item, content: growPart(item.content, params.contentIndex, params.delta) } : item;
  }
}

/** An item whose start was missed: enough of it to show the stream. */
function blankItem(method: Delta["method"], id: string): ThreadItem | undefined {
  if (method === "item/agentMessage/delta") return { type: "agentMessage", id, text: "" };
  if (method === "item/plan/delta") return { type: "plan", id, text: "" };
  if (method.startsWith("item/reasoning/")) return { type: "reasoning", id, summary: [], content: [] };
  return undefined;
}

/** No model writes as many sections; a higher index is appended to the last one. */
const maxParts = 1000;

function growPart(parts: readonly string[] | undefined, index: number, delta: string): string[] {
  const copy = [...(parts ?? [])];
  const at = index >= 0 && index < maxParts ? index : Math.max(0, copy.length - 1);
  while (copy.length <= at) copy.push("");
  copy[at] = (copy[at] ?? "") + delta;
  return copy;
}

/** Maximum length of a command's live output; the finished item contains the engine's own record. */
const liveOutputLimit = 200_000;
const tail = (output: string): string => (output.length <= liveOutputLimit ? output : `…\n${output.slice(-liveOutputLimit)}`);

function putItem(turn: TurnView, item: ThreadItem): TurnView {
  const at = lastIndexById(turn.items, item.id);
  if (at === -1) return { ...turn, items: [...turn.items, item] };
  return { ...turn, items: replaceAt(turn.items, at, keepLiveText(turn.items[at], item)) };
}

/** A repeated `item/started` has an empty text; the text streamed so far is kept. */
function keepLiveText(before: ThreadItem | undefined, next: ThreadItem): ThreadItem {
  if (before?.type === "agentMessage" && next.type === "agentMessage" && next.text === "") return { ...next, text: before.text };
  if (before?.type === "commandExecution" && next.type === "commandExecution" && (next.aggregatedOutput ?? "") === "")
    return { ...next, aggregatedOutput: before.aggregatedOutput ?? null };
  return next;
}

function inTurn<T extends ThreadView>(thread: T, turnId: string, change: (turn: TurnView) => TurnView): T {
  for (let at = thread.turns.length - 1; at >= 0; at--) {
    const turn = thread.turns[at];
    if (turn?.id !== turnId) continue;
    const next = change(turn);
    return next === turn ? thread : { ...thread, turns: replaceAt(thread.turns, at, next) };
  }
  if (turnId === "") return thread;
  const fresh = turnView({ id: turnId, items: [], status: "inProgress" });
  return { ...thread, turns: [...thread.turns, change(fresh)] };
}

export function addNotice<T extends ThreadView>(thread: T, notice: Notice): T {
  return thread.notices.some((n) => n.text === notice.text) ? thread : { ...thread, notices: [...thread.notices, notice].slice(-5) };
}

/** Items that change are nearly always the last ones, so the search starts at the end. */
function lastIndexById(items: readonly ThreadItem[], id: string): number {
  for (let at = items.length - 1; at >= 0; at--) if (items[at]?.id === id) return at;
  return -1;
}

function replaceAt<T>(list: readonly T[], at: number, value: T): readonly T[] {
  const copy = list.slice();
  copy[at] = value;
  return copy;
}

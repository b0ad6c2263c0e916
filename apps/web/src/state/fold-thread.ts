/** Folds the engine's notifications into one thread's turns and items. Pure, and folding the same event again changes nothing that matters. */
import type { Turn } from "../../../../src/protocol/turn.ts";
import type { ItemOf, Notice, ThreadItem, ThreadView, TurnView } from "./model.ts";

/** Notifications arrive from our own server, which checks them against the protocol's tables; a field that is missing anyway reads as undefined. */
type Params = Readonly<Record<string, unknown>>;

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

export function foldNotification(thread: ThreadView, method: string, params: Params): ThreadView {
  switch (method) {
    case "turn/started":
    case "turn/completed":
      return foldTurn(thread, params["turn"] as Turn, method === "turn/completed");
    case "item/started":
    case "item/completed":
      return inTurn(thread, params, (turn) => putItem({ ...turn, retrying: null }, params["item"] as ThreadItem));
    case "turn/plan/updated":
      return inTurn(thread, params, (turn) => ({
        ...turn,
        plan: { explanation: text(params["explanation"]) || null, steps: params["plan"] as NonNullable<TurnView["plan"]>["steps"] },
      }));
    case "turn/diff/updated":
      return inTurn(thread, params, (turn) => ({ ...turn, diff: text(params["diff"]) }));
    case "thread/tokenUsage/updated":
      return { ...thread, tokenUsage: params["tokenUsage"] as ThreadView["tokenUsage"] };
    case "error":
      return foldError(thread, params);
    case "warning":
      return addNotice(thread, { id: crypto.randomUUID(), kind: "warning", text: text(params["message"]) });
    default:
      return method.startsWith("item/") ? foldDelta(thread, method, params) : thread;
  }
}

function foldTurn(thread: ThreadView, turn: Turn, ended: boolean): ThreadView {
  const at = thread.turns.findIndex((t) => t.id === turn.id);
  const before = thread.turns[at];
  // Events carry a summary of the turn at most; what was folded item by item is the whole of it.
  const items = before === undefined || before.items.length === 0 ? turn.items : before.items;
  const view = { ...turnView(turn, before), items };
  // The end of a turn closes whatever was still open in it: a command cannot outlive its turn on the screen.
  const next = ended ? { ...view, items: view.items.map((item) => closeItem(item, turn.status)) } : view;
  return { ...thread, turns: before === undefined ? [...thread.turns, next] : replaceAt(thread.turns, at, next) };
}

function closeItem(item: ThreadItem, status: Turn["status"]): ThreadItem {
  if (!("status" in item) || item.status !== "inProgress") return item;
  return { ...item, status: status === "completed" ? "completed" : "failed" } as ThreadItem;
}

function foldError(thread: ThreadView, params: Params): ThreadView {
  const error = params["error"] as TurnView["error"];
  if (error === null || error === undefined) return thread;
  return inTurn(thread, params, (turn) => (params["willRetry"] === true ? { ...turn, retrying: error.message } : { ...turn, error }));
}

function foldDelta(thread: ThreadView, method: string, params: Params): ThreadView {
  const grow = deltas[method];
  if (grow === undefined) return thread;
  const itemId = text(params["itemId"]);
  return inTurn(thread, params, (turn) => {
    const at = lastIndexById(turn.items, itemId);
    const item = at === -1 ? blankItem(method, itemId) : turn.items[at];
    if (item === undefined) return turn;
    const next = grow(item, params);
    return { ...turn, items: at === -1 ? [...turn.items, next] : replaceAt(turn.items, at, next) };
  });
}

type Grow = (item: ThreadItem, params: Params) => ThreadItem;
const deltas: Readonly<Record<string, Grow>> = {
  "item/agentMessage/delta": (item, p) => (item.type === "agentMessage" ? { ...item, text: item.text + text(p["delta"]) } : item),
  "item/plan/delta": (item, p) => (item.type === "plan" ? { ...item, text: item.text + text(p["delta"]) } : item),
  "item/commandExecution/outputDelta": (item, p) =>
    item.type === "commandExecution" ? { ...item, aggregatedOutput: tail((item.aggregatedOutput ?? "") + text(p["delta"])) } : item,
  "item/fileChange/patchUpdated": (item, p) =>
    item.type === "fileChange" ? { ...item, changes: p["changes"] as ItemOf<"fileChange">["changes"] } : item,
  "item/reasoning/summaryTextDelta": (item, p) =>
    item.type === "reasoning" ? { ...item, summary: growPart(item.summary, p["summaryIndex"], p["delta"]) } : item,
  "item/reasoning/summaryPartAdded": (item, p) =>
    item.type === "reasoning" ? { ...item, summary: growPart(item.summary, p["summaryIndex"], "") } : item,
  "item/reasoning/textDelta": (item, p) =>
    item.type === "reasoning" ? { ...item, content: growPart(item.content, p["contentIndex"], p["delta"]) } : item,
};

/** An item whose start was missed: enough of it to show what streams in. */
function blankItem(method: string, id: string): ThreadItem | undefined {
  if (method === "item/agentMessage/delta") return { type: "agentMessage", id, text: "" };
  if (method === "item/plan/delta") return { type: "plan", id, text: "" };
  if (method.startsWith("item/reasoning/")) return { type: "reasoning", id, summary: [], content: [] };
  return undefined;
}

function growPart(parts: readonly string[] | undefined, index: unknown, delta: unknown): string[] {
  const copy = [...(parts ?? [])];
  const at = typeof index === "number" && index >= 0 && index < 10_000 ? index : Math.max(0, copy.length - 1);
  while (copy.length <= at) copy.push("");
  copy[at] = (copy[at] ?? "") + text(delta);
  return copy;
}

/** What a screen keeps of a command's live output; the finished item brings the engine's own record. */
const liveOutputLimit = 200_000;
const tail = (output: string): string => (output.length <= liveOutputLimit ? output : `…\n${output.slice(-liveOutputLimit)}`);

function putItem(turn: TurnView, item: ThreadItem): TurnView {
  const at = lastIndexById(turn.items, item.id);
  if (at === -1) return { ...turn, items: [...turn.items, item] };
  return { ...turn, items: replaceAt(turn.items, at, keepLiveText(turn.items[at], item)) };
}

/** A repeated `item/started` brings an empty text; what has streamed in already stays. */
function keepLiveText(before: ThreadItem | undefined, next: ThreadItem): ThreadItem {
  if (before?.type === "agentMessage" && next.type === "agentMessage" && next.text === "") return { ...next, text: before.text };
  if (before?.type === "commandExecution" && next.type === "commandExecution" && (next.aggregatedOutput ?? "") === "")
    return { ...next, aggregatedOutput: before.aggregatedOutput ?? null };
  return next;
}

function inTurn(thread: ThreadView, params: Params, change: (turn: TurnView) => TurnView): ThreadView {
  const turnId = text(params["turnId"]);
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

function addNotice(thread: ThreadView, notice: Notice): ThreadView {
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

const text = (value: unknown): string => (typeof value === "string" ? value : "");

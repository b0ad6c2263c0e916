/**
 * What becomes of a turn whose process died while a question was open: decided from the thread's own records and the log of questions. A
 * question is put again only for a call that the thread file holds as the model's; what had begun is never begun again. Pure.
 */
import type { ThreadItem } from "../../protocol/item.ts";
import { callIdOf, outputFor, outputOf, userMessage } from "../context/history.ts";
import { replay } from "../context/replay.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { AskingTurnEntry, CallEntry, OpenQuestions } from "../ports/open-questions.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import type { TurnInput } from "./steering.ts";
import { closed } from "./turn-items.ts";

/** A turn that continues in this process. */
export interface RevivedTurn {
  readonly turnId: string;
  readonly startedAtMs: number;
  /** What it was bound to, where it was logged. */
  readonly entry: AskingTurnEntry | undefined;
  /** The log, without what is settled; undefined where no question is left. */
  readonly questions: OpenQuestions | undefined;
  /** The model's calls to carry out, in its order. */
  readonly calls: readonly ModelItem[];
  readonly done: readonly ThreadItem[];
  readonly open: readonly ThreadItem[];
  /** Input that the turn had accepted and not taken in. */
  readonly steered: readonly TurnInput[];
}

export interface OpenTurn {
  /** Outputs of calls that are not carried out, and the turn's end if it does not continue. */
  readonly settled: readonly ThreadRecord[];
  /** Items of actions whose outcome is unknown. */
  readonly lost: readonly ThreadItem[];
  readonly revived: RevivedTurn | undefined;
}

const unknownOutcome =
  "The server ended while this call was being carried out. Whether and how far it took effect is unknown: check before doing it again.";
const notCarriedOut = "The server ended before this call was carried out. It was not done; call it again if it is still needed.";

/** For the model, where a turn goes on although what it was doing was lost. */
export const lostNote =
  "<worker_lost>\nThe machine that ran this turn was lost, and another one goes on with it. Of calls that had begun the outcome is unknown: check the current state before you build on it. Agents that you had started were stopped.\n</worker_lost>";
/** A turn that is lost again and again may itself be the cause. */
const mostLosses = 3;

/** Whether the turn goes on after a loss, where that is wanted. */
function mayGoOn(records: readonly ThreadRecord[], turnId: string): boolean {
  const note = JSON.stringify(userMessage(lostNote));
  const isNote = (record: ThreadRecord): boolean =>
    record.type === "modelItem" && record.turnId === turnId && JSON.stringify(record.item) === note;
  return records.filter(isNote).length < mostLosses;
}
const noteOf = (turnId: string): ThreadRecord => ({ type: "modelItem", turnId, item: userMessage(lostNote) });

export interface Opening {
  readonly nowMs: number;
  /** The model is told of the loss and goes on, instead of the turn being ended. */
  readonly continues: boolean;
}

/** Undefined when the log is not about the thread's last turn, or that turn has ended. */
export function findOpenTurn(
  records: readonly ThreadRecord[],
  questions: OpenQuestions,
  { nowMs, continues }: Opening,
): OpenTurn | undefined {
  const { turnId } = questions.turn;
  const past = replay(records, turnId);
  const turn = past.turns.at(-1);
  const start = records.findLast((record) => record.type === "turnStarted");
  if (turn?.id !== turnId || start?.turnId !== turnId) return undefined;
  if (records.some((record) => record.type === "turnEnded" && record.turnId === turnId)) return undefined;

  const calls = openCalls(records, past.modelHistory, turnId);
  const states = statesOf(questions);
  const isAgain = (call: ModelItem): boolean => ["asked", "waiting"].includes(states.get(callIdOf(call) ?? "")?.kind ?? "");
  const goesOn = calls.some((call) => states.get(callIdOf(call) ?? "")?.kind === "asked");
  const again = goesOn ? calls.filter(isAgain) : [];
  const dropped = calls.filter((call) => !again.includes(call));
  const settled: ThreadRecord[] = [];
  const lost: ThreadItem[] = [];
  for (const call of dropped) {
    const state = states.get(callIdOf(call) ?? "");
    settled.push({ type: "modelItem", turnId, item: outputFor(call, state?.kind === "begun" ? unknownOutcome : notCarriedOut) });
    if (state?.item === undefined || turn.items.some((item) => item.id === state.item?.id)) continue;
    const item = closed(state.item, unknownOutcome);
    if (state.kind === "begun") lost.push(item);
    settled.push({ type: "item", turnId, item, startedAtMs: nowMs, completedAtMs: nowMs });
  }
  if (!goesOn) {
    if (!continues || !mayGoOn(records, turnId))
      return { settled: [...settled, endOf(turnId, nowMs, start.atMs)], lost, revived: undefined };
    settled.push(noteOf(turnId));
  }
  const ids = new Set(again.map(callIdOf));
  const kept = questions.calls.filter((entry) => ids.has(entry.callId) && entry.type !== "entered");
  const waiting = questions.turn.waiting.filter((id) => ids.has(id));
  const revived: RevivedTurn = {
    turnId,
    startedAtMs: start.atMs,
    entry: questions.turn,
    questions: goesOn ? { turn: { ...questions.turn, waiting }, calls: distinct(kept) } : undefined,
    calls: again,
    done: [...turn.items, ...settled.flatMap((record) => (record.type === "item" ? [record.item] : []))],
    open: again.flatMap((call) => states.get(callIdOf(call) ?? "")?.item ?? []),
    steered: steeredInto(records, turnId),
  };
  return { settled, lost, revived };
}

/** Ends the last turn, if it has no end, or goes on with it: its worker died, and what it was doing may have taken effect. */
export function findLostTurn(records: readonly ThreadRecord[], { nowMs, continues }: Opening): Omit<OpenTurn, "lost"> {
  const start = records.findLast((record) => record.type === "turnStarted");
  if (start === undefined) return { settled: [], revived: undefined };
  const { turnId, atMs } = start;
  if (records.some((record) => record.type === "turnEnded" && record.turnId === turnId)) return { settled: [], revived: undefined };
  const past = replay(records, turnId);
  const calls = openCalls(records, past.modelHistory, turnId);
  const outputs = calls.map((call): ThreadRecord => ({ type: "modelItem", turnId, item: outputFor(call, unknownOutcome) }));
  if (!continues || !mayGoOn(records, turnId)) return { settled: [...outputs, endOf(turnId, nowMs, atMs)], revived: undefined };
  const done = past.turns.find(({ id }) => id === turnId)?.items ?? [];
  const revived = { turnId, startedAtMs: atMs, entry: undefined, questions: undefined, calls: [], done, open: [] };
  return { settled: [...outputs, noteOf(turnId)], revived: { ...revived, steered: steeredInto(records, turnId) } };
}

/** The turn's calls without an output that are still in the model's history, in its order. */
function openCalls(records: readonly ThreadRecord[], history: readonly ModelItem[], turnId: string): ModelItem[] {
  const own = new Set<unknown>();
  const answered = new Set<unknown>();
  for (const record of records) {
    if (record.type !== "modelItem") continue;
    if (record.turnId === turnId) own.add(callIdOf(record.item));
    answered.add(outputOf(record.item));
  }
  return history.filter((item) => {
    const id = callIdOf(item);
    return id !== undefined && own.has(id) && !answered.has(id);
  });
}

interface CallState {
  /** "begun" also stands for a call that may have begun. */
  readonly kind: "waiting" | "begun" | "asked";
  readonly item?: ThreadItem | undefined;
}

function statesOf({ turn, calls }: OpenQuestions): ReadonlyMap<string, CallState> {
  const states = new Map<string, CallState>(turn.waiting.map((callId) => [callId, { kind: "waiting" }]));
  const begun = new Set(calls.flatMap((entry) => (entry.type === "begun" ? [entry.callId] : [])));
  for (const entry of calls) {
    const item = ("item" in entry ? entry.item : undefined) ?? states.get(entry.callId)?.item;
    const isOpen = !begun.has(entry.callId) && entry.type !== "entered";
    states.set(entry.callId, { kind: isOpen ? "asked" : "begun", item });
  }
  return states;
}

/** A question that was put several times needs one entry. */
const distinct = (entries: readonly CallEntry[]): CallEntry[] => [
  ...new Map(entries.map((entry) => [`${entry.type} ${entry.callId} ${"digest" in entry ? entry.digest : ""}`, entry])).values(),
];

function steeredInto(records: readonly ThreadRecord[], turnId: string): TurnInput[] {
  const taken = new Set(records.flatMap((record) => (record.type === "item" ? [record.item.id] : [])));
  return records.flatMap((record): TurnInput[] => {
    if (record.type !== "steered" || record.turnId !== turnId || taken.has(record.item.id)) return [];
    const { id, content, clientId } = record.item;
    return [{ content, itemId: id, clientId: clientId ?? undefined }];
  });
}

const endOf = (turnId: string, atMs: number, startedAtMs: number): ThreadRecord => ({
  ...{ type: "turnEnded", turnId, status: "interrupted", error: null, lastAgentMessage: null, atMs },
  durationMs: Math.max(0, atMs - startedAtMs),
});

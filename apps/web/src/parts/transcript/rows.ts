/** Splits turns into the rows of the virtual list: an article per turn, several for a very long one, with runs of small steps grouped. */
import type { Decision, ThreadItem, TurnView } from "../../state/model.ts";

export type Step =
  | { readonly kind: "item"; readonly item: ThreadItem }
  | { readonly kind: "group"; readonly id: string; readonly items: readonly ThreadItem[] };

export interface Segment {
  readonly key: string;
  readonly turn: TurnView;
  /** Number of the turn in the transcript, from 1; counts from the oldest turn that is loaded. */
  readonly number: number;
  readonly part: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly steps: readonly Step[];
}

/** More steps than this in one article would make it too tall to be measured cheaply. */
const segmentSize = 40;
/** A finished turn collapses runs of at least this many small steps into one line. */
const groupFrom = 4;

const cache = new WeakMap<TurnView, readonly Segment[]>();

/** Segments of one turn; the same turn object always returns the same segments, so unchanged turns are not rendered again. */
export function segmentsOf(turn: TurnView, number: number): readonly Segment[] {
  const known = cache.get(turn);
  if (known !== undefined && known[0]?.number === number) return known;
  const steps = stepsOf(turn);
  const segments: Segment[] = [];
  for (let at = 0; at === 0 || at < steps.length; at += segmentSize) {
    const part = segments.length;
    segments.push({
      key: `${turn.id}:${part}`,
      turn,
      number,
      part,
      isFirst: at === 0,
      isLast: at + segmentSize >= steps.length,
      steps: steps.slice(at, at + segmentSize),
    });
  }
  cache.set(turn, segments);
  return segments;
}

/**
 * Where each decision of a turn is shown: with the step it is about, else after the last step that had started when it was made, else at the
 * end. A part of a long turn shows those of its own steps.
 */
export function placeDecisions(segment: Segment, decisions: readonly Decision[]): ReadonlyMap<number | "end", readonly Decision[]> {
  const itemsOf = (step: Step): readonly ThreadItem[] => (step.kind === "item" ? [step.item] : step.items);
  const inTurn = new Set(segment.turn.items.map((item) => item.id));
  const placeOf = (decision: Decision): number | "end" | undefined => {
    const own = segment.steps.findIndex((step) => itemsOf(step).some((item) => item.id === decision.itemId));
    if (own !== -1) return own;
    if (decision.itemId !== null && inTurn.has(decision.itemId)) return undefined;
    const madeAt = Date.parse(decision.at);
    const later = segment.steps.findIndex((step) => (itemsOf(step)[0]?.startedAtMs ?? 0) > madeAt);
    return later > 0 ? later - 1 : "end";
  };
  const places = new Map<number | "end", Decision[]>();
  for (const decision of decisions) {
    const place = placeOf(decision);
    if (place !== undefined) places.set(place, [...(places.get(place) ?? []), decision]);
  }
  return places;
}

export function stepsOf(turn: TurnView): readonly Step[] {
  const live = turn.status === "inProgress";
  const steps: Step[] = [];
  let run: ThreadItem[] = [];
  const flush = (): void => {
    if (run.length >= groupFrom) steps.push({ kind: "group", id: `group:${run[0]?.id}`, items: run });
    else for (const item of run) steps.push({ kind: "item", item });
    run = [];
  };
  for (const item of turn.items) {
    if (isSmall(item) && !live) {
      run.push(item);
      // A group is limited to a size that expands quickly.
      if (run.length >= 200) flush();
      continue;
    }
    flush();
    steps.push({ kind: "item", item });
  }
  flush();
  return steps;
}

/** Intermediate steps: they are collapsed when the turn is over. Failures stay visible. */
function isSmall(item: ThreadItem): boolean {
  switch (item.type) {
    case "commandExecution":
    case "fileChange":
    case "mcpToolCall":
    case "dynamicToolCall":
      return item.status === "completed";
    case "reasoning":
    case "webSearch":
    case "imageView":
    case "sleep":
    case "subAgentActivity":
      return true;
    default:
      return false;
  }
}

/** "Ran 3 commands, edited 2 files": what a group of steps did. */
export function summarize(items: readonly ThreadItem[]): string {
  const count = (type: ThreadItem["type"]): number => items.filter((i) => i.type === type).length;
  const reads = items.filter((i) => i.type === "commandExecution" && isLooking(i)).length;
  const runs = count("commandExecution") - reads;
  const files = new Set(items.flatMap((i) => (i.type === "fileChange" ? i.changes.map((c) => c.path) : []))).size;
  const tools = count("mcpToolCall") + count("dynamicToolCall");
  const parts = [
    plural(runs, "ran", "command"),
    reads > 0 ? `looked at ${reads} ${reads === 1 ? "place" : "places"}` : "",
    plural(files, "edited", "file"),
    plural(tools, "called", "tool"),
    plural(count("webSearch"), "searched the web", "time"),
  ].filter((p) => p !== "");
  if (parts.length === 0) return count("reasoning") > 0 ? "Thought it over" : `${items.length} steps`;
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const plural = (n: number, verb: string, noun: string): string => (n === 0 ? "" : `${verb} ${n} ${noun}${n === 1 ? "" : "s"}`);

/** Whether a command only read, listed or searched. */
export const isLooking = (item: Extract<ThreadItem, { type: "commandExecution" }>): boolean =>
  item.commandActions.length > 0 && item.commandActions.every((a) => a.type !== "unknown");

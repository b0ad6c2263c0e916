/** What is happening right now: the end of the streaming message, running commands with the end of their output, the plan. */

import { cleanOutput, expandTabs } from "../../lib/terminal-text.ts";
import type { ThreadGoal } from "../../protocol/thread-goal.ts";
import type { Conversation, LiveItem } from "../state/conversation.ts";
import { openText } from "../state/stream.ts";
import { highlight } from "../text/code.ts";
import { markdownLines } from "../text/markdown.ts";
import { type Line, muted, prefixed, span, truncate, wrap } from "../text/spans.ts";
import { changesLines } from "./changes.ts";
import { bullet, duration, lookLines, type Place, pieceLines, planLines } from "./entries.ts";
import { goalLine } from "./goal-line.ts";

export interface LivePlace extends Place {
  readonly nowMs: number;
  /** Lines of output below a running command. */
  readonly tailLines: number;
  /** Items that still wait for approval. */
  readonly hidden: ReadonlySet<string>;
}

/** One block per item, oldest first, separated by blank lines unless it continues what is printed above. */
export function liveLines(state: Conversation, place: LivePlace): Line[] {
  const live = state.live.filter(({ id }) => !place.hidden.has(id));
  const looking = [...state.looked, ...live.flatMap((item) => (item.kind === "command" ? (item.looks ?? []) : []))];
  const lines: Line[] = [];
  if (looking.length > 0) {
    const isOver = !live.some((item) => item.kind === "command" && item.looks !== undefined);
    const head: Line = [...bullet("accent", place.theme), span(isOver ? "Explored" : "Exploring", { bold: true })];
    lines.push([], head, ...lookLines(looking, place.width, place.theme).slice(-6));
  }
  for (const item of live) {
    const drawn = itemLines(item, place);
    const isJoined = item.kind === "message" && item.stream.within !== undefined;
    if (drawn.length > 0) lines.push(...(isJoined ? [] : [[]]), ...drawn);
  }
  return lines;
}

function itemLines(item: LiveItem, place: LivePlace): Line[] {
  switch (item.kind) {
    case "message":
      return messageLines(item, place);
    case "command":
      return item.looks === undefined ? commandLines(item, place) : [];
    case "changes":
      return item.changes.length === 0 ? [] : changesLines(item.changes, { ...place, limit: place.tailLines * 2, result: "pending" });
    case "tool":
      return toolLines(item, place);
    case "planText":
      return prefixed(markdownLines(item.text, place.width - 2), [span("│ ", { color: "accent" })], [span("│ ", { color: "accent" })]);
    case "reasoning":
      return [];
  }
}

function messageLines(item: Extract<LiveItem, { kind: "message" }>, { width, theme }: LivePlace): Line[] {
  const text = openText(item.stream);
  if (text.trim() === "") return [];
  const lines = pieceLines({ kind: "markdown", text, joined: false }, width - 2);
  if (theme.spoken) return lines;
  return prefixed(lines, item.stream.begun ? [span("  ")] : [span(`${theme.marks.bullet} `)], [span("  ")]);
}

function commandLines(item: Extract<LiveItem, { kind: "command" }>, place: LivePlace): Line[] {
  const { width, theme, nowMs } = place;
  const ran = nowMs - item.startedAtMs;
  const time = theme.spoken || ran < 1000 ? [] : [muted(`  ${duration(ran)}`)];
  const [first = "", ...more] = item.command.split("\n");
  const head: Line = [
    ...bullet("accent", theme),
    span(item.isOwn ? "You run " : "Running ", { bold: true }),
    ...highlight(expandTabs(first), "bash"),
    ...(more.length > 0 ? [muted(" …")] : []),
    ...time,
  ];
  return [truncate(head, width), ...tailLines(item.tail, item.lineCount, place)];
}

function tailLines(tail: string, lineCount: number, { width, theme, tailLines: limit }: LivePlace): Line[] {
  const lines = tail.replace(/\n$/, "").split("\n");
  if (tail.trim() === "" || limit <= 0 || theme.spoken) return [];
  const shown = lines.slice(-limit);
  const hidden = Math.max(0, lineCount + (tail.endsWith("\n") ? 0 : 1) - shown.length);
  const cut = shown.map((text) => truncate([muted(expandTabs(cleanOutput(text), 8))], width - 4));
  const more: Line[] = hidden === 0 ? [] : [[muted(`… ${hidden.toLocaleString("en")} lines above`)]];
  return prefixed([...more, ...cut], [muted(`  ${theme.marks.corner} `)], [span("    ")]);
}

function toolLines(item: Extract<LiveItem, { kind: "tool" }>, { width, theme }: LivePlace): Line[] {
  const head: Line = [...bullet("accent", theme), span(item.title, { bold: true }), muted(item.detail === "" ? "" : ` ${item.detail}`)];
  const progress = item.progress === "" ? [] : [truncate([muted(`  ${theme.marks.corner} ${item.progress}`)], width)];
  return [truncate(head, width), ...progress];
}

/** The plan while the turn runs; a long one shows the part around the current step. */
export function livePlan(state: Conversation, place: Place, limit: number): Line[] {
  if (state.plan === undefined || limit < 2) return [];
  const lines = planLines(state.plan, place);
  if (lines.length <= limit) return lines;
  const { steps } = state.plan;
  const at = Math.max(
    0,
    steps.findIndex(({ status }) => status === "inProgress"),
  );
  const room = Math.max(1, limit - 2);
  const from = Math.max(0, Math.min(at - 1, steps.length - room));
  const some = planLines({ ...state.plan, steps: steps.slice(from, from + room) }, place).slice(0, limit - 1);
  return [...some, [muted(`    ${steps.length} steps, ${steps.filter(({ status }) => status === "completed").length} done`)]];
}

/** What the thread works towards, what runs in the background, and waiting messages: on their way to the turn, or queued until it ends. */
export function waitingLines(state: Conversation, { queued, goal, background }: Waiting, { width, theme }: Place): Line[] {
  const one = (label: string, text: string): Line =>
    truncate([muted(`  ${label} `), ...(wrap([span(text.replace(/\s+/g, " "))], 1000)[0] ?? [])], width);
  return [
    ...state.sent.map(({ text, isSteer }) => one(isSteer ? `${theme.marks.arrow} steering:` : `${theme.marks.arrow} sending:`, text)),
    ...queued.map((text) => one(`${theme.marks.down} queued:`, text)),
    ...backgroundLines(state, background, one),
    ...(goal === undefined ? [] : [one(`${theme.marks.dot} goal:`, goalLine(goal))]),
  ];
}
/** Between turns only: while one runs, its commands are shown with their output. */
function backgroundLines({ turn }: Conversation, background: readonly string[], one: (label: string, text: string) => Line): Line[] {
  const [first] = background;
  if (turn !== undefined || first === undefined) return [];
  return [
    background.length === 1
      ? one("in the background (/ps):", first)
      : one(`${background.length} in the background (/ps):`, background.join(", ")),
  ];
}

interface Waiting {
  readonly queued: readonly string[];
  readonly background: readonly string[];
  readonly goal: ThreadGoal | undefined;
}

/** Items in progress: started, growing, finished. */

import { clean, cleanLine } from "../../lib/terminal-text.ts";
import type { ThreadItem } from "../../protocol/item.ts";
import type { Turn } from "../../protocol/turn.ts";
import { scriptOf } from "../../shell/shown-script.ts";
import { type Conversation, emit, type LiveItem, liveOf, withLive, withoutLive } from "./conversation.ts";
import { type Entry, noOutput, note } from "./entry.ts";
import { argumentsText, entriesOf, foldOutput, looksOf } from "./item-entries.ts";
import { append, emptyStream, openText, settle } from "./stream.ts";

/** How much of a running command's output is kept. */
const keptOutput = 16 * 1024;

export function startItem(state: Conversation, item: ThreadItem, atMs: number): Conversation {
  const live = repeatsReview(state, item) ? undefined : liveFrom(item, atMs);
  const working = isWork(item) && state.turn !== undefined ? { ...state, turn: { ...state.turn, hasWorked: true } } : state;
  return live === undefined ? working : withLive({ ...working, retrying: undefined }, live);
}

const repeatsReview = ({ reviewed }: Conversation, item: ThreadItem): boolean =>
  item.type === "agentMessage" && reviewed !== undefined && item.text === reviewed;

const isWork = (item: ThreadItem): boolean => !["userMessage", "agentMessage", "reasoning", "plan"].includes(item.type);

function liveFrom(item: ThreadItem, atMs: number): LiveItem | undefined {
  switch (item.type) {
    case "agentMessage":
      return { kind: "message", id: item.id, stream: append(emptyStream, item.text) };
    case "reasoning":
      return { kind: "reasoning", id: item.id, text: (item.summary ?? []).join("\n\n") };
    case "plan":
      return { kind: "planText", id: item.id, text: item.text };
    case "commandExecution":
      return {
        kind: "command",
        id: item.id,
        command: clean(scriptOf(item.command).script),
        looks: looksOf(item.commandActions ?? []),
        startedAtMs: item.startedAtMs ?? atMs,
        tail: item.aggregatedOutput ?? "",
        lineCount: countLines(item.aggregatedOutput ?? ""),
        isOwn: item.source === "userShell",
      };
    case "fileChange":
      return { kind: "changes", id: item.id, changes: item.changes };
    case "userMessage":
    case "hookPrompt":
    case "contextCompaction":
    case "enteredReviewMode":
    case "exitedReviewMode":
      return undefined;
    default:
      return toolFrom(item);
  }
}

function toolFrom(item: ThreadItem): LiveItem | undefined {
  const made = (title: string, detail: string): LiveItem => ({ kind: "tool", id: item.id, title, detail, progress: "" });
  switch (item.type) {
    case "mcpToolCall":
      return made(`Calling ${cleanLine(item.server)}.${cleanLine(item.tool)}`, argumentsText(item.arguments));
    case "dynamicToolCall":
      return made(`Calling ${cleanLine(item.tool)}`, argumentsText(item.arguments));
    case "webSearch":
      return made("Searching the web", cleanLine(item.query));
    case "imageView":
      return made("Looking at", cleanLine(item.path));
    case "imageGeneration":
      return made("Making an image", cleanLine(item.revisedPrompt ?? ""));
    case "collabAgentToolCall":
      return made(item.tool === "wait" ? "Waiting for sub-agents" : "Working with sub-agents", cleanLine(item.prompt ?? ""));
    case "sleep":
      return made("Waiting", `${Math.round(item.durationMs / 1000)} s`);
    default:
      return undefined;
  }
}

const countLines = (text: string): number => text.split("\n").length - 1;

export function addOutput(state: Conversation, id: string, delta: string): Conversation {
  const item = liveOf(state, id);
  if (item?.kind !== "command") return state;
  const tail = (item.tail + delta).slice(-keptOutput);
  return withLive(state, { ...item, tail, lineCount: item.lineCount + countLines(delta) });
}

export function addText(state: Conversation, id: string, delta: string): Conversation {
  if (state.brokenOff.includes(id)) return state;
  const item = liveOf(state, id) ?? { kind: "message", id, stream: emptyStream };
  return item.kind === "message"
    ? withLive({ ...state, retrying: undefined, thought: undefined }, { ...item, stream: append(item.stream, delta) })
    : state;
}

export function addPlanText(state: Conversation, id: string, delta: string): Conversation {
  const item = liveOf(state, id) ?? { kind: "planText", id, text: "" };
  return item.kind === "planText" ? withLive(state, { ...item, text: item.text + delta }) : state;
}

/** A summary's sections start with their title in bold: the status line shows it. */
export function addThought(state: Conversation, id: string, delta: string): Conversation {
  const item = liveOf(state, id) ?? { kind: "reasoning", id, text: "" };
  if (item.kind !== "reasoning") return state;
  const text = item.text + delta;
  const title = [...text.matchAll(/\*\*([^*\n]+)\*\*/g)].at(-1)?.[1];
  return withLive({ ...state, thought: title === undefined ? state.thought : cleanLine(title) }, { ...item, text });
}

export function addProgress(state: Conversation, id: string, message: string): Conversation {
  const item = liveOf(state, id);
  return item?.kind === "tool" ? withLive(state, { ...item, progress: cleanLine(message) }) : state;
}

/** The item in its final form. The streamed part of a message is printed already. */
export function finishItem(state: Conversation, item: ThreadItem): Conversation {
  if (state.brokenOff.includes(item.id)) return state;
  const live = liveOf(state, item.id);
  const rest = withoutLive(isWork(item) ? { ...state, thought: undefined } : state, item.id);
  if (repeatsReview(state, item)) return { ...rest, reviewed: undefined };
  if (item.type === "exitedReviewMode") return { ...emit(rest, entriesOf(item)), reviewed: item.review };
  if (item.type === "agentMessage" && live?.kind === "message" && live.stream.begun) return finishMessage(rest, live, item.text);
  if (item.type === "userMessage")
    return emit({ ...rest, sent: rest.sent.filter(({ clientId }) => clientId !== item.clientId) }, entriesOf(item));
  if (item.type === "commandExecution" && item.status === "completed" && item.source !== "userShell") {
    const looks = looksOf(item.commandActions ?? []);
    if (looks !== undefined) return { ...rest, looked: [...rest.looked, ...looks] };
  }
  if (item.type !== "commandExecution") return emit(rest, entriesOf(item));
  const output = item.aggregatedOutput || (live?.kind === "command" ? live.tail : "");
  const entries = entriesOf({ ...item, aggregatedOutput: output });
  return emit(rest, wasStopped(state, item) ? entries.map(asInterrupted) : entries);
}

/** A command that the person stopped with its turn has not failed, whatever its exit code. */
const wasStopped = ({ turn }: Conversation, { status, exitCode }: Extract<ThreadItem, { type: "commandExecution" }>): boolean =>
  turn?.isInterrupting === true && status === "failed" && (exitCode ?? 128) >= 128;
const asInterrupted = (entry: Entry): Entry => (entry.kind === "command" ? { ...entry, result: "interrupted" } : entry);

/** Deltas may have been missed; then the final text has more than was received. */
function finishMessage(state: Conversation, live: Extract<LiveItem, { kind: "message" }>, text: string): Conversation {
  const missed = text.slice(live.stream.received);
  const { pieces } = settle(append(live.stream, missed), true);
  return emit(
    state,
    pieces.map((piece): Entry => ({ kind: "agent", piece, isFirst: false })),
  );
}

/** Moves the final part of streaming messages to the outbox. Called before each frame, not for each delta. */
export function settleMessages(state: Conversation): Conversation {
  return state.live.reduce((before, item) => {
    if (item.kind !== "message") return before;
    const { pieces, stream } = settle(item.stream, false);
    if (pieces.length === 0) return before;
    const entries = pieces.map((piece, i): Entry => ({ kind: "agent", piece, isFirst: !item.stream.begun && i === 0 }));
    return emit(withLive(before, { ...item, stream }), entries);
  }, state);
}

/** The model's stream broke in the middle of messages, which are asked for again: what was shown of them stays, marked as such. */
export function breakOff(state: Conversation): Conversation {
  const messages = state.live.filter((item) => item.kind === "message");
  const shown = messages.filter(({ stream }) => stream.begun || openText(stream).trim() !== "");
  const mark = shown.length === 0 ? [] : [note("warning", "The answer broke off here; it is asked for again")];
  return {
    ...emit(state, [...messages.flatMap(abandoned), ...mark]),
    live: state.live.filter((item) => item.kind !== "message"),
    brokenOff: [...state.brokenOff, ...messages.map(({ id }) => id)],
  };
}

/** What a turn left behind: when it ended early, unfinished items; when it ended by itself, commands that keep running. */
export function abandonLive(state: Conversation, status: Turn["status"]): Conversation {
  const entries = state.live.flatMap(abandoned).map((entry) => (status === "completed" ? asRunning(entry) : entry));
  return { ...emit(state, entries), live: [] };
}

const asRunning = (entry: Entry): Entry => (entry.kind === "command" ? { ...entry, result: "running" } : entry);

function abandoned(item: LiveItem): Entry[] {
  switch (item.kind) {
    case "message": {
      if (openText(item.stream).trim() === "") return [];
      const { pieces } = settle(item.stream, true);
      return pieces.map((piece, i): Entry => ({ kind: "agent", piece, isFirst: !item.stream.begun && i === 0 }));
    }
    case "command":
      return [
        {
          kind: "command",
          command: item.command,
          result: "interrupted",
          exitCode: undefined,
          durationMs: undefined,
          output: foldOutput(item.tail, item.isOwn),
          isOwn: item.isOwn,
        },
      ];
    case "changes":
      return item.changes.length === 0 ? [] : [{ kind: "changes", changes: item.changes, result: "interrupted" }];
    case "tool":
      return [{ kind: "tool", title: item.title, detail: item.detail, result: "interrupted", output: noOutput }];
    case "planText":
      return item.text.trim() === "" ? [] : [note("info", clean(item.text))];
    default:
      return [];
  }
}

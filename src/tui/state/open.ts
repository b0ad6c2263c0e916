/** A started, resumed or forked thread as a conversation: settings, the end of its history, what is still running. */

import { clean, cleanLine } from "../../lib/terminal-text.ts";
import type { ThreadForkResponse, ThreadResumeResponse, ThreadStartResponse } from "../../protocol/thread.ts";
import type { Turn } from "../../protocol/turn.ts";
import { type Conversation, emit, emptyConversation, type Settings, warningsIn } from "./conversation.ts";
import { type Entry, note } from "./entry.ts";
import { entriesOf, looksOf, withoutRepeats } from "./item-entries.ts";
import { startItem } from "./live.ts";

export type Opened = ThreadStartResponse | ThreadResumeResponse | ThreadForkResponse;

/** Of a long history only the end is printed; the pager shows it all. */
const printedTurns = 20;

export function openConversation(opened: Opened, welcome: Entry | undefined, nowMs: number): Conversation {
  const { thread } = opened;
  const base: Conversation = {
    ...emptyConversation,
    threadId: thread.id,
    name: thread.name ? cleanLine(thread.name) : undefined,
    settings: openedSettings(opened),
  };
  const turns = thread.turns ?? [];
  const skipped = turns.length - printedTurns;
  const before: Entry[] = [
    ...(welcome === undefined ? [] : [welcome]),
    ...(skipped > 0 ? [note("info", `${skipped} earlier turns are not shown; ctrl+t shows all`)] : []),
  ];
  return turns.slice(-printedTurns).reduce((state, turn) => addTurn(state, turn, nowMs), emit(base, before));
}

/** What was announced while it was opened belongs to it: settings without effect, files that cannot be read. */
export function openedAfter(before: Conversation, next: Conversation): Conversation {
  const warnings = before.threadId === undefined ? before.warnings : warningsIn(before.outbox);
  return {
    ...next,
    warnings: [...warnings, ...next.warnings],
    outbox: [...before.outbox, ...next.outbox],
    starting: before.starting,
  };
}

function openedSettings(opened: Opened): Settings {
  return {
    cwd: opened.cwd,
    model: cleanLine(opened.model),
    provider: cleanLine(opened.modelProvider),
    effort: opened.reasoningEffort ?? undefined,
    approvalPolicy: opened.approvalPolicy,
    sandbox: opened.sandbox,
    mode: ("collaborationMode" in opened ? opened.collaborationMode?.mode : undefined) ?? "default",
  };
}

/** A turn that still runs continues to be drawn. */
function addTurn(state: Conversation, turn: Turn, nowMs: number): Conversation {
  const isRunning = turn.status === "inProgress";
  const startedAtMs = turn.startedAt ? turn.startedAt * 1000 : nowMs;
  let next: Conversation = isRunning ? { ...state, turn: { id: turn.id, startedAtMs, isInterrupting: false, hasWorked: true } } : state;
  for (const item of withoutRepeats(turn.items)) {
    if (isRunning && !item.completedAtMs && item.type !== "userMessage") {
      next = startItem(next, item, nowMs);
      continue;
    }
    const looks = item.type === "commandExecution" && item.status === "completed" ? looksOf(item.commandActions ?? []) : undefined;
    next = looks === undefined ? emit(next, entriesOf(item)) : { ...next, looked: [...next.looked, ...looks] };
  }
  return emit(next, endingOf(turn));
}

/** How a turn ended, if that is not self-evident. */
export function endingOf({ status, error }: Turn): Entry[] {
  if (status === "failed" && error) return [note("error", clean(error.message))];
  return status === "interrupted" ? [note("warning", "Interrupted")] : [];
}

/** What a thread did while disconnected: the turns after the last one that was seen to its end. */
export function reopenConversation(state: Conversation, opened: Opened, nowMs: number): Conversation {
  const running = state.turn?.id;
  const turns = opened.thread.turns ?? [];
  const from = running === undefined ? turns.length : turns.findIndex(({ id }) => id === running);
  const missed = from < 0 ? [] : turns.slice(from);
  const base: Conversation = { ...state, settings: openedSettings(opened), turn: undefined, live: [], sent: [], plan: undefined };
  return missed.reduce((next, turn) => addTurn(next, turn, nowMs), base);
}

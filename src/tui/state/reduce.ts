/** The effect of each notification of the server on the conversation. Pure: the same events always give the same state. */

import { clean, cleanLine } from "../../lib/terminal-text.ts";
import type { ParamsOf } from "../../protocol/define.ts";
import { hookNotice } from "../../protocol/hook-notice.ts";
import type { ServerNotifications } from "../../protocol/methods.ts";
import type { ThreadSettings } from "../../protocol/thread-settings.ts";
import type { Turn } from "../../protocol/turn.ts";
import { type Conversation, emit, liveOf, lookedEntries, type Settings, withLive } from "./conversation.ts";
import { type Entry, note } from "./entry.ts";
import { abandonLive, addOutput, addPlanText, addProgress, addText, addThought, breakOff, finishItem, startItem } from "./live.ts";

export type Received = { [M in keyof ServerNotifications]: { readonly method: M; readonly params: ParamsOf<ServerNotifications[M]> } }[
  | "turn/started"
  | "turn/completed"
  | "turn/plan/updated"
  | "item/started"
  | "item/completed"
  | "item/agentMessage/delta"
  | "item/plan/delta"
  | "item/commandExecution/outputDelta"
  | "item/fileChange/patchUpdated"
  | "item/mcpToolCall/progress"
  | "item/reasoning/summaryTextDelta"
  | "item/reasoning/summaryPartAdded"
  | "thread/name/updated"
  | "thread/tokenUsage/updated"
  | "thread/settings/updated"
  | "thread/closed"
  | "thread/deleted"
  | "mcpServer/startupStatus/updated"
  | "model/rerouted"
  | "hook/completed"
  | "error"
  | "warning"
  | "guardianWarning"
  | "configWarning"
  | "deprecationNotice"];

/** The notifications that are shown; the client subscribes to these. */
export const foldedMethods = [
  "turn/started",
  "turn/completed",
  "turn/plan/updated",
  "item/started",
  "item/completed",
  "item/agentMessage/delta",
  "item/plan/delta",
  "item/commandExecution/outputDelta",
  "item/fileChange/patchUpdated",
  "item/mcpToolCall/progress",
  "item/reasoning/summaryTextDelta",
  "item/reasoning/summaryPartAdded",
  "thread/name/updated",
  "thread/tokenUsage/updated",
  "thread/settings/updated",
  "thread/closed",
  "thread/deleted",
  "mcpServer/startupStatus/updated",
  "model/rerouted",
  "hook/completed",
  "error",
  "warning",
  "guardianWarning",
  "configWarning",
  "deprecationNotice",
] as const satisfies readonly Received["method"][];

export function reduce(state: Conversation, received: Received, nowMs: number): Conversation {
  if (isElsewhere(state, received.params)) return state;
  switch (received.method) {
    case "turn/started":
      return startTurn(state, received.params.turn, nowMs);
    case "turn/completed":
      return endTurn(state, received.params.turn, nowMs);
    case "turn/plan/updated":
      return setPlan(state, received.params);
    case "item/started":
      return startItem(state, received.params.item, nowMs);
    case "item/completed":
      return finishItem(state, received.params.item);
    case "thread/name/updated":
      return { ...state, name: received.params.threadName ? cleanLine(received.params.threadName) : undefined };
    case "thread/tokenUsage/updated":
      return { ...state, usage: received.params.tokenUsage };
    case "thread/settings/updated":
      return { ...state, settings: settingsFrom(received.params.threadSettings) };
    default:
      return reduceDelta(state, received);
  }
}

function reduceDelta(state: Conversation, received: Received): Conversation {
  switch (received.method) {
    case "item/agentMessage/delta":
      return addText(state, received.params.itemId, received.params.delta);
    case "item/plan/delta":
      return addPlanText(state, received.params.itemId, received.params.delta);
    case "item/commandExecution/outputDelta":
      return addOutput(state, received.params.itemId, received.params.delta);
    case "item/mcpToolCall/progress":
      return addProgress(state, received.params.itemId, received.params.message);
    case "item/reasoning/summaryTextDelta":
      return addThought(state, received.params.itemId, received.params.delta);
    case "item/reasoning/summaryPartAdded":
      return received.params.summaryIndex === 0 ? state : addThought(state, received.params.itemId, "\n\n");
    case "item/fileChange/patchUpdated": {
      const item = liveOf(state, received.params.itemId);
      return item === undefined || item.kind === "changes"
        ? withLive(state, { kind: "changes", id: received.params.itemId, changes: received.params.changes })
        : state;
    }
    default:
      return reduceNotice(state, received);
  }
}

function reduceNotice(state: Conversation, received: Received): Conversation {
  switch (received.method) {
    case "error":
      return received.params.willRetry ? { ...breakOff(state), retrying: cleanLine(received.params.error.message) } : state;
    case "warning":
    case "guardianWarning":
      return emit(state, [note("warning", clean(received.params.message))]);
    case "configWarning": {
      const { summary, details, path } = received.params;
      return emit(state, [note("warning", clean(summary), details ? clean(details) : path ? clean(path) : undefined)]);
    }
    case "deprecationNotice":
      return emit(state, [
        note("warning", clean(received.params.summary), received.params.details ? clean(received.params.details) : undefined),
      ]);
    case "hook/completed": {
      const text = hookNotice(received.params.run);
      return text === undefined ? state : emit(state, [note("warning", clean(text))]);
    }
    case "model/rerouted":
      return emit(state, [
        note("warning", `${cleanLine(received.params.toModel)} answers instead of ${cleanLine(received.params.fromModel)}`),
      ]);
    case "thread/deleted":
      return emit(state, [note("warning", "This session was deleted by another client")]);
    case "thread/closed":
      return emit(state, [note("info", "The server has put this session to sleep; the next message wakes it")]);
    case "mcpServer/startupStatus/updated":
      return startupStatus(state, received.params);
    default:
      return state;
  }
}

/** Notifications of sub-agents and other threads arrive too; only the shown thread's own count. */
function isElsewhere(state: Conversation, params: Received["params"]): boolean {
  return "threadId" in params && typeof params.threadId === "string" && params.threadId !== state.threadId;
}

function startTurn(state: Conversation, turn: Turn, nowMs: number): Conversation {
  const running = { id: turn.id, startedAtMs: nowMs, isInterrupting: false, hasWorked: false };
  return {
    ...state,
    turn: state.turn?.id === turn.id ? state.turn : running,
    plan: undefined,
    thought: undefined,
    retrying: undefined,
    brokenOff: [],
  };
}

/** A completed plan is printed; until then it is shown above the composer. */
function setPlan(state: Conversation, { plan, explanation }: ParamsOf<ServerNotifications["turn/plan/updated"]>): Conversation {
  const steps = plan.map(({ step, status }) => ({ step: cleanLine(step), status }));
  const next = { steps, explanation: cleanLine(explanation ?? "") };
  const isDone = steps.length > 0 && steps.every(({ status }) => status === "completed");
  return isDone ? { ...emit(state, [{ kind: "plan", ...next }]), plan: undefined } : { ...state, plan: next };
}

function endTurn(state: Conversation, turn: Turn, nowMs: number): Conversation {
  const left = abandonLive(state, turn.status);
  const durationMs = turn.durationMs ?? (state.turn === undefined ? 0 : nowMs - state.turn.startedAtMs);
  const plan: Entry[] = left.plan === undefined ? [] : [{ kind: "plan", ...left.plan }];
  const ended = emit(left, [...plan, ...unread(left), ...ending(turn, durationMs, state.turn?.hasWorked ?? false)]);
  return {
    ...ended,
    outbox: [...ended.outbox, ...lookedEntries(ended)],
    looked: [],
    turn: undefined,
    plan: undefined,
    thought: undefined,
    retrying: undefined,
    sent: ended.sent.filter((message) => !message.isSteer),
  };
}

/** Messages to a turn that ended before reading them: the thread keeps them, and the agent reads them with the next message. */
const unread = ({ sent }: Conversation): Entry[] =>
  sent.flatMap(({ isSteer, text }): Entry[] => (isSteer ? [{ kind: "user", text, attachments: [] }] : []));

/** A turn this long ends with a line that says how long it took. */
const longTurnMs = 20_000;

function ending(turn: Turn, durationMs: number, hasWorked: boolean): Entry[] {
  if (turn.status === "failed")
    return [
      note(
        "error",
        clean(turn.error?.message ?? "the turn failed"),
        turn.error?.additionalDetails ? clean(turn.error.additionalDetails) : undefined,
      ),
    ];
  if (turn.status === "interrupted") return [note("warning", "Interrupted. Say what to do differently.")];
  return hasWorked && durationMs >= longTurnMs ? [{ kind: "turnEnd", durationMs }] : [];
}

function startupStatus(state: Conversation, params: ParamsOf<ServerNotifications["mcpServer/startupStatus/updated"]>): Conversation {
  const name = cleanLine(params.name);
  const others = state.starting.filter((known) => known !== name);
  if (params.status === "starting") return { ...state, starting: [...others, name] };
  const rest = { ...state, starting: others };
  if (params.status !== "failed") return rest;
  return emit(rest, [note("warning", `MCP server ${name} could not be started`, params.error ? clean(params.error) : undefined)]);
}

export function settingsFrom(settings: ThreadSettings): Settings {
  return {
    cwd: settings.cwd,
    model: cleanLine(settings.model),
    provider: cleanLine(settings.modelProvider),
    effort: settings.effort ?? undefined,
    approvalPolicy: settings.approvalPolicy,
    sandbox: settings.sandboxPolicy,
    mode: settings.collaborationMode.mode,
  };
}

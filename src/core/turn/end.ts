/** How a turn ends: its outcome, and the user's notification program. */

import { errorStack } from "../../lib/error-text.ts";
import type { Turn, TurnError } from "../../protocol/turn.ts";
import { wholeItem } from "../../protocol/whole-item.ts";
import { previewOf } from "../context/context.ts";
import { AuditUnwritten } from "../ports/audit.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { TurnOutcome } from "./turn.ts";

/** The outcome of a turn's work. A bug fails the turn, and its stack is logged; an abort is not an error. */
export async function outcomeOf(turn: LiveTurn, work: () => Promise<TurnOutcome>): Promise<TurnOutcome> {
  try {
    return await work();
  } catch (error) {
    if (turn.signal.aborted) return { status: "interrupted" };
    if (error instanceof AuditUnwritten)
      return { status: "failed", error: { message: error.message, codexErrorInfo: "other", additionalDetails: null } };
    turn.thread.ports.log.error("turn failed", { turn: turn.id, error: errorStack(error) });
    return {
      status: "failed",
      error: { message: "internal error; see the server's log", codexErrorInfo: "other", additionalDetails: null },
    };
  }
}

/** Before anything is announced that follows the model's last answer. What was not stored was not announced either; the turn ends without it. */
export const answerTold = (turn: LiveTurn): Promise<void> =>
  turn.told().catch((error: unknown) => turn.thread.ports.log.error("an answer was not stored", { turn: turn.id, error: String(error) }));

/** Leaves a turn to the next server: what it runs ends, and nothing is recorded. */
export async function leaveTurn(turn: LiveTurn): Promise<void> {
  await turn.thread.terminals.killAll();
  await turn.commands.end(() => false);
  await turn.outcomes.written();
  await turn.edits.snapshot.settle();
}

/** The turn as its end is announced: with the model's last message. */
export function completedTurn(turn: LiveTurn, status: TurnOutcome["status"], error: TurnError | null): Turn {
  const last = turn.items.all.findLast((item) => item.type === "agentMessage");
  const summary: Pick<Turn, "items" | "itemsView"> =
    last === undefined ? { items: [], itemsView: "notLoaded" } : { items: [wholeItem(last)], itemsView: "summary" };
  return { ...turn.toWire(status, "empty", error), ...summary };
}

/** Runs the user's `notify` program, but not for turns that were interrupted. */
export function notifyOfEnd(turn: LiveTurn, error: TurnError | null): void {
  const { id: threadId, config, settings, ports, clients } = turn.thread;
  const at = { threadId, turnId: turn.id, cwd: settings.cwd };
  const inputMessages = turn.items.all.flatMap((item) => (item.type === "userMessage" ? [previewOf(item.content)] : []));
  if (error !== null) ports.notifier.notify(config, { type: "turn-failed", ...at, message: error.message });
  else if (turn.outcome === "completed")
    ports.notifier.notify(config, {
      type: "agent-turn-complete",
      ...at,
      client: clients.name,
      inputMessages,
      lastAssistantMessage: turn.lastAgentMessage,
    });
}

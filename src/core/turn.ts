/** The agent loop: ask the model, do what it asks for, repeat until it asks for nothing and has no more to say. */
import type { TurnError } from "../protocol/turn.ts";
import { callTools } from "./call-tool.ts";
import { compact, isNearLimit } from "./compact.ts";
import { takeInput } from "./context.ts";
import type { LiveTurn } from "./live-turn.ts";
import { sample } from "./sample.ts";

export type TurnOutcome = { readonly status: "completed" | "interrupted" } | { readonly status: "failed"; readonly error: TurnError };

export async function runTurn(turn: LiveTurn): Promise<TurnOutcome> {
  turn.announceStored();
  if (turn.ownInput.length === 0 && !turn.hasSteering()) return { status: "completed" }; // an empty input is a turn without a model call
  await turn.thread.ports.catalog.prepare(turn.thread.settings.model, turn.thread.provider(), turn.signal);
  while (true) {
    if (isNearLimit(turn)) {
      const compacted = await compact(turn);
      if (compacted.failed !== undefined) return { status: "failed", error: compacted.failed };
    }
    turn.signal.throwIfAborted();
    await takeInput(turn); // what was typed while we worked
    const reply = await sample(turn);
    turn.ownInput = [];
    if (reply.failed !== undefined) return { status: "failed", error: reply.failed };
    if (reply.calls.length === 0 && reply.goesOn !== true && !turn.hasSteering()) return { status: "completed" };
    await callTools(reply.calls, turn);
  }
}

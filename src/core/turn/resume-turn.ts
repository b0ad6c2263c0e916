/** Continues a turn whose process died while a question was open: its calls first, which ask again, then the usual loop. */
import { offeredCall } from "../model/find-tool.ts";
import { threadRun } from "../model/run.ts";
import { availableTools } from "../model/sample.ts";
import { callTools } from "./call-tool.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { RevivedTurn } from "./open-turn.ts";
import { type TurnOutcome, work } from "./turn.ts";

export async function resumeTurn(turn: LiveTurn, { calls }: RevivedTurn): Promise<TurnOutcome> {
  const run = threadRun(turn);
  const ready = await availableTools(run);
  if ("failed" in ready) return { status: "failed", error: ready.failed };
  const error = (await callTools(run, { calls: calls.map((call) => offeredCall(call, ready.tools)) })) ?? (await work(run));
  return error === undefined ? { status: "completed" } : { status: "failed", error };
}

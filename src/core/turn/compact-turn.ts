/** `thread/compact/start`: a turn that only compacts the thread's history. */
import { compact } from "../compaction/compact.ts";
import { threadRun } from "../model/run.ts";
import { openTurn } from "./input.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { TurnOutcome } from "./turn.ts";

export async function compactTurn(turn: LiveTurn): Promise<TurnOutcome> {
  await openTurn(turn);
  const failed = await compact(threadRun(turn), []);
  return failed === undefined ? { status: "completed" } : { status: "failed", error: failed };
}

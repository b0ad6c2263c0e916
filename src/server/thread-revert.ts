/** Removes turns from a thread's history; files stay as they are (that is `turn/revert`). */
import { replayForModel } from "../core/context/replay.ts";
import type { LiveThread } from "../core/thread/thread.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { App } from "./app.ts";

export async function rollBack(thread: LiveThread, numTurns: number, app: App): Promise<void> {
  thread.refuseReadOnly();
  await thread.readyToWrite();
  if (thread.turn !== undefined) throw invalidRequest("cannot roll back while a turn is running");
  await thread.record([{ type: "rolledBack", numTurns }]);
  const past = replayForModel(await app.threads.recordsOf(thread));
  thread.history.replace(past.modelHistory);
  thread.seenContext.forget();
}

export async function revertTo(thread: LiveThread, beforeTurnId: string, app: App): Promise<void> {
  const turns = await app.threads.turnsOf(thread);
  const at = turns.findIndex((turn) => turn.id === beforeTurnId);
  if (at === -1) throw invalidRequest(`turn not found: ${beforeTurnId}`);
  await thread.makeRoom();
  await rollBack(thread, turns.length - at, app);
}

/** The agent loop: ask the model, do what it asks for, repeat until it asks for nothing and has no more to say. */
import { grouped } from "../../lib/grouped.ts";
import type { TurnError } from "../../protocol/turn.ts";
import { isNearLimit, makeRoom, recover } from "../compaction/make-room.ts";
import { beforeInput, beforeStop, inputWaits, sessionStarts } from "../hooks/moments.ts";
import { type Run, threadRun } from "../model/run.ts";
import { sample } from "../model/sample.ts";
import { isSealed, unsealHistory } from "../model/unseal-history.ts";
import { callTools } from "./call-tool.ts";
import { takeInput } from "./input.ts";
import type { LiveTurn } from "./live-turn.ts";
import { askOrStop } from "./loop-guard.ts";

export type TurnOutcome = { readonly status: "completed" | "interrupted" } | { readonly status: "failed"; readonly error: TurnError };

export async function runTurn(turn: LiveTurn): Promise<TurnOutcome> {
  turn.items.announceStored();
  if (isEmpty(turn) && !turn.asksWithoutInput) return { status: "completed" };
  if (!isEmpty(turn) && inputWaits(turn.thread) && !(await admitted(turn))) return { status: "completed" };
  turn.edits.snapshot.begin();
  const error = await work(threadRun(turn));
  return error === undefined ? { status: "completed" } : { status: "failed", error };
}

const isEmpty = (turn: LiveTurn): boolean => turn.ownInput.length === 0 && turn.steering.count === 0;

/** Whether hooks accept the input that begins the turn, if it waits for them. */
async function admitted(turn: LiveTurn): Promise<boolean> {
  if (await sessionStarts(turn)) return false;
  if (turn.ownInput.length > 0) return true;
  turn.ownInput = await takeInput(turn);
  return turn.ownInput.length > 0;
}

/** Works until the model has nothing more to do. Returns why it failed. */
export async function work(run: Run<LiveTurn>): Promise<TurnError | undefined> {
  const { turn } = run;
  const prepared = turn.thread.ports.catalog.prepare(run.settings.model, turn.thread.provider(run.settings), turn.signal);
  if (prepared !== undefined) await prepared;
  warnOfGuess(run);
  while (true) {
    if (isSealed(run)) await unsealHistory(run); // the model may have changed
    const loop = turn.guard.findLoop();
    const stopped = loop === undefined ? undefined : await askOrStop(turn, loop);
    const full = stopped === undefined && isNearLimit(run) ? await makeRoom(run, "request") : stopped;
    if (full !== undefined) return full;
    turn.signal.throwIfAborted();
    if (turn.steering.count > 0) turn.guard.noteWords();
    if (turn.thread.hooks.areDue && run.isThreads && (await beforeInput(turn))) return undefined;
    if (turn.steering.isWaiting) await takeInput(turn); // input that arrived meanwhile
    const reply = await sample(run);
    if (reply.failed !== undefined) {
      const failed = reply.overflow === undefined ? reply.failed : await recover(run, reply.overflow, reply.failed);
      if (failed !== undefined) return failed;
      continue;
    }
    turn.ownInput = [];
    if (reply.calls.length === 0) {
      if (turn.steering.hasNews || reply.isEmpty === true) await turn.told();
      if (reply.goesOn === true || turn.steering.hasNews) continue;
      if (reply.isEmpty === true) turn.notify("warning", { threadId: turn.thread.id, message: emptyAnswer });
      if (run.isThreads && turn.kind === "regular" && (await beforeStop(turn))) continue;
      return undefined;
    }
    const failed = (isNearLimit(run) ? await makeRoom(run, "calls") : undefined) ?? (await callTools(run, reply));
    if (failed !== undefined) return failed;
  }
}

const emptyAnswer = "The model gave an empty answer. Say something to go on, or choose another model.";

/** A guessed window would compact a history too early or too late. */
function warnOfGuess({ turn, settings }: Run): void {
  const { thread } = turn;
  const { ports, config } = thread;
  const model = ports.catalog.find(settings.model, thread.provider(settings));
  if (model.known || config.contextWindow !== undefined || !thread.seenContext.isNewGuess(model.id)) return;
  const window = grouped(model.contextWindow);
  const message = `Model metadata for \`${model.id}\` not found: a window of ${window} tokens is assumed. If you know better, set model_context_window, or context_window in [parley.models."${model.id}"].`;
  turn.notify("warning", { threadId: thread.id, message });
}

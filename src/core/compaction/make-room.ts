/** Keeps a run's requests within the model's window: clears or compacts old items before it is full, and recovers from an overflow. */
import { grouped } from "../../lib/grouped.ts";
import type { TurnError } from "../../protocol/turn.ts";
import { isContext } from "../context/context.ts";
import { estimateTokens } from "../context/tokens.ts";
import type { ModelFailure, ModelItem } from "../ports/model-client.ts";
import { clearOldResults } from "./clear-results.ts";
import { compact } from "./compact.ts";
import type { CompactingRun } from "./compacting-run.ts";
import { isRefused, leaveOutOldest } from "./leave-out-oldest.ts";

/** Compact at this share of the window when the config sets no limit. */
const compactShare = 0.9;
/** A request estimated to take more than this would probably be refused. */
const fullShare = 0.98;
/** After a compaction, the next one waits until at least this share of the limit is new: otherwise it would free nothing. */
const progressShare = 0.1;
/** With less history than this, a compaction gains nothing. */
const reclaimableShare = 0.2;

/** Whether space must be freed: check before each request, and after an answer before its calls run. */
export function isNearLimit(run: CompactingRun): boolean {
  return run.history.tokens() >= limitOf(run) && run.history.items.some(isModels);
}

function limitOf({ turn, settings }: CompactingRun): number {
  const window = turn.thread.contextWindow(settings);
  return Math.min(turn.thread.config.autoCompactTokenLimit ?? Math.floor(window * compactShare), window);
}

/** Returns why the turn must end, if it must. */
export async function makeRoom(run: CompactingRun, before: "request" | "calls"): Promise<TurnError | undefined> {
  const { turn, history } = run;
  const { guard, thread } = turn;
  const limit = limitOf(run);
  const tokens = history.tokens();
  const isFull = tokens >= thread.contextWindow(run.settings) * fullShare;
  // Outputs that the model has not seen are sent first, while there is room for them.
  const hasUnseen = before === "request" && turn.ownInput.length === 0 && history.sinceRequest().length > 0;
  if (hasUnseen && !isFull) return undefined;
  if (await clearOldResults(run, limit)) return undefined;
  if (guard.compactedTo !== undefined && tokens - guard.compactedTo < limit * progressShare) return undefined;
  if (guard.cannotCompact && !isFull) return undefined;
  const failed = await compact(run, unseenBy(run));
  if (failed === undefined) return undefined;
  if (isFull) return isRefused(failed) && (await leaveOutOldest(run, limit, failed)) ? undefined : failed;
  guard.cannotCompact = true;
  turn.notify("warning", {
    threadId: thread.id,
    message: `The history could not be compacted; the turn continues with it as it is. ${failed.message}`,
  });
  return undefined;
}

/** Once a turn: the window is now known more exactly, and the history is made to fit. Returns why the turn must end, if it must. */
export async function recover(run: CompactingRun, overflow: ModelFailure, failed: TurnError): Promise<TurnError | undefined> {
  const { turn, history } = run;
  const { guard, thread } = turn;
  if (guard.hasRecovered) return failed;
  guard.hasRecovered = true;
  thread.learnWindow(run.settings, windowIn(overflow) ?? history.tokens());
  const past = history.items.filter((item) => !turn.ownInput.includes(item) && !isContext(item));
  const pastTokens = past.reduce((sum, item) => sum + estimateTokens(item), 0);
  // The excess is new, or part of every request: summarizing the past would not help.
  if (pastTokens < thread.contextWindow(run.settings) * reclaimableShare) return withReason(run, overflow, failed);
  const refused = await compact(run, unseenBy(run));
  if (refused === undefined) return undefined;
  return isRefused(refused) && (await leaveOutOldest(run, limitOf(run), refused)) ? undefined : refused;
}

/** The fixed part of every request may alone be too long for a small window: no message from the person would fit. */
function withReason({ turn, settings, history }: CompactingRun, overflow: ModelFailure, failed: TurnError): TurnError {
  const window = windowIn(overflow) ?? turn.thread.contextWindow(settings);
  if (history.fixedTokens < window * fullShare) return failed;
  const why = `The window of ${settings.model} has ${grouped(window)} tokens, and instructions and tools alone take about ${grouped(history.fixedTokens)}. Choose a model with a larger window, or start its server with one.`;
  return { ...failed, message: `${why} ${failed.message}` };
}

/** The person's messages before the first answer; afterwards the last answer and its results. */
const unseenBy = ({ turn, history }: CompactingRun): readonly ModelItem[] =>
  turn.ownInput.length > 0 ? turn.ownInput : history.sinceRequest();

/** A summary covers what the model said and did; without either there is nothing to summarize, and the retry would never end. */
function isModels(item: ModelItem): boolean {
  if (item.type === "message") return item.role === "assistant";
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** Providers state their limit next to the length of the refused request. */
function windowIn({ message, details }: ModelFailure): number | undefined {
  const text = `${message} ${details ?? ""}`.replace(/(\d)[,_](?=\d{3})/g, "$1");
  const found =
    /maximum context length (?:is|of) (\d{4,})/i.exec(text) ??
    /(?:context (?:size|window|length)(?: of)?(?: only)?|n_ctx)\W{0,20}(\d{4,})/i.exec(text) ??
    /> (\d{4,}) maximum/i.exec(text) ??
    /maximum (?:number of tokens allowed|prompt length)\D{0,20}(\d{4,})/i.exec(text);
  return found === null ? undefined : Number(found[1]);
}

/** Clears old tool results from a history that is filling up: cheaper than a compaction, and no part of the conversation is lost. */

import { estimateTokens } from "../context/tokens.ts";
import { type Run, recordHistory } from "../model/run.ts";
import type { ModelItem } from "../ports/model-client.ts";

/** The newest results stay: this many, up to this share of the limit. */
const keptResults = 3;
const keptShare = 0.3;
/** Every change invalidates the provider's cache of the history, so freeing less than this is not worth it. */
const worthwhileShare = 0.25;
/** A shorter result is hardly longer than the note that would replace it. */
const shortTokens = 100;

/** Whether anything was cleared. Cleared results stay cleared: the start of the history changes only at these moments. */
export async function clearOldResults(run: Run, limit: number): Promise<boolean> {
  const { turn, history } = run;
  if (!turn.thread.config.clearOldResults) return false;
  const old = oldResults(history.items, limit * keptShare);
  const freed = [...old].reduce((sum, item) => sum + estimateTokens(item) - shortTokens, 0);
  if (freed < limit * worthwhileShare) return false;
  history.revise((item) => (old.has(item) ? cleared(item) : item));
  await recordHistory(run, "");
  turn.thread.ports.log.info("old tool results were cleared", { thread: turn.thread.id, results: old.size, tokens: Math.round(freed) });
  return true;
}

type Output = Extract<ModelItem, { type: "function_call_output" | "custom_tool_call_output" }>;
const isOutput = (item: ModelItem): item is Output => item.type === "function_call_output" || item.type === "custom_tool_call_output";

function oldResults(items: readonly ModelItem[], keptTokens: number): ReadonlySet<ModelItem> {
  const old = new Set<ModelItem>();
  let kept = 0;
  let left = keptTokens;
  for (const item of items.toReversed()) {
    if (!isOutput(item)) continue;
    const tokens = estimateTokens(item);
    left -= tokens;
    if (kept++ >= keptResults && left < 0 && tokens > 2 * shortTokens) old.add(item);
  }
  return old;
}

function cleared(item: ModelItem): ModelItem {
  if (!isOutput(item)) return item;
  const text = typeof item.output === "string" ? item.output : item.output.map((part) => ("text" in part ? part.text : "")).join("\n");
  const file = /(?:all of it|its beginning) is in (\S+?)…/.exec(text)?.[1];
  const where = file === undefined ? "call the tool again if you need it" : `all of it is in ${file}`;
  return { ...item, output: `[This old result was cleared to save room; ${where}.]` };
}

/** The last resort for a full history that cannot be compacted: drops its oldest part so that the thread stays usable. */
import type { TurnError } from "../../protocol/turn.ts";
import { isContext } from "../context/context.ts";
import { userMessage } from "../context/history.ts";
import { estimateTokens } from "../context/tokens.ts";
import { recordHistory } from "../model/run.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { CompactingRun } from "./compacting-run.ts";

/** The share of the limit that the rest may take. */
const keptShare = 0.5;
const note =
  "[The oldest part of this conversation was left out here, because it was too long and could not be summarized. Check the files where you need to know what was done.]";

/** Whether the provider or model refused the compaction itself. A problem that waiting or paying may solve is no reason to drop history. */
export const isRefused = ({ codexErrorInfo }: TurnError): boolean =>
  codexErrorInfo === "badRequest" || codexErrorInfo === "contextWindowExceeded" || codexErrorInfo === "other";

/** Whether anything was dropped. Nothing is lost on disk: the thread's turns still show all of it. */
export async function leaveOutOldest(run: CompactingRun, limit: number, why: TurnError): Promise<boolean> {
  const { turn, history } = run;
  const kept = newest(history.items, limit * keptShare);
  const isShorter = kept.length < history.items.filter((item) => !isContext(item)).length;
  if (!isShorter) return false;
  const context = await run.context();
  const unanswered = history.sinceRequest();
  history.replace([...context, userMessage(note), ...kept]);
  const from = history.items.findIndex((item) => item === unanswered[0]);
  if (from !== -1) history.answered(from);
  turn.guard.compactedTo = history.tokens();
  await recordHistory(run, "");
  turn.notify("warning", {
    threadId: turn.thread.id,
    message: `The history is full and could not be compacted, so the model no longer sees its oldest part. ${why.message}`,
  });
  return true;
}

/** From the newest back, as many as fit; calls and their outputs together. */
function newest(items: readonly ModelItem[], maxTokens: number): readonly ModelItem[] {
  const messages = items.filter((item) => !isContext(item));
  let left = maxTokens;
  let from = messages.length;
  while (from > 0 && left - estimateTokens(messages[from - 1]) >= 0) left -= estimateTokens(messages[--from]);
  // At least the newest message stays: without it there is nothing to answer.
  const start = Math.min(from, messages.length - 1);
  return withoutStrayOutputs(messages.slice(start));
}

/** Outputs without their calls would be refused. */
export function withoutStrayOutputs(items: readonly ModelItem[]): readonly ModelItem[] {
  const called = new Set(
    items.flatMap((item) => (item.type === "function_call" || item.type === "custom_tool_call" ? [item.call_id] : [])),
  );
  return items.filter(
    (item) => !(item.type === "function_call_output" || item.type === "custom_tool_call_output") || called.has(item.call_id ?? ""),
  );
}

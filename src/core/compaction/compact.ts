/** Replaces a history that has grown too long with a summary that the model writes, or with the provider's own compaction. */
import type { TurnError } from "../../protocol/turn.ts";
import { firstText, isContext } from "../context/context.ts";
import { History, userMessage } from "../context/history.ts";
import { compactPrompt, summaryPrefix, textOnly } from "../context/prompts.ts";
import { estimateTokens, truncateMiddle } from "../context/tokens.ts";
import { aroundCompaction } from "../hooks/moments.ts";
import { ask, errorFrom } from "../model/attempts.ts";
import { requestFor } from "../model/request.ts";
import { completeItem, recordHistory } from "../model/run.ts";
import { countUsage, isNotice, takeNotice, toolsFor } from "../model/sample.ts";
import type { ModelFailure, ModelItem, ModelRequest } from "../ports/model-client.ts";
import type { Tool } from "../ports/tool.ts";
import type { CompactingRun } from "./compacting-run.ts";
import { withoutStrayOutputs } from "./leave-out-oldest.ts";
import { compactAtProvider } from "./remote-compaction.ts";

/** How many tokens of the person's own messages are kept beside the summary; a small window has room for less. */
const keptTokens = 20_000;
const keptShare = 1 / 5;
/** A longer summary would use up the space that the compaction frees. */
const summaryShare = 1 / 4;
/** Items since the last request are kept unchanged while they take no more than this share of the window. */
const tailShare = 1 / 2;
/** A summary of a long history that is shorter than this is not accepted as one. */
const shortestSummary = 200;
const longHistoryTokens = 8000;

/**
 * `unseen` are the items the model has not seen yet: messages waiting for an answer, or its own calls with their outputs. They stay unchanged after
 * the summary, so that the work continues where it stopped. Returns why it failed; the history is then unchanged.
 */
export async function compact(run: CompactingRun, unseen: readonly ModelItem[]): Promise<TurnError | undefined> {
  const { turn, history } = run;
  await aroundCompaction(run, "preCompact");
  const ready = await toolsFor(run);
  if ("failed" in ready) return ready.failed;
  const item = { type: "contextCompaction" as const, id: turn.thread.ports.ids.item() };
  turn.items.start(item);
  const tail = keptTail(run, unseen);
  const before = history.items.length;
  const past = history.items.filter((each) => !tail.includes(each));
  const outcome = (await compactAtProvider(run, past, ready.tools)) ?? (await summarise(run, past, ready.tools));
  if ("failed" in outcome) {
    turn.items.abandon(item);
    return outcome.failed;
  }
  const window = windowOf(run);
  const summary = "item" in outcome ? "" : truncateMiddle(outcome.summary, Math.floor(window * summaryShare));
  const handOver = "item" in outcome ? outcome.item : userMessage(`${summaryPrefix}\n${summary}`);
  const kept = keptMessages(past, Math.floor(Math.min(keptTokens, window * keptShare)));
  const context = await run.context();
  const meanwhile = history.items.slice(before); // for example the person's own command, which may end at any time
  const rest = [...tail, ...meanwhile];
  history.replace([...context, ...kept, handOver, ...rest]);
  if (rest.length > 0) history.answered(history.items.length - rest.length);
  turn.guard.compactedTo = history.tokens();
  await recordHistory(run, summary);
  await completeItem(run, item);
  await aroundCompaction(run, "postCompact");
  if (run.isThreads) turn.thread.ports.audience.toOlder(turn.thread.id, "thread/compacted", { threadId: turn.thread.id, turnId: turn.id });
  return undefined;
}

const windowOf = ({ turn, settings }: CompactingRun): number => turn.thread.contextWindow(settings);

/** Messages waiting for an answer always stay. A model's calls stay all together or not at all: a partial set would be refused. */
function keptTail(run: CompactingRun, unseen: readonly ModelItem[]): readonly ModelItem[] {
  if (unseen === run.turn.ownInput) return unseen;
  const tokens = unseen.reduce((sum, item) => sum + estimateTokens(item), 0);
  return tokens > windowOf(run) * tailShare ? [] : unseen;
}

type Summary = { readonly summary: string } | { readonly failed: TurnError };

/** When even the request for a summary is too long, drops the oldest part, half at a time, then the middle of the rest. */
async function summarise(run: CompactingRun, past: readonly ModelItem[], tools: readonly Tool[]): Promise<Summary> {
  let items = past;
  while (true) {
    const outcome = await askForSummary(run, items, tools);
    if (outcome.overflow !== true) return outcome;
    const shorter = shortened(items, Math.floor(windowOf(run) / 8));
    if (shorter === undefined) return outcome;
    items = shorter;
  }
}

/** undefined: nothing is left to drop. */
function shortened(items: readonly ModelItem[], maxTokens: number): readonly ModelItem[] | undefined {
  if (items.length > 3) return withoutStrayOutputs(items.slice(Math.ceil(items.length / 2)));
  const cut = items.map((item) => withShortTexts(item, maxTokens));
  return cut.every((item, i) => item === items[i]) ? undefined : cut;
}

/** Returns the same item when it is short enough. */
function withShortTexts(item: ModelItem, maxTokens: number): ModelItem {
  if (estimateTokens(item) <= maxTokens) return item;
  const isOutput = item.type === "function_call_output" || item.type === "custom_tool_call_output";
  if (isOutput && typeof item.output === "string") return { ...item, output: truncateMiddle(item.output, maxTokens / 2) };
  if (item.type !== "message") return item;
  const each = Math.floor(maxTokens / 2 / Math.max(1, item.content.length));
  const content = item.content.flatMap((part) => ("text" in part ? [{ ...part, text: truncateMiddle(part.text, each) }] : []));
  return { ...item, content };
}

interface Answer {
  readonly text: string;
  readonly calledTool: boolean;
  readonly failure?: ModelFailure;
}

/** The last request plus one message: everything before that message is in the provider's cache. */
async function askForSummary(
  run: CompactingRun,
  past: readonly ModelItem[],
  tools: readonly Tool[],
): Promise<Summary & { overflow?: boolean }> {
  const { compactPrompt: own } = run.turn.thread.config;
  const prompt = userMessage(`${own ?? compactPrompt}\n\n${textOnly}`);
  const build = (): ModelRequest => ({
    ...requestFor(run, tools, [...new History(past).forRequest(), prompt], "compaction"),
    outputSchema: undefined, // the schema is for the turn's answer, not for the summary
  });
  const requestSummary = (toolChoice: "auto" | "none") =>
    ask(run, { once: () => answer(run, { ...build(), toolChoice }), abandon: () => {} });
  const isEnough = ({ text, failure }: Answer): boolean => failure !== undefined || !isTooShort(text, past);
  const first = await requestSummary("auto");
  const last = isEnough(first.attempt) ? first : await requestSummary(first.attempt.calledTool ? "none" : "auto");
  const { failure, text } = last.attempt;
  if (failure !== undefined) return { failed: errorFrom(failure, last.retries), overflow: failure.kind === "contextWindowExceeded" };
  return isTooShort(text, past) ? { failed: noSummary } : { summary: text };
}

const noSummary: TurnError = {
  message: "The model gave no usable summary of the conversation, so it was kept as it is. Try again, or choose another model.",
  codexErrorInfo: "other",
  additionalDetails: null,
};

function isTooShort(text: string, past: readonly ModelItem[]): boolean {
  const { length } = text.trim();
  if (length >= shortestSummary) return false;
  return length === 0 || past.reduce((sum, item) => sum + estimateTokens(item), 0) > longHistoryTokens;
}

async function answer(run: CompactingRun, request: ModelRequest): Promise<Answer> {
  const { turn, settings } = run;
  const client = turn.thread.ports.models.clientFor(turn.thread.provider(settings));
  let text = "";
  let calledTool = false;
  for await (const batch of client.stream(request, turn.signal)) {
    for (const event of batch) {
      if (isNotice(event)) takeNotice(run, event);
      else if (event.type === "failed") return { text, calledTool, failure: event.failure };
      else if (event.type === "completed") {
        if (event.usage !== undefined) await countUsage(run, event.usage);
        turn.items.notifyAnswered(event.responseId, event.usage);
      } else if (event.type === "itemDone" && event.item.type === "message")
        text += event.item.content.map((part) => ("text" in part ? part.text : "")).join("");
      else if (event.type === "itemDone") calledTool ||= event.item.type === "function_call" || event.item.type === "custom_tool_call";
    }
  }
  return { text, calledTool };
}

/** The person's own messages, taken newest first until the budget is spent, returned in original order; the one that does not fit is shortened. */
function keptMessages(items: readonly ModelItem[], maxTokens: number): ModelItem[] {
  const kept: ModelItem[] = [];
  let left = maxTokens;
  for (const item of items.toReversed()) {
    if (!isPersons(item)) continue;
    const tokens = estimateTokens(item);
    if (tokens <= left) kept.unshift(item);
    else if (left > 100) kept.unshift(withShortTexts(item, left));
    left -= tokens;
    if (left <= 0) break;
  }
  return kept;
}

function isPersons(item: ModelItem): boolean {
  if (item.type !== "message" || item.role !== "user" || isContext(item)) return false;
  const text = firstText(item);
  return !/^(<turn_aborted>|<skill>|<user_shell_command>|<user_action>|<external_)/.test(text) && !text.startsWith(summaryPrefix);
}

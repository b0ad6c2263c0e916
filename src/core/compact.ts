/** Replaces a history that has grown too long by a hand-over that the model writes itself. */
import type { TurnError } from "../protocol/turn.ts";
import { freshContext, instructionsFor } from "./context.ts";
import { estimateTokens, History, userMessage } from "./history.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { ModelFailure, ModelItem, ModelRequest } from "./ports/model-client.ts";
import { compactPrompt, summaryPrefix } from "./prompts.ts";
import { errorFrom } from "./sample.ts";
import type { TurnOutcome } from "./turn.ts";

/** Compact at this share of the window when the config sets no limit. */
const share = 0.9;
/** How much of the person's own words is kept beside the hand-over. */
const keptTokens = 20_000;

export function isNearLimit(turn: LiveTurn): boolean {
  const { thread } = turn;
  const limit = thread.config.autoCompactTokenLimit ?? Math.floor(thread.contextWindow() * share);
  return thread.history.tokens() >= limit && thread.history.items.some(isModels);
}

/** A hand-over tells what the model said and did; without either there is nothing to hand over, and asking again would never end. */
function isModels(item: ModelItem): boolean {
  if (item.type === "message") return item.role === "assistant";
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** `thread/compact/start`. */
export async function compactTurn(turn: LiveTurn): Promise<TurnOutcome> {
  await turn.thread.record([
    { type: "turnStarted", turnId: turn.id, atMs: turn.startedAtMs, contextWindow: turn.thread.contextWindow(), mode: turn.settings.mode },
  ]);
  const { failed } = await compact(turn);
  return failed === undefined ? { status: "completed" } : { status: "failed", error: failed };
}

export async function compact(turn: LiveTurn): Promise<{ failed?: TurnError }> {
  const { thread } = turn;
  const item = { type: "contextCompaction" as const, id: thread.ports.ids.item() };
  turn.startItem(item);
  const past = thread.history.items.filter((past) => !turn.ownInput.includes(past)); // words that wait for their answer stay as they are
  const { summary, failure } = await summarise(turn, past);
  if (failure !== undefined) return { failed: errorFrom(failure, 0) };
  const kept = keptMessages(past);
  thread.history.replace([]);
  thread.told = new Map();
  const replacement = [...(await freshContext(thread)), ...kept, userMessage(`${summaryPrefix}\n${summary}`), ...turn.ownInput];
  thread.history.replace(replacement);
  await turn.completeItem(item, [], [{ type: "compacted", turnId: turn.id, summary, replacement }]);
  thread.ports.audience.toOlder(thread.id, "thread/compacted", { threadId: thread.id, turnId: turn.id });
  return {};
}

/** When even the request for a hand-over is too long, the oldest part is left out of it, a half at a time. */
async function summarise(turn: LiveTurn, past: readonly ModelItem[]): Promise<{ summary: string; failure?: ModelFailure }> {
  let items = new History(past).forRequest();
  while (true) {
    const outcome = await ask(turn, [...items, userMessage(turn.thread.config.compactPrompt ?? compactPrompt)]);
    if (outcome.failure?.kind !== "contextWindowExceeded" || items.length < 2) return outcome;
    items = withoutStrayOutputs(items.slice(Math.ceil(items.length / 2)));
  }
}

function withoutStrayOutputs(items: readonly ModelItem[]): readonly ModelItem[] {
  const called = new Set(
    items.flatMap((item) => (item.type === "function_call" || item.type === "custom_tool_call" ? [item.call_id] : [])),
  );
  return items.filter(
    (item) => !(item.type === "function_call_output" || item.type === "custom_tool_call_output") || called.has(item.call_id ?? ""),
  );
}

async function ask(turn: LiveTurn, input: readonly ModelItem[]): Promise<{ summary: string; failure?: ModelFailure }> {
  const { thread } = turn;
  const request: ModelRequest = {
    threadId: thread.id,
    turnId: turn.id,
    model: thread.settings.model,
    instructions: instructionsFor(thread),
    input,
    tools: [],
    parallelToolCalls: false,
    effort: thread.settings.effort ?? undefined,
    summary: undefined,
    verbosity: undefined,
    serviceTier: thread.settings.serviceTier ?? undefined,
    outputSchema: undefined,
    originator: thread.meta.originator,
    userAgent: `${thread.meta.originator}/${thread.ports.version} (${thread.ports.system})`,
  };
  let summary = "";
  for await (const batch of thread.ports.models.clientFor(thread.provider()).stream(request, turn.signal)) {
    for (const event of batch) {
      if (event.type === "failed") return { summary, failure: event.failure };
      if (event.type === "itemDone" && event.item.type === "message")
        summary += event.item.content.map((part) => ("text" in part ? part.text : "")).join("");
      if (event.type === "completed" && event.usage !== undefined) {
        thread.countTokens(event.usage);
        turn.notify("thread/tokenUsage/updated", { threadId: thread.id, turnId: turn.id, tokenUsage: thread.usage });
        const asked = { model: thread.settings.model, provider: thread.settings.modelProvider };
        thread.ports.usage?.spent(thread.id, turn.id, asked, event.usage);
      }
    }
  }
  return { summary };
}

/** The person's own messages, newest first until the budget is spent, in their old order. */
function keptMessages(items: readonly ModelItem[]): ModelItem[] {
  const kept: ModelItem[] = [];
  let left = keptTokens;
  for (const item of items.toReversed()) {
    if (!isPersons(item)) continue;
    left -= estimateTokens(item);
    if (left < 0) break;
    kept.unshift(item);
  }
  return kept;
}

function isPersons(item: ModelItem): boolean {
  if (item.type !== "message" || item.role !== "user") return false;
  const first = item.content[0];
  const text = first !== undefined && first.type === "input_text" ? first.text : "";
  return (
    !/^(<environment_context>|# AGENTS\.md instructions|<turn_aborted>|<skill>|<user_shell_command>)/.test(text) &&
    !text.startsWith(summaryPrefix)
  );
}

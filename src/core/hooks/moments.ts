/** The points in a thread at which hooks run, and the effect of their verdicts. Each does nothing where no hook is set. */
import type { UserInput } from "../../protocol/item.ts";
import { developerMessage, userMessage } from "../context/history.ts";
import type { ModelItem, TokenUsage } from "../ports/model-client.ts";
import type { HookedThread, HookedTurn, MomentTurn } from "./hooked.ts";
import { agentType, hasHooks, type RanHook, runHooks } from "./run.ts";

/** Whether the input that begins a turn must wait for hooks before it is announced. */
export const inputWaits = (thread: HookedThread): boolean =>
  thread.config.hooks.length > 0 && hasHooks(thread, "sessionStart", "subagentStart", "userPromptSubmit");

/** SessionStart, or SubagentStart in a sub-agent's thread. True: the turn must end. */
export async function sessionStarts(turn: MomentTurn): Promise<boolean> {
  const { thread } = turn;
  const source = thread.hooks.takeStart();
  if (source === undefined) return false;
  const isChild = thread.meta.parentThreadId !== undefined;
  if (isChild && source !== "startup") return false;
  const ran = await runHooks(
    thread,
    turn,
    isChild ? { event: "subagentStart", subjects: [agentType(thread)] } : { event: "sessionStart", subjects: [source], input: { source } },
  );
  const context = contextOf(ran);
  if (context.length > 0) await turn.items.addForModel(context);
  return ran.some(({ stopped }) => stopped !== undefined);
}

/** UserPromptSubmit, for a person's input. `refused`: the input is dropped. */
export async function promptSubmitted(
  turn: HookedTurn,
  content: readonly UserInput[],
): Promise<{ refused: boolean; context: readonly ModelItem[] }> {
  const prompt = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const ran = await runHooks(turn.thread, turn, { event: "userPromptSubmit", input: { prompt } });
  return { refused: ran.some(({ blocked, stopped }) => (blocked ?? stopped) !== undefined), context: contextOf(ran) };
}

/** Before the next request: a session that restarts after a compaction, and output of background hooks. True: the turn must end. */
export async function beforeInput(turn: MomentTurn): Promise<boolean> {
  if (await sessionStarts(turn)) return true;
  const texts = turn.thread.hooks.takeArrived();
  if (texts.length > 0) await turn.items.addForModel(texts.map(developerMessage));
  return false;
}

/** Before a model request: these hooks only observe. */
export async function beforeRequest(turn: HookedTurn): Promise<void> {
  await runHooks(turn.thread, turn, { event: "preModelRequest" });
}

export interface RequestEnd {
  readonly status: "completed" | "cancelled" | "failed";
  readonly error?: string | undefined;
  readonly usage?: TokenUsage | undefined;
}

export async function afterRequest(turn: HookedTurn, { status, error, usage }: RequestEnd): Promise<void> {
  const { hooks, ports } = turn.thread;
  const signal = status === "cancelled" ? AbortSignal.any([hooks.signal, ports.clock.timeout(graceMs)]) : turn.signal;
  await runHooks(turn.thread, turn, {
    event: "postModelRequest",
    input: { status, error: error ?? null, token_usage: usage === undefined ? null : onDisk(usage) },
    signal,
  });
}
/** For hooks that run after the turn was stopped. */
const graceMs = 3000;

const onDisk = (usage: TokenUsage): Record<string, number> => ({
  input_tokens: usage.inputTokens,
  cached_input_tokens: usage.cachedInputTokens,
  cache_write_input_tokens: usage.cacheWriteInputTokens ?? 0,
  output_tokens: usage.outputTokens,
  reasoning_output_tokens: usage.reasoningOutputTokens,
  total_tokens: usage.totalTokens,
});

/** Around a compaction. A hook that stops it stops the turn. */
export async function aroundCompaction(
  { turn, isThreads }: { readonly turn: MomentTurn; readonly isThreads: boolean },
  event: "preCompact" | "postCompact",
): Promise<void> {
  const { thread } = turn;
  if (thread.config.hooks.length === 0) return;
  const trigger = turn.kind === "compact" ? "manual" : "auto";
  if (event === "postCompact" && isThreads) thread.hooks.sessionStarts("compact");
  const ran = await runHooks(thread, turn, { event, subjects: [trigger], input: { trigger } });
  if (!ran.some(({ stopped }) => stopped !== undefined)) return;
  turn.interrupt();
  turn.signal.throwIfAborted();
}

/** Before a turn ends by itself. True: it continues with the hooks' instructions. */
export async function beforeStop(turn: MomentTurn): Promise<boolean> {
  const { thread } = turn;
  if (!hasHooks(thread, "stop", "subagentStop")) return false;
  const input = { stop_hook_active: turn.wentOnByHook, last_assistant_message: turn.lastAgentMessage };
  const isChild = thread.meta.parentThreadId !== undefined;
  const ran = await runHooks(
    thread,
    turn,
    isChild
      ? { event: "subagentStop", subjects: [agentType(thread)], input: { ...input, agent_transcript_path: thread.path } }
      : { event: "stop", input },
  );
  if (ran.some(({ stopped }) => stopped !== undefined)) return false;
  const fragments = ran.flatMap(({ blocked, runId }) => (blocked === undefined ? [] : [{ text: blocked, hookRunId: runId }]));
  if (fragments.length === 0) return false;
  turn.wentOnByHook = true;
  const text = fragments.map(
    (fragment) => `<hook_prompt hook_run_id="${quoted(fragment.hookRunId)}">${escaped(fragment.text)}</hook_prompt>`,
  );
  const item = { type: "hookPrompt" as const, id: thread.ports.ids.item(), fragments };
  turn.items.start(item);
  await turn.items.complete(item, [userMessage(text.join("\n"))]);
  return true;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const quoted = (text: string): string => escaped(text).replaceAll('"', "&quot;");

/** After a person interrupted a turn. */
export async function interrupted(turn: HookedTurn): Promise<void> {
  const { thread } = turn;
  if (!hasHooks(thread, "interrupt")) return;
  await runHooks(thread, turn, { event: "interrupt", signal: thread.hooks.signal });
}

/** Before a thread is unloaded. */
export async function sessionEnds(thread: HookedThread): Promise<void> {
  if (thread.meta.parentThreadId === undefined && hasHooks(thread, "sessionEnd"))
    await runHooks(thread, undefined, { event: "sessionEnd", subjects: ["other"], input: { reason: "other" } });
}

export const contextOf = (ran: readonly RanHook[]): readonly ModelItem[] =>
  ran.flatMap(({ context }) => (context === undefined ? [] : [developerMessage(context)]));

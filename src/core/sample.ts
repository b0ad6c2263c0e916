/** One model request: the stream becomes items and deltas, its usage is counted, and what can be tried again is. */
import type { CodexErrorInfo, TurnError } from "../protocol/turn.ts";
import { overBudget } from "./budget.ts";
import { offeredTools } from "./call-tool.ts";
import { instructionsFor } from "./context.ts";
import { type OfferedCall, offeredCall, specOf } from "./find-tool.ts";
import type { LiveTurn } from "./live-turn.ts";
import type { ModelEvent, ModelFailure, ModelRequest, TokenUsage } from "./ports/model-client.ts";
import { type Tool, ToolsUnavailable } from "./ports/tool.ts";
import { ReplyItems } from "./reply-items.ts";

export interface Reply {
  readonly calls: readonly OfferedCall[];
  /** The model wants to be asked again, with or without calls. */
  readonly goesOn?: boolean;
  readonly failed?: TurnError;
}

export async function sample(turn: LiveTurn): Promise<Reply> {
  const { thread } = turn;
  const refused = await overBudget(turn);
  if (refused !== undefined) return { calls: [], failed: refused };
  const tools = await offeredTools(turn).catch((error: unknown) => {
    if (error instanceof ToolsUnavailable) return error;
    throw error;
  });
  if (tools instanceof ToolsUnavailable)
    return { calls: [], failed: { message: tools.message, codexErrorInfo: "other", additionalDetails: null } };
  const provider = thread.provider();
  const limits = { request: provider.requestMaxRetries, stream: provider.streamMaxRetries };
  const tried = { request: 0, stream: 0 };
  while (true) {
    const outcome = await once(turn, tools);
    if (outcome.failure === undefined) return { calls: outcome.calls, goesOn: outcome.goesOn === true };
    const kind = attemptLeft(outcome.failure, tried, limits);
    const { retry } = outcome.failure;
    if (retry === false || kind === undefined) {
      await outcome.items.closeOpen();
      return { calls: [], failed: errorFrom(outcome.failure, tried.request + tried.stream) };
    }
    tried[kind]++;
    const message = `Reconnecting... ${tried[kind]}/${limits[kind]}`;
    turn.notify("error", {
      threadId: thread.id,
      turnId: turn.id,
      willRetry: true,
      error: {
        message,
        codexErrorInfo: kind === "stream" ? { responseStreamDisconnected: status(outcome.failure) } : infoFrom(outcome.failure),
        additionalDetails: outcome.failure.message,
      },
    });
    outcome.items.abandonOpen(); // said after the error, by which clients know that these items will be answered anew
    await thread.ports.clock.sleep(retry.afterMs ?? backoff(tried[kind]), turn.signal);
  }
}

type Attempts = Readonly<Record<"request" | "stream", number>>;

/**
 * Which of the two kinds of new attempt is left. A stream that began well has its own; an answer with a server's error may use them too when
 * its own are spent. A rate limit is not pressed so hard, and a server that cannot be reached is told of soon.
 */
function attemptLeft({ kind, httpStatus, begun }: ModelFailure, tried: Attempts, limits: Attempts): keyof Attempts | undefined {
  const inStream = kind === "responseStreamDisconnected" || begun === true;
  if (!inStream && tried.request < limits.request) return "request";
  const mayUseStream = inStream || (httpStatus !== undefined && httpStatus >= 500);
  return mayUseStream && tried.stream < limits.stream ? "stream" : undefined;
}

/** 200 ms, doubling, up to 20 s, with a tenth of jitter either way. */
function backoff(attempt: number): number {
  return Math.min(200 * 2 ** (attempt - 1), 20_000) * (0.9 + Math.random() * 0.2);
}

interface Outcome {
  readonly calls: readonly OfferedCall[];
  readonly goesOn?: boolean;
  readonly failure?: ModelFailure;
  readonly items: ReplyItems;
}

async function once(turn: LiveTurn, tools: readonly Tool[]): Promise<Outcome> {
  const { thread } = turn;
  const items = new ReplyItems(turn);
  const stream = thread.ports.models.clientFor(thread.provider()).stream(requestFor(turn, tools), turn.signal);
  try {
    for await (const batch of stream) {
      for (const event of batch) {
        if (event.type === "failed") return { calls: [], failure: event.failure, items };
        if (event.type === "completed")
          return { calls: await finish(turn, event.usage, items, tools), goesOn: event.goesOn === true && items.any, items };
        const waiting = take(turn, event, items);
        if (waiting !== undefined) await waiting;
      }
      const behind = thread.ports.audience.caughtUp(thread.id);
      if (behind !== undefined) await abortable(behind, turn.signal);
    }
  } catch (error) {
    if (turn.signal.aborted) await items.closeOpen();
    throw error;
  }
  throw new Error("a model stream ended without its last event");
}

function requestFor(turn: LiveTurn, tools: readonly Tool[]): ModelRequest {
  const { thread } = turn;
  const { settings, config, meta, ports } = thread;
  const model = ports.catalog.find(settings.model, thread.provider());
  const summaries = config.raw["model_supports_reasoning_summaries"] === true || model.supportsReasoningSummaries;
  return {
    threadId: thread.id,
    turnId: turn.id,
    model: settings.model,
    instructions: instructionsFor(thread),
    input: thread.history.forRequest(),
    tools: tools.filter((tool) => tool.silent !== true).map(specOf),
    parallelToolCalls: model.supportsParallelToolCalls,
    effort: settings.effort ?? (summaries ? model.defaultEffort : undefined),
    summary: summaries ? (settings.summary ?? undefined) : undefined,
    verbosity: settings.verbosity ?? undefined,
    serviceTier: settings.serviceTier ?? undefined,
    outputSchema: turn.outputSchema,
    originator: meta.originator,
    userAgent: `${meta.originator}/${ports.version} (${ports.system})`,
  };
}

function take(turn: LiveTurn, event: Exclude<ModelEvent, { type: "completed" | "failed" }>, items: ReplyItems): Promise<void> | undefined {
  const { thread } = turn;
  switch (event.type) {
    case "rateLimits":
      thread.ports.audience.toAll("account/rateLimits/updated", {
        rateLimits: { planType: null, ...event.rateLimits, limitId: null, limitName: null, credits: null },
      });
      return undefined;
    case "rerouted":
      turn.notify("model/rerouted", {
        threadId: thread.id,
        turnId: turn.id,
        fromModel: thread.settings.model,
        toModel: event.model,
        reason: "highRiskCyberActivity",
      });
      return undefined;
    case "toolResultsCleared":
      return undefined;
    case "warning":
      turn.notify("warning", { threadId: thread.id, message: event.message });
      return undefined;
    default:
      return items.take(event);
  }
}

async function finish(turn: LiveTurn, usage: TokenUsage | undefined, items: ReplyItems, tools: readonly Tool[]): Promise<OfferedCall[]> {
  await items.closeOpen();
  if (usage !== undefined) await count(turn, usage);
  return items.calls.map((item) => offeredCall(item, tools));
}

async function count(turn: LiveTurn, usage: TokenUsage): Promise<void> {
  const { thread } = turn;
  thread.countTokens(usage);
  thread.history.counted(usage.totalTokens);
  await thread.record([{ type: "tokenUsage", turnId: turn.id, usage: thread.usage }]);
  turn.notify("thread/tokenUsage/updated", { threadId: thread.id, turnId: turn.id, tokenUsage: thread.usage });
  thread.ports.usage?.spent(thread.id, turn.id, { model: thread.settings.model, provider: thread.settings.modelProvider }, usage);
}

export function errorFrom(failure: ModelFailure, retries: number): TurnError {
  const spent = failure.retry !== false && (retries > 0 || failure.httpStatus === 429);
  // A server's own error stays one, however often it was met; a broken stream has its own word too.
  const keepsKind = failure.kind === "responseStreamDisconnected" || failure.httpStatus === 500;
  return {
    message: spent ? `exceeded retry limit: ${failure.message}` : failure.message,
    codexErrorInfo: spent && !keepsKind ? { responseTooManyFailedAttempts: status(failure) } : infoFrom(failure),
    additionalDetails: failure.details ?? null,
  };
}

const status = (failure: ModelFailure): { httpStatusCode: number | null } => ({ httpStatusCode: failure.httpStatus ?? null });

function infoFrom(failure: ModelFailure): CodexErrorInfo {
  switch (failure.kind) {
    case "httpConnectionFailed":
      return { httpConnectionFailed: status(failure) };
    case "responseStreamConnectionFailed":
      return { responseStreamConnectionFailed: status(failure) };
    case "responseStreamDisconnected":
      return { responseStreamDisconnected: status(failure) };
    default:
      return failure.kind;
  }
}

function abortable(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    void waiting.then(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
  });
}

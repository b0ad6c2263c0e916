/** One answer of a model: the stream becomes items and deltas, and its usage is counted. */
import type { TurnError } from "../../protocol/turn.ts";
import { afterRequest, beforeRequest } from "../hooks/moments.ts";
import { hasHooks } from "../hooks/run.ts";
import type { ModelEvent, ModelFailure, OutputCut, RateLimits, TokenUsage } from "../ports/model-client.ts";
import { type Tool, ToolsUnavailable } from "../ports/tool.ts";
import { type Attempt, ask, errorFrom } from "./attempts.ts";
import { overBudget } from "./budget.ts";
import { type OfferedCall, offeredCall } from "./find-tool.ts";
import { ReplyItems } from "./reply-items.ts";
import { offeredTools, requestFor } from "./request.ts";
import type { Run } from "./run.ts";
import type { RunTurn } from "./run-turn.ts";
import { isSealed, unsealHistory } from "./unseal-history.ts";

export interface Reply {
  readonly calls: readonly OfferedCall[];
  /** The number of calls beyond the limit for one answer; they are not kept. */
  readonly droppedCalls?: number;
  /** The model asks for another request, with or without calls. */
  readonly goesOn?: boolean;
  /** It ended at the output limit. */
  readonly cut?: OutputCut | undefined;
  /** The answer is empty. */
  readonly isEmpty?: boolean;
  readonly failed?: TurnError;
  /** The request was longer than the model's window. */
  readonly overflow?: ModelFailure;
}

export async function sample(run: Run): Promise<Reply> {
  const ready = await toolsFor(run);
  if ("failed" in ready) return { calls: [], failed: ready.failed };
  const { tools } = ready;
  const send = () => ask(run, { once: () => once(run, tools), abandon: ({ items }) => items.abandonOpen() });
  const { attempt, retries } = await (hasHooks(run.turn.thread, "preModelRequest", "postModelRequest") ? hooked(run, send) : send());
  const { calls, goesOn, cut, failure, items } = attempt;
  if (failure === undefined) return { calls, droppedCalls: items.droppedCalls, goesOn: goesOn === true, cut, isEmpty: !items.any };
  await items.closeOpen();
  const overflow = failure.kind === "contextWindowExceeded" ? { overflow: failure } : {};
  return { calls: [], failed: errorFrom(failure, retries), ...overflow };
}

/** Runs the hooks around the request; those after it run however it ended. */
async function hooked<T extends { attempt: Attempt }>({ turn }: Run, send: () => Promise<T>): Promise<T> {
  await beforeRequest(turn);
  try {
    const result = await send();
    const { failure } = result.attempt;
    if (failure === undefined) await afterRequest(turn, { status: "completed", usage: turn.thread.usage.last });
    else await afterRequest(turn, { status: "failed", error: failure.message });
    return result;
  } catch (error) {
    if (turn.signal.aborted) await afterRequest(turn, { status: "cancelled" });
    throw error;
  }
}

/** Checks before a model request: a model is set up, the budget is not spent, and required tools are available. */
export async function toolsFor(run: Run): Promise<{ tools: readonly Tool[] } | { failed: TurnError }> {
  const { thread, signal } = run.turn;
  const isProgram = thread.clients.refusesTour;
  const why = isProgram ? thread.ports.whyNoModel(thread.config, run.settings.modelProvider) : undefined;
  if (why !== undefined) return { failed: { message: why, codexErrorInfo: "other", additionalDetails: null } };
  run.turn.catchUp();
  const refused = await overBudget(run.turn);
  if (refused !== undefined) return { failed: refused };
  const prepared = thread.ports.catalog.prepare(run.settings.model, thread.provider(run.settings), signal); // the model may have changed
  if (prepared !== undefined) await prepared;
  return await availableTools(run);
}

/** The tools that the run's model may call; fails when a required source of them is unavailable. */
export async function availableTools(run: Run): Promise<{ tools: readonly Tool[] } | { failed: TurnError }> {
  try {
    return { tools: await offeredTools(run) };
  } catch (error) {
    if (!(error instanceof ToolsUnavailable)) throw error;
    return { failed: { message: error.message, codexErrorInfo: "other", additionalDetails: null } };
  }
}

interface Outcome {
  readonly calls: readonly OfferedCall[];
  readonly goesOn?: boolean;
  readonly cut?: OutputCut | undefined;
  readonly failure?: ModelFailure;
  readonly items: ReplyItems;
}

async function once(run: Run, tools: readonly Tool[]): Promise<Outcome> {
  const { turn, history } = run;
  const { thread } = turn;
  const items = new ReplyItems(run);
  if (isSealed(run)) await unsealHistory(run); // this attempt may go to a different provider
  const sent = history.items.length;
  const client = thread.ports.models.clientFor(thread.provider(run.settings));
  // The last item, while it is stored: what follows is announced after it, and an answer's end is stored together with it.
  let untold: Promise<void> | undefined;
  let hasBegun = false;
  try {
    // Once the request is on its way: clients have read what came before it when the answer arrives.
    thread.ports.audience.hurry(thread.id, "atTickEnd");
    for await (const batch of client.stream(requestFor(run, tools, history.forRequest()), turn.signal)) {
      let hasStreamed = false;
      for (const event of stepsOf(batch)) {
        const isStreamed = streamed.has(event.type);
        // What follows in the same piece of the stream takes longer than all of it so far: clients get the text first.
        if (hasStreamed && !isStreamed) thread.ports.audience.hurry(thread.id);
        hasStreamed = isStreamed && hasBegun;
        if (untold !== undefined && (event.type !== "completed" || items.hasOpen)) await untold;
        if (event.type === "failed") return { calls: [], failure: event.failure, items };
        if (event.type === "completed") {
          history.answered(sent);
          await items.closeOpen();
          if (event.usage !== undefined) history.counted(event.usage.totalTokens);
          const calls = items.calls.map((item) => offeredCall(item, tools));
          const cut = event.cut === undefined ? undefined : { ...event.cut, callIds: event.cut.callIds.map((id) => items.callIdOf(id)) };
          const goesOn = event.goesOn === true && items.any;
          const mayBeLast = calls.length === 0 && !goesOn && run.isThreads && thread.config.hooks.length === 0;
          const told = answered(run, event, { untold, mayBeLast });
          if (mayBeLast) turn.tellLast(told);
          else await told;
          return { calls, goesOn, cut, items };
        }
        untold = take(run, event, items);
        untold?.catch(() => {}); // whoever waits for it gets the error
        if (!isStreamed || hasBegun) continue;
        hasBegun = true;
        thread.ports.audience.hurry(thread.id);
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

/** Text deltas of one message that follow each other: thousands may arrive at once, and what is the same for all of them is done once. */
interface Texts {
  readonly type: "texts";
  readonly itemId: string;
  readonly deltas: string[];
}
type Step = Exclude<ModelEvent, { type: "textDelta" }> | Texts;

function stepsOf(batch: readonly ModelEvent[]): readonly Step[] {
  const steps: Step[] = [];
  let texts: Texts | undefined;
  for (const event of batch) {
    if (event.type !== "textDelta") {
      texts = undefined;
      steps.push(event);
    } else if (texts?.itemId === event.itemId) texts.deltas.push(event.delta);
    else {
      texts = { type: "texts", itemId: event.itemId, deltas: [event.delta] };
      steps.push(texts);
    }
  }
  return steps;
}

const streamed: ReadonlySet<string> = new Set<Step["type"]>(["texts", "summaryDelta", "reasoningDelta"]);

function take(run: Run, event: Exclude<Step, { type: "completed" | "failed" }>, items: ReplyItems): Promise<void> | undefined {
  if (event.type === "texts") {
    items.takeText(event.itemId, event.deltas);
    return undefined;
  }
  if (!isNotice(event)) return items.take(event);
  takeNotice(run, event);
  return undefined;
}

type Notice = Extract<ModelEvent, { type: "rateLimits" | "rerouted" | "warning" }>;
const notices: ReadonlySet<string> = new Set<Notice["type"]>(["rateLimits", "rerouted", "warning"]);
export const isNotice = (event: ModelEvent | Step): event is Notice => notices.has(event.type);

/** Information that a provider sends along with its answer. */
export function takeNotice({ turn, settings }: Run, event: Notice): void {
  const { thread } = turn;
  if (event.type === "rateLimits")
    thread.ports.audience.toAll("account/rateLimits/updated", {
      rateLimits: { planType: null, ...event.rateLimits, ...rounded(event.rateLimits), limitId: null, limitName: null, credits: null },
    });
  else if (event.type === "rerouted")
    turn.notify("model/rerouted", {
      threadId: thread.id,
      turnId: turn.id,
      fromModel: settings.model,
      toModel: event.model,
      reason: "highRiskCyberActivity",
    });
  else if (event.type === "warning") turn.notify("warning", { threadId: thread.id, message: event.message });
}

/** Headers have fractions of a percent, the protocol whole ones. */
function rounded({ primary, secondary }: RateLimits): Pick<RateLimits, "primary" | "secondary"> {
  const round = (window: RateLimits["primary"]) => (window === null ? null : { ...window, usedPercent: Math.round(window.usedPercent) });
  return { primary: round(primary), secondary: round(secondary) };
}

interface Ending {
  /** Its last item, while it is stored. */
  readonly untold: Promise<void> | undefined;
  readonly mayBeLast: boolean;
}

/** An answer is over. What the last one has cost is written down after the turn's end was announced. */
async function answered(run: Run, event: Extract<ModelEvent, { type: "completed" }>, { untold, mayBeLast }: Ending): Promise<void> {
  const { usage, responseId } = event;
  const { settings } = run; // a client may choose another model before it is written down
  await Promise.all([untold, usage === undefined ? undefined : announceUsage(run, usage, untold)]);
  run.turn.items.notifyAnswered(responseId, usage);
  if (usage === undefined) return;
  if (mayBeLast) run.turn.postpone(() => spend(run.turn, settings, usage));
  else spend(run.turn, settings, usage);
}

/** All usage within a turn counts for its thread. */
export async function countUsage(run: Run, usage: TokenUsage): Promise<void> {
  const { turn, settings } = run;
  await announceUsage(run, usage);
  spend(turn, settings, usage);
}

/** It is announced after `untold`. */
async function announceUsage({ turn }: Run, usage: TokenUsage, untold?: Promise<void>): Promise<void> {
  const { thread } = turn;
  thread.countTokens(usage);
  await Promise.all([untold, thread.record([{ type: "tokenUsage", turnId: turn.id, usage: thread.usage }])]);
  turn.notify("thread/tokenUsage/updated", { threadId: thread.id, turnId: turn.id, tokenUsage: thread.usage });
}

function spend({ id, thread }: RunTurn, { model, modelProvider: provider }: Run["settings"], usage: TokenUsage): void {
  thread.ports.usage?.spent(thread.id, id, { model, provider }, usage);
}

function abortable(waiting: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    waiting.then(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, reject);
  });
}

/** The scripted model: an offline provider that plays a scenario as a real one would, so that clients can be tested without a model. */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { ProviderConfig } from "../core/ports/config.ts";
import type {
  ModelClient,
  ModelEvent,
  ModelFailure,
  ModelFailureKind,
  ModelItem,
  ModelRequest,
  TokenUsage,
} from "../core/ports/model-client.ts";
import { readBoundedText } from "../lib/bounded-read.ts";
import { errorMessage } from "../lib/error-text.ts";
import { cutOff } from "./failures.ts";
import { countOf, isRecord, type Json, numberOf, parseJson, stringOf } from "./json.ts";
import { type Scenario, type ScenarioTurn, type Step, scenarioFromValue } from "./scenario.ts";
import { describeRequest, fill, type RequestFacts, sampleFromSchema, type ToolCallItem, toolCall, unmet } from "./scripted-request.ts";
import { tour } from "./tour.ts";

interface Progress {
  turnId: string;
  turn: ScenarioTurn | undefined;
  step: number;
  /** How many turns without `user` were played. */
  played: number;
  requests: number;
}

const rememberThreads = 256;

export interface ScriptedOptions {
  /** The base folder for a relative scenario path in the config. */
  readonly home: string;
  /** The environment's PARLEY_SCENARIO, used when the provider names none; relative to the working folder. */
  readonly fallbackFile: string | undefined;
}

export class ScriptedModelClient implements ModelClient {
  readonly #provider: ProviderConfig;
  readonly #options: ScriptedOptions;
  readonly #threads = new Map<string, Progress>();
  #loaded: { readonly stamp: string; readonly scenario: Scenario } | undefined;

  constructor(provider: ProviderConfig, options: ScriptedOptions) {
    this.#provider = provider;
    this.#options = options;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    signal.throwIfAborted();
    let scenario: Scenario;
    try {
      scenario = await this.#scenario();
    } catch (error) {
      return yield [{ type: "failed", failure: refusal(errorMessage(error)) }];
    }
    const facts = describeRequest(request);
    const progress = this.#progress(request, scenario, facts);
    progress.requests++;
    yield* new Performance(request, facts, scenario, progress).play(signal);
  }

  #progress(request: ModelRequest, scenario: Scenario, facts: RequestFacts): Progress {
    const known = this.#threads.get(request.threadId);
    if (known?.turnId === request.turnId) return known;
    // A thread seen for the first time may be a resumed one: its earlier turns count as played.
    const played = known?.played ?? (scenario.turns.some((turn) => turn.user !== undefined) ? 0 : facts.earlierTurns);
    // Ids are counted from here, so that a resumed thread's ids are not reused.
    const requests = known?.requests ?? facts.earlierItems;
    const progress: Progress = { turnId: request.turnId, turn: undefined, step: 0, played, requests };
    progress.turn = scenario.turns.find((turn) => turn.user?.test(facts.userText));
    if (progress.turn === undefined) {
      const inOrder = scenario.turns.filter((turn) => turn.user === undefined);
      const at = scenario.loop && inOrder.length > 0 ? progress.played % inOrder.length : progress.played;
      progress.turn = inOrder[at];
      progress.played++;
    }
    this.#threads.delete(request.threadId);
    this.#threads.set(request.threadId, progress);
    if (this.#threads.size > rememberThreads) for (const id of this.#threads.keys()) return this.#forget(id, progress);
    return progress;
  }

  #forget(threadId: string, kept: Progress): Progress {
    this.#threads.delete(threadId);
    return kept;
  }

  async #scenario(): Promise<Scenario> {
    const configured = this.#provider.options["scenario"];
    const given = configured ?? this.#options.fallbackFile;
    if (given === undefined) return tour();
    if (typeof given !== "string") {
      this.#loaded ??= { stamp: "inline", scenario: scenarioFromValue(given, `model_providers.${this.#provider.id}.options.scenario`) };
      return this.#loaded.scenario;
    }
    const file = configured === undefined ? path.resolve(given) : path.resolve(this.#options.home, given);
    const { mtimeMs, size } = await stat(file);
    const stamp = `${file} ${mtimeMs} ${size}`;
    if (this.#loaded?.stamp !== stamp) this.#loaded = { stamp, scenario: scenarioFromValue(await parseFile(file), given) };
    return this.#loaded.scenario;
  }
}

const maxScenarioBytes = 64 * 1024 * 1024;

async function parseFile(file: string): Promise<unknown> {
  const text = await readBoundedText(file, maxScenarioBytes);
  if (file.endsWith(".json")) return parseJson(text);
  const { parse } = await import("yaml");
  return parse(text);
}

/** One model response of a scenario. */
class Performance {
  readonly #request: ModelRequest;
  readonly #facts: RequestFacts;
  readonly #progress: Progress;
  readonly #steps: readonly Step[];
  readonly #ids: string;
  readonly #sampleSchemas: boolean;
  #pace: number;
  #called = false;
  #usage: Json = {};
  #output = 0;
  #items = 0;

  constructor(request: ModelRequest, facts: RequestFacts, scenario: Scenario, progress: Progress) {
    this.#request = request;
    this.#facts = facts;
    this.#progress = progress;
    this.#steps = progress.turn?.steps ?? [];
    this.#pace = scenario.pace;
    this.#sampleSchemas = scenario.sampleSchemas;
    // Counted, not random: a repeated test gets the same ids.
    this.#ids = `${progress.requests}`;
  }

  async *play(signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    yield [{ type: "created", responseId: `resp_${this.#ids}` }];
    if (this.#sampleSchemas && isRecord(this.#request.outputSchema)) {
      yield* this.#message(JSON.stringify(sampleFromSchema(this.#request.outputSchema)), undefined, undefined, signal);
      return yield [{ type: "completed", responseId: `resp_${this.#ids}`, usage: this.#tokens() }];
    }
    if (this.#progress.step >= this.#steps.length) yield* this.#message(this.#closing(), undefined, undefined, signal);
    while (this.#progress.step < this.#steps.length) {
      const step = this.#steps[this.#progress.step];
      if (step === undefined || (this.#called && !isCall(step) && step.kind !== "usage")) break; // steps after a call respond to its result
      this.#progress.step++;
      const failure = yield* this.#perform(step, signal);
      if (failure !== undefined) return yield [{ type: "failed", failure }];
    }
    yield [{ type: "completed", responseId: `resp_${this.#ids}`, usage: this.#tokens() }];
  }

  async *#perform(step: Step, signal: AbortSignal): AsyncGenerator<readonly ModelEvent[], ModelFailure | undefined> {
    switch (step.kind) {
      case "say":
        yield* this.#message(fill(step.text, this.#facts), step.deltas, step.phase, signal);
        return undefined;
      case "reason":
        yield* this.#reasoning(step.summary, step.raw, signal);
        return undefined;
      case "call":
      case "run":
      case "patch":
        this.#called = true;
        yield* this.#toolCall(toolCall(step, this.#facts, `call_${this.#ids}_${this.#items + 1}`), signal);
        return undefined;
      case "search":
        yield this.#search(fill(step.query, this.#facts));
        return undefined;
      case "pause":
        await wait(step.ms, signal);
        return undefined;
      case "pace":
        this.#pace = step.ms;
        return undefined;
      case "usage":
        this.#usage = step.usage;
        return undefined;
      case "warn":
        yield [{ type: "warning", message: fill(step.message, this.#facts) }];
        return undefined;
      case "expect": {
        const problem = unmet(step.expect, this.#facts);
        return problem === undefined ? undefined : refusal(`scenario expectation not met at ${step.at}: ${problem}`);
      }
      case "fail":
        return failureFromStep(step.failure);
      case "disconnect":
        if (step.text !== undefined) yield* this.#brokenMessage(fill(step.text, this.#facts), signal);
        return cutOff("response.completed");
    }
  }

  async *#message(text: string, deltas: number | undefined, phase: "commentary" | "final_answer" | undefined, signal: AbortSignal) {
    const itemId = this.#next("msg");
    const head = { type: "message" as const, id: itemId, role: "assistant", ...(phase === undefined ? {} : { phase }) };
    const pieces = cut(text, deltas).map((delta): ModelEvent => ({ type: "textDelta", itemId, delta }));
    yield [{ type: "itemStarted", itemId, item: { ...head, content: [] } }] satisfies ModelEvent[];
    yield* this.#paced(pieces, signal);
    yield [{ type: "itemDone", itemId, item: { ...head, content: [{ type: "output_text", text }] } }] satisfies ModelEvent[];
    this.#output += text.length;
  }

  /** A message that breaks off after this text. */
  async *#brokenMessage(text: string, signal: AbortSignal) {
    const itemId = this.#next("msg");
    yield [{ type: "itemStarted", itemId, item: { type: "message", id: itemId, role: "assistant", content: [] } }] satisfies ModelEvent[];
    yield* this.#paced(
      cut(text, undefined).map((delta): ModelEvent => ({ type: "textDelta", itemId, delta })),
      signal,
    );
  }

  async *#reasoning(summary: readonly string[], raw: readonly string[], signal: AbortSignal) {
    const itemId = this.#next("rs");
    const content = raw.length === 0 ? {} : { content: raw.map((text) => ({ type: "reasoning_text" as const, text })) };
    const begun: ModelItem = { type: "reasoning", id: itemId, summary: [], ...(raw.length === 0 ? {} : { content: [] }) };
    yield [{ type: "itemStarted", itemId, item: begun }] satisfies ModelEvent[];
    for (const [index, text] of summary.entries()) {
      yield [{ type: "summaryPartAdded", itemId, index }] satisfies ModelEvent[];
      yield* this.#paced(
        cut(text, undefined).map((delta): ModelEvent => ({ type: "summaryDelta", itemId, index, delta })),
        signal,
      );
    }
    for (const [index, text] of raw.entries())
      yield* this.#paced(
        cut(text, undefined).map((delta): ModelEvent => ({ type: "reasoningDelta", itemId, index, delta })),
        signal,
      );
    const item: ModelItem = { type: "reasoning", id: itemId, summary: summary.map((text) => ({ type: "summary_text", text })), ...content };
    yield [{ type: "itemDone", itemId, item }] satisfies ModelEvent[];
  }

  async *#toolCall(item: ToolCallItem, signal: AbortSignal) {
    const itemId = this.#next("fc");
    const text = item.type === "custom_tool_call" ? item.input : item.arguments;
    const begun = item.type === "custom_tool_call" ? { ...item, id: itemId, input: "" } : { ...item, id: itemId, arguments: "" };
    yield [{ type: "itemStarted", itemId, item: begun }] satisfies ModelEvent[];
    yield* this.#paced([{ type: "toolInputDelta", itemId, delta: text }], signal);
    yield [{ type: "itemDone", itemId, item: { ...item, id: itemId } }] satisfies ModelEvent[];
    this.#output += text.length;
  }

  #search(query: string): ModelEvent[] {
    const itemId = this.#next("ws");
    const item: ModelItem = { type: "web_search_call", id: itemId, status: "completed", action: { type: "search", query } };
    return [
      { type: "itemStarted", itemId, item: { type: "web_search_call", id: itemId, status: "in_progress" } },
      { type: "itemDone", itemId, item },
    ];
  }

  async *#paced(events: readonly ModelEvent[], signal: AbortSignal): AsyncGenerator<readonly ModelEvent[]> {
    if (this.#pace === 0) return yield events;
    for (const event of events) {
      await wait(this.#pace, signal);
      yield [event];
    }
  }

  #next(prefix: string): string {
    this.#items++;
    return `${prefix}_${this.#ids}_${this.#items}`;
  }

  #closing(): string {
    return this.#steps.length === 0 ? "(The scenario has no further turn.)" : "(The scenario has no further step for this turn.)";
  }

  /** About four characters a token, unless the scenario says otherwise. */
  #tokens(): TokenUsage {
    const inputTokens = numberOf(this.#usage["input"]) ?? Math.ceil(this.#facts.inputLength / 4);
    const outputTokens = numberOf(this.#usage["output"]) ?? Math.ceil(this.#output / 4);
    return {
      inputTokens,
      cachedInputTokens: countOf(this.#usage["cached"]),
      outputTokens,
      reasoningOutputTokens: countOf(this.#usage["reasoning"]),
      totalTokens: numberOf(this.#usage["total"]) ?? inputTokens + outputTokens,
    };
  }
}

const isCall = (step: Step): boolean => step.kind === "call" || step.kind === "run" || step.kind === "patch";

function cut(text: string, deltas: number | undefined): string[] {
  if (deltas === undefined) return text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text]);
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, deltas)));
  return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
}

const kinds: readonly ModelFailureKind[] = [
  "contextWindowExceeded",
  "usageLimitExceeded",
  "httpConnectionFailed",
  "responseStreamConnectionFailed",
  "responseStreamDisconnected",
  "badRequest",
  "unauthorized",
  "internalServerError",
  "modelNotFound",
  "serverOverloaded",
  "rateLimitExceeded",
  "flexUnavailable",
  "cyberPolicy",
  "other",
];

function failureFromStep(step: Json): ModelFailure {
  const kind = kinds.find((k) => k === step["kind"]);
  const status = numberOf(step["status"]);
  const retry = step["retry"];
  const after = isRecord(retry) ? numberOf(retry["after"]) : undefined;
  return {
    kind: kind ?? "other",
    message: stringOf(step["message"]) ?? `scripted failure: ${String(step["kind"] ?? "other")}`,
    ...(status === undefined ? {} : { httpStatus: status }),
    retry: retry === true || isRecord(retry) ? (after === undefined ? {} : { afterMs: after }) : false,
  };
}

const refusal = (message: string): ModelFailure => ({ kind: "badRequest", message, retry: false });

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Parses the events of the Responses wire. */
import type { IncomingHttpHeaders } from "node:http";
import {
  type ModelEvent,
  type ModelFailure,
  type ModelItem,
  maxCalls,
  type RateLimits,
  type RateLimitWindow,
  type TokenUsage,
} from "../core/ports/model-client.ts";
import { KeptText } from "../lib/kept-text.ts";
import { randomUuid } from "../lib/random.ts";
import { parse } from "../lib/schema.ts";
import { PlanType } from "../protocol/account.ts";
import { ResponseItem } from "../protocol/model-item.ts";
import { cutOff, failureFromEvent } from "./failures.ts";
import { countOf, isRecord, type Json, listOf, numberOf, parseJson, recordOf, stringOf } from "./json.ts";
import type { EventReader } from "./wire.ts";

/** `mapped` converts a started or finished item to the program's internal form. */
export function createResponsesReader(mapped: (item: ModelItem) => ModelItem = (item) => item): EventReader {
  return new ResponsesReader(mapped);
}

class ResponsesReader implements EventReader {
  readonly #mapped: (item: ModelItem) => ModelItem;
  /** Output index → id, for providers that leave out one of them. */
  readonly #ids = new Map<number, string>();
  readonly #started = new Set<string>();
  /** Text of unfinished messages, for servers that never send the finished item. */
  readonly #open = new Map<string, KeptText>();
  /** Calls and reasoning items that have started and are incomplete. */
  readonly #unfinished = new Map<string, ModelItem>();
  /** Ids of items that were passed on complete. */
  readonly #completed = new Set<string>();
  #current = "";
  #unreadable = 0;
  #begunCalls = 0;
  #leftOut = 0;

  constructor(mapped: (item: ModelItem) => ModelItem) {
    this.#mapped = mapped;
  }

  /** Whether this call exceeds the limit for one answer. Checked first: parsing a flood of calls would take seconds. */
  #isTooMany({ item, output_index }: Json): boolean {
    if (this.#begunCalls < maxCalls || !isRecord(item) || !callTypes.has(stringOf(item["type"]) ?? "")) return false;
    const id = stringOf(item["id"]) ?? this.#ids.get(numberOf(output_index) ?? -1);
    return id === undefined || !this.#started.has(id);
  }

  /** The item that an event belongs to. Text without an announced item still gets one. */
  #idOf(event: Json, out: ModelEvent[]): string {
    const known = this.#knownId(event);
    if (known !== "") return known;
    const id = stringOf(event["item_id"]);
    this.#current = id ?? `msg_${randomUuid()}`;
    this.#started.add(this.#current);
    this.#open.set(this.#current, new KeptText());
    out.push({ type: "itemStarted", itemId: this.#current, item: { type: "message", role: "assistant", content: [] } });
    return this.#current;
  }

  #knownId(event: Json): string {
    const id = stringOf(event["item_id"]);
    if (id !== undefined && this.#started.has(id)) return id;
    return this.#ids.get(numberOf(event["output_index"]) ?? -1) ?? (id === undefined ? this.#current : "");
  }

  #begin(event: Json, out: ModelEvent[]): void {
    if (this.#isTooMany(event)) {
      this.#current = "";
      return;
    }
    const item = readItem(event["item"]);
    if (item !== undefined) this.#start(this.#mapped(item), event, out);
  }

  #start(item: ModelItem, event: Json, out: ModelEvent[]): string {
    const index = numberOf(event["output_index"]);
    const id = ("id" in item ? item.id : undefined) ?? (index === undefined ? undefined : this.#ids.get(index)) ?? `item_${randomUuid()}`;
    if (index !== undefined) this.#ids.set(index, id);
    if (this.#started.has(id)) return id;
    this.#started.add(id);
    if (callTypes.has(item.type)) this.#begunCalls++;
    if (item.type === "message") this.#open.set(id, new KeptText());
    else this.#unfinished.set(id, emptied(item));
    this.#current = id;
    out.push({ type: "itemStarted", itemId: id, item: emptied(item) });
    return id;
  }

  #finish(event: Json, out: ModelEvent[]): void {
    if (this.#isTooMany(event)) {
      this.#leftOut++;
      this.#current = "";
      return;
    }
    const item = readItem(event["item"]);
    if (item === undefined) {
      this.#unreadable++;
      out.push({
        type: "warning",
        message: `The provider sent an output item that cannot be read (${kindOf(event["item"])}); it was left out.`,
      });
      return;
    }
    const whole = this.#mapped(item);
    const itemId = this.#start(whole, event, out);
    // a call that is "done" but incomplete was cut; the reason comes with the end of the answer
    if (isCall(whole) && "status" in whole && whole.status === "incomplete") return;
    this.#open.delete(itemId);
    this.#unfinished.delete(itemId);
    this.#completed.add(itemId);
    out.push({ type: "itemDone", itemId, item: whole });
  }

  /** Some servers send their output, or the last part of it, only with the final event. */
  #finishFromEnd(event: Json, out: ModelEvent[]): void {
    const isFlood = this.#leftOut > 0; // its calls were counted as they arrived
    for (const [output_index, value] of listOf(recordOf(event["response"])["output"]).entries()) {
      if (this.#isTooMany({ item: value, output_index })) {
        if (!isFlood) this.#leftOut++;
        continue;
      }
      const id = stringOf(recordOf(value)["id"]) ?? this.#ids.get(output_index);
      const isKnown = id === undefined ? this.#completed.size > 0 || this.#open.size > 0 : this.#completed.has(id) || this.#open.has(id);
      if (isRecord(value) && !isKnown && readItem(value) !== undefined) this.#finish({ item: value, output_index }, out);
    }
  }

  /** The output limit was reached inside a call: true when that ended the answer. */
  #endCut(event: Json, out: ModelEvent[]): boolean {
    const response = recordOf(event["response"]);
    const reason = recordOf(response["incomplete_details"])["reason"];
    const calls = [...this.#unfinished.values()].filter(isCall);
    if (reason !== "max_output_tokens" || calls.length === 0) return false;
    this.#closeOpen(out);
    for (const [itemId, item] of this.#unfinished) out.push({ type: "itemDone", itemId, item: isCall(item) ? withoutInput(item) : item });
    const cut = { callIds: calls.map((call) => call.call_id), maxOutputTokens: numberOf(response["max_output_tokens"]) };
    out.push({ type: "completed", responseId: stringOf(response["id"]) ?? "", usage: usageOf(response["usage"]), cut });
    return true;
  }

  #text(event: Json, delta: string, out: ModelEvent[]): void {
    const itemId = this.#idOf(event, out);
    this.#open.get(itemId)?.add(delta);
    out.push({ type: "textDelta", itemId, delta });
  }

  /** The input of a call beyond the limit is of no use. */
  #toolInput(event: Json, delta: unknown, out: ModelEvent[]): void {
    if (typeof delta !== "string") return;
    const itemId = this.#knownId(event);
    if (itemId !== "") out.push({ type: "toolInputDelta", itemId, delta });
  }

  #closeOpen(out: ModelEvent[]): void {
    if (this.#leftOut > 0) out.push({ type: "callsLeftOut", count: this.#leftOut });
    this.#leftOut = 0;
    for (const [itemId, kept] of this.#open) {
      const item: ModelItem = { type: "message", role: "assistant", content: [{ type: "output_text", text: kept.toString() }] };
      out.push({ type: "itemDone", itemId, item });
    }
  }

  read(data: string, _event: string | undefined, out: ModelEvent[]): boolean {
    const event = parseJson(data);
    if (!isRecord(event)) return false;
    const delta = event["delta"];
    switch (event["type"]) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        if (typeof delta === "string" && delta !== "") this.#text(event, delta, out);
        return false;
      case "response.reasoning_summary_part.added":
        out.push({ type: "summaryPartAdded", itemId: this.#idOf(event, out), index: countOf(event["summary_index"]) });
        return false;
      case "response.reasoning_summary_text.delta":
        if (typeof delta === "string")
          out.push({ type: "summaryDelta", itemId: this.#idOf(event, out), index: countOf(event["summary_index"]), delta });
        return false;
      case "response.reasoning_text.delta":
        if (typeof delta === "string")
          out.push({ type: "reasoningDelta", itemId: this.#idOf(event, out), index: countOf(event["content_index"]), delta });
        return false;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        this.#toolInput(event, delta, out);
        return false;
      case "response.output_item.added":
        this.#begin(event, out);
        return false;
      case "response.output_item.done":
        this.#finish(event, out);
        return false;
      case "response.created":
        out.push({ type: "created", responseId: stringOf(recordOf(event["response"])["id"]) ?? "" });
        return false;
      case "codex.rate_limits":
        out.push({ type: "rateLimits", rateLimits: rateLimitsFromEvent(event) });
        return false;
      case "response.completed":
      case "response.done":
        this.#finishFromEnd(event, out);
        this.#closeOpen(out);
        return readEnd(event, out);
      case "response.incomplete":
        return this.#endCut(event, out) || readEnd(event, out);
      default:
        return readEnd(event, out);
    }
  }

  end(out: ModelEvent[]): void {
    const failure = cutOff("response.completed");
    out.push({ type: "failed", failure: this.#unreadable === 0 ? failure : { ...failure, retry: false } });
  }
}

/** True when the event ends the response. */
function readEnd(event: Json, out: ModelEvent[]): boolean {
  const response = recordOf(event["response"]);
  switch (event["type"]) {
    case "response.completed":
    case "response.done":
      out.push({
        type: "completed",
        responseId: stringOf(response["id"]) ?? "",
        usage: usageOf(response["usage"]),
        ...(response["end_turn"] === false ? { goesOn: true } : {}),
      });
      return true;
    case "response.failed":
      out.push({ type: "failed", failure: failureFromEvent(JSON.stringify({ error: response["error"] ?? event["error"] ?? {} })) });
      return true;
    case "response.incomplete":
      out.push({ type: "failed", failure: incomplete(stringOf(recordOf(response["incomplete_details"])["reason"]) ?? "unknown") });
      return true;
    case "error":
      out.push({ type: "failed", failure: failureFromEvent(JSON.stringify(isRecord(event["error"]) ? { error: event["error"] } : event)) });
      return true;
    default:
      return false;
  }
}

function incomplete(reason: string): ModelFailure {
  return { kind: "other", message: `Incomplete response returned, reason: ${reason}`, retry: false };
}

/** An item as it starts: text arrives as deltas, so text included early would be shown twice. */
function emptied(item: ModelItem): ModelItem {
  if (item.type === "message") return { ...item, content: [] };
  if (item.type === "reasoning") return { ...item, summary: [], ...(item.content == null ? {} : { content: [] }) };
  return item;
}

type CallItem = Extract<ModelItem, { type: "function_call" | "custom_tool_call" }>;
const callTypes: ReadonlySet<string> = new Set(["function_call", "custom_tool_call", "local_shell_call"]);
const isCall = (item: ModelItem): item is CallItem => item.type === "function_call" || item.type === "custom_tool_call";
const withoutInput = (item: CallItem): ModelItem =>
  item.type === "function_call" ? { ...item, arguments: "{}", status: "completed" } : { ...item, input: "", status: "completed" };

export function readItem(value: unknown): ModelItem | undefined {
  if (!isRecord(value)) return undefined;
  return parse(ResponseItem, value["type"] === "message" ? { ...value, content: listOf(value["content"]).map(refusalAsText) } : value);
}

/** A refusal is shown to people as text. */
function refusalAsText(part: unknown): unknown {
  const refusal = isRecord(part) && part["type"] === "refusal" ? part["refusal"] : undefined;
  return typeof refusal === "string" ? { type: "output_text", text: refusal } : part;
}

const kindOf = (item: unknown): string => stringOf(recordOf(item)["type"])?.slice(0, 60) ?? "no type";

export function usageOf(value: unknown): TokenUsage | undefined {
  if (!isRecord(value)) return undefined;
  const inputTokens = countOf(value["input_tokens"]);
  const outputTokens = countOf(value["output_tokens"]);
  const details = recordOf(value["input_tokens_details"]);
  const written = countOf(details["cache_write_tokens"]);
  return {
    inputTokens,
    cachedInputTokens: countOf(details["cached_tokens"]),
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    outputTokens,
    reasoningOutputTokens: countOf(recordOf(value["output_tokens_details"])["reasoning_tokens"]),
    totalTokens: countOf(value["total_tokens"]) || inputTokens + outputTokens,
  };
}

export function rateLimitsFromHeaders(headers: IncomingHttpHeaders): RateLimits | undefined {
  const primary = windowFromHeaders(headers, "primary");
  const secondary = windowFromHeaders(headers, "secondary");
  if (primary === null && secondary === null) return undefined;
  const planType = parse(PlanType, headers["x-codex-plan-type"]);
  return { primary, secondary, ...(planType === undefined ? {} : { planType }) };
}

function windowFromHeaders(headers: IncomingHttpHeaders, name: string): RateLimitWindow | null {
  const usedPercent = numberOf(headers[`x-codex-${name}-used-percent`]);
  if (usedPercent === undefined) return null;
  const after = numberOf(headers[`x-codex-${name}-reset-after-seconds`]);
  return {
    usedPercent,
    windowDurationMins: numberOf(headers[`x-codex-${name}-window-minutes`]) ?? null,
    resetsAt: numberOf(headers[`x-codex-${name}-reset-at`]) ?? (after === undefined ? null : Math.round(Date.now() / 1000 + after)),
  };
}

function rateLimitsFromEvent(event: Json): RateLimits {
  const limits = recordOf(event["rate_limits"]);
  const window = (value: unknown): RateLimitWindow | null =>
    isRecord(value)
      ? {
          usedPercent: numberOf(value["used_percent"]) ?? 0,
          windowDurationMins: numberOf(value["window_minutes"]) ?? null,
          resetsAt: numberOf(value["reset_at"]) ?? null,
        }
      : null;
  return {
    primary: window(limits["primary"]),
    secondary: window(limits["secondary"]),
    planType: parse(PlanType, event["plan_type"]) ?? null,
  };
}

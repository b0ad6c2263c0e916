/** The Messages wire of Anthropic and compatible servers. */
import type { ModelFailure, ModelRequest } from "../core/ports/model-client.ts";
import { createAnthropicReader } from "./anthropic-events.ts";
import { anthropicMessages, type Block } from "./anthropic-history.ts";
import type { CatalogEntry } from "./catalog.ts";
import { transcriptFromItems } from "./convert.ts";
import { nearestEffort } from "./effort.ts";
import { isRecord, type Json, listOf, numberOf } from "./json.ts";
import { outputLimit } from "./output-limit.ts";
import { type FlatTools, flattenTools, type HostedTool } from "./tools.ts";
import type { Lack, Lacks, Wire, WireRequest } from "./wire.ts";

const cache = { cache_control: { type: "ephemeral" } };

export function createAnthropicWire(): Wire {
  return {
    path: "/messages",
    auth: (key) => ({ "x-api-key": key }),
    headers: () => ({ "anthropic-version": "2023-06-01" }),
    encode(request, model, lacks): WireRequest {
      const warnings: string[] = [];
      const flat = flattenTools(request.tools, 128);
      const entries = transcriptFromItems(request.input, warnings);
      const { imageLimits, supportsPdf } = model;
      const history = anthropicMessages({ entries, flat, lacks, imageLimits, takesPdf: supportsPdf, warnings });
      const thinking = thinkingFields(request, model, lacks, history.canThink);
      const most = model.maxOutputTokens ?? 16_000;
      const hosted = lacks.has("hostedTools") ? [] : flat.hosted;
      const rest = JSON.stringify({
        model: request.model,
        ...systemField([request.instructions, ...history.system, ...schemaAsText(request, lacks)]),
        messages: cachedTail(thinking.wanted ? history.messages : withoutThinking(history.messages)),
        ...toolFields(request, flat, hosted),
        ...thinking.fields(most),
        ...outputConfig(request, lacks, thinking.effort),
        metadata: { user_id: request.threadId },
        stream: true,
      });
      // thinking counts towards the output limit, so the limit must be larger than the thinking budget
      const limit = Math.max(outputLimit(model, rest), Math.min(most, thinking.budget(most) + 1024));
      const betas = [
        ...(thinking.budget(most) > 0 ? ["interleaved-thinking-2025-05-14"] : []),
        ...(hosted.some((tool) => tool.type === "web_fetch") ? ["web-fetch-2025-09-10"] : []),
      ];
      return {
        body: `{"max_tokens":${limit},${rest.slice(1)}`,
        ...(betas.length === 0 ? {} : { headers: { "anthropic-beta": betas.join(",") } }),
        warnings,
        toolNames: [...flat.requestNames, ...hosted.map(({ type }) => type)],
        reader: createAnthropicReader(flat, limit),
      };
    },
    headerEvents: () => [],
    lacksFrom: (failure) => [lackFrom(failure) ?? []].flat(),
  };
}

/** The stable prefix of the request ends in a cache marker. */
function systemField(parts: readonly string[]): Record<string, unknown> {
  const texts = parts.filter((part) => part !== "");
  if (texts.length === 0) return {};
  return { system: texts.map((text, i) => ({ type: "text", text, ...(i === texts.length - 1 ? cache : {}) })) };
}

function toolFields(request: ModelRequest, flat: FlatTools, hosted: readonly HostedTool[]): Record<string, unknown> {
  const own = flat.tools.map(
    ({ name, description, parameters }): Json => ({ name, description, input_schema: { type: "object", ...parameters } }),
  );
  const tools = [...own, ...hosted.map(hostedTool)];
  if (tools.length === 0) return {};
  const choice = request.toolChoice ?? "auto";
  return {
    tools: tools.map((tool, i) => (i === tools.length - 1 ? { ...tool, ...cache } : tool)),
    tool_choice: { type: choice, ...(request.parallelToolCalls || choice === "none" ? {} : { disable_parallel_tool_use: true }) },
  };
}

/** The search options use the Responses wire's names; those without an equivalent here are left out. */
function hostedTool({ type, options = {} }: HostedTool): Json {
  const domains = listOf(isRecord(options["filters"]) ? options["filters"]["allowed_domains"] : undefined);
  const uses = numberOf(options["max_uses"]) ?? 8;
  const common = { name: type, max_uses: uses, ...(domains.length === 0 ? {} : { allowed_domains: domains }) };
  if (type === "web_fetch")
    return { type: "web_fetch_20250910", ...common, max_content_tokens: numberOf(options["max_content_tokens"]) ?? 20_000 };
  const place = options["user_location"];
  return { type: "web_search_20250305", ...common, ...(isRecord(place) ? { user_location: place } : {}) };
}

/** Marks the end of the conversation and of the last turn before it, so that the next request reads this one from the cache. */
function cachedTail(messages: readonly { role: string; content: Block[] }[]): unknown[] {
  const users = messages.flatMap((message, i) => (message.role === "user" ? [i] : []));
  const marked = new Set(users.slice(-2));
  return messages.map((message, i) => {
    const last = message.content.at(-1);
    if (!marked.has(i) || last === undefined) return message;
    return { ...message, content: [...message.content.slice(0, -1), { ...last, ...cache }] };
  });
}

function withoutThinking(messages: readonly { role: string; content: Block[] }[]): { role: string; content: Block[] }[] {
  return messages
    .map((message) => ({
      ...message,
      content: message.content.filter((block) => block.type !== "thinking" && block.type !== "redacted_thinking"),
    }))
    .filter((message) => message.content.length > 0);
}

interface Thinking {
  readonly wanted: boolean;
  readonly effort: string | undefined;
  fields(maxTokens: number): Record<string, unknown>;
  /** Tokens reserved for thinking; 0 where the model decides itself. */
  budget(maxTokens: number): number;
}

const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 12_000,
  high: 24_000,
  xhigh: 32_000,
  max: 32_000,
  ultra: 32_000,
};

/** New models think as much as their effort allows; older ones get a budget. A tool loop that began without thinking cannot continue with it. */
function thinkingFields(request: ModelRequest, model: CatalogEntry, lacks: Lacks, canThink: boolean): Thinking {
  const off = lacks.has("thinking") || request.effort === "none";
  if (!off && model.thinking === "adaptive") {
    const effort = request.effort === undefined || lacks.has("reasoningEffort") ? undefined : nearestEffort(request.effort, model);
    // newer models show no thinking unless requested
    const display = lacks.has("thinkingDisplay") ? {} : { display: request.summary === "none" ? "omitted" : "summarized" };
    return { wanted: true, effort, fields: () => ({ thinking: { type: "adaptive", ...display } }), budget: () => 0 };
  }
  // other vendors' servers on this wire use the effort; one that does not support it returns an error
  const effort =
    model.known || request.effort === undefined || lacks.has("reasoningEffort") ? undefined : nearestEffort(request.effort, model);
  if (!off && (model.thinking === "budget" || !model.known) && request.effort !== undefined && canThink) {
    const wantedBudget = budgets[request.effort] ?? 12_000;
    const budget = (maxTokens: number): number => Math.max(1024, Math.min(wantedBudget, maxTokens - 4096));
    return { wanted: true, effort, fields: (maxTokens) => ({ thinking: { type: "enabled", budget_tokens: budget(maxTokens) } }), budget };
  }
  return { wanted: false, effort, fields: () => ({}), budget: () => 0 };
}

function outputConfig(request: ModelRequest, lacks: Lacks, effort: string | undefined): Record<string, unknown> {
  const format =
    isRecord(request.outputSchema) && !lacks.has("outputSchema") ? { type: "json_schema", schema: request.outputSchema } : undefined;
  if (format === undefined && effort === undefined) return {};
  return { output_config: { ...(effort === undefined ? {} : { effort }), ...(format === undefined ? {} : { format }) } };
}

function schemaAsText(request: ModelRequest, lacks: Lacks): string[] {
  if (!isRecord(request.outputSchema) || !lacks.has("outputSchema")) return [];
  return [
    `Your final answer must be one JSON value that fits this JSON Schema, with nothing around it:\n${JSON.stringify(request.outputSchema)}`,
  ];
}

function lackFrom(failure: ModelFailure): Lack | undefined {
  if (failure.kind !== "badRequest") return undefined;
  const text = `${failure.message} ${failure.details ?? ""}`;
  if (/web_search|web_fetch/i.test(text)) return "hostedTools";
  if (/display/i.test(text) && /thinking/i.test(text)) return "thinkingDisplay";
  if (/expected `?thinking`?|signature.*thinking|thinking.*(?:not support|invalid|unsupported|cannot be modified)|adaptive/i.test(text))
    return "thinking";
  if (/effort/i.test(text) && /not support|unsupported|extra inputs|not permitted/i.test(text)) return "reasoningEffort";
  if (/output_config|output_format|structured/i.test(text)) return "outputSchema";
  if (/\bpdf\b|document/i.test(text) && /not support|unsupported/i.test(text)) return "pdf";
  if (/image/i.test(text) && /(?:not|n't) support|unsupported input/i.test(text)) return "images";
  return undefined;
}

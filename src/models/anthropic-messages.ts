/** The Messages wire of Anthropic, and of the servers that speak it. */
import type { ModelFailure, ModelRequest } from "../core/ports/model-client.ts";
import { createAnthropicReader } from "./anthropic-events.ts";
import { anthropicMessages, type Block } from "./anthropic-history.ts";
import type { CatalogEntry } from "./catalog.ts";
import { transcriptFromItems } from "./convert.ts";
import { nearestEffort } from "./effort.ts";
import { isRecord } from "./json.ts";
import { type FlatTools, flattenTools } from "./tools.ts";
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
      const history = anthropicMessages({ entries, flat, lacks, warnings });
      const thinking = thinkingFields(request, model, lacks, history.canThink);
      const maxTokens = model.maxOutputTokens ?? 16_000;
      const body = JSON.stringify({
        model: request.model,
        max_tokens: maxTokens,
        ...systemField([request.instructions, ...history.system, ...schemaInWords(request, lacks)]),
        messages: cachedTail(thinking.wanted ? history.messages : withoutThinking(history.messages)),
        ...toolFields(request, flat),
        ...thinking.fields(maxTokens),
        ...outputConfig(request, lacks, thinking.effort),
        metadata: { user_id: request.threadId },
        stream: true,
      });
      return { body, warnings, reader: createAnthropicReader(flat) };
    },
    greet: () => [],
    lackFrom,
  };
}

/** The prefix that stays the same from request to request ends in a cache mark. */
function systemField(parts: readonly string[]): Record<string, unknown> {
  const texts = parts.filter((part) => part !== "");
  if (texts.length === 0) return {};
  return { system: texts.map((text, i) => ({ type: "text", text, ...(i === texts.length - 1 ? cache : {}) })) };
}

function toolFields(request: ModelRequest, flat: FlatTools): Record<string, unknown> {
  if (flat.tools.length === 0) return {};
  const last = flat.tools.length - 1;
  return {
    tools: flat.tools.map(({ name, description, parameters }, i) => ({
      name,
      description,
      input_schema: { type: "object", ...parameters },
      ...(i === last ? cache : {}),
    })),
    tool_choice: { type: "auto", ...(request.parallelToolCalls ? {} : { disable_parallel_tool_use: true }) },
  };
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

/** New models think as much as their effort allows; older ones get a budget. A tool loop that began without thoughts cannot go on with them. */
function thinkingFields(request: ModelRequest, model: CatalogEntry, lacks: Lacks, canThink: boolean): Thinking {
  const off = lacks.has("thinking") || request.effort === "none";
  if (!off && model.thinking === "adaptive") {
    const effort = request.effort === undefined || lacks.has("reasoningEffort") ? undefined : nearestEffort(request.effort, model);
    // newer models show nothing unless asked to
    const display = lacks.has("thinkingDisplay") ? {} : { display: request.summary === "none" ? "omitted" : "summarized" };
    return { wanted: true, effort, fields: () => ({ thinking: { type: "adaptive", ...display } }) };
  }
  // servers of other makers that speak this wire go by the effort; one that does not know it says so
  const effort =
    model.known || request.effort === undefined || lacks.has("reasoningEffort") ? undefined : nearestEffort(request.effort, model);
  if (!off && (model.thinking === "budget" || !model.known) && request.effort !== undefined && canThink) {
    const wished = budgets[request.effort] ?? 12_000;
    const budget = (maxTokens: number): number => Math.max(1024, Math.min(wished, maxTokens - 4096));
    return { wanted: true, effort, fields: (maxTokens) => ({ thinking: { type: "enabled", budget_tokens: budget(maxTokens) } }) };
  }
  return { wanted: false, effort, fields: () => ({}) };
}

function outputConfig(request: ModelRequest, lacks: Lacks, effort: string | undefined): Record<string, unknown> {
  const format =
    isRecord(request.outputSchema) && !lacks.has("outputSchema") ? { type: "json_schema", schema: request.outputSchema } : undefined;
  if (format === undefined && effort === undefined) return {};
  return { output_config: { ...(effort === undefined ? {} : { effort }), ...(format === undefined ? {} : { format }) } };
}

function schemaInWords(request: ModelRequest, lacks: Lacks): string[] {
  if (!isRecord(request.outputSchema) || !lacks.has("outputSchema")) return [];
  return [
    `Your final answer must be one JSON value that fits this JSON Schema, with nothing around it:\n${JSON.stringify(request.outputSchema)}`,
  ];
}

function lackFrom(failure: ModelFailure): Lack | undefined {
  if (failure.kind !== "badRequest") return undefined;
  const text = `${failure.message} ${failure.details ?? ""}`;
  if (/display/i.test(text) && /thinking/i.test(text)) return "thinkingDisplay";
  if (/expected `?thinking`?|signature.*thinking|thinking.*(?:not support|invalid|unsupported|cannot be modified)|adaptive/i.test(text))
    return "thinking";
  if (/effort/i.test(text) && /not support|unsupported|extra inputs|not permitted/i.test(text)) return "reasoningEffort";
  if (/output_config|output_format|structured/i.test(text)) return "outputSchema";
  if (/image/i.test(text) && /not support|unsupported/i.test(text)) return "images";
  return undefined;
}

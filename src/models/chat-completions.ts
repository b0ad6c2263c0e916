/** The Chat Completions wire: Gemini, OpenRouter, Groq, Mistral, DeepSeek, Ollama, LM Studio, llama.cpp, vLLM and every server like them. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelFailure, ModelRequest } from "../core/ports/model-client.ts";
import type { CatalogEntry } from "./catalog.ts";
import { takesCacheMarks, withCacheMarks } from "./chat-cache.ts";
import { createChatReader } from "./chat-events.ts";
import { chatMessages } from "./chat-messages.ts";
import { transcriptFromItems } from "./convert.ts";
import { nearestEffort } from "./effort.ts";
import { bearer } from "./http-client.ts";
import { isRecord, listOf, parseJson, recordOf } from "./json.ts";
import { bareName, factsProvider } from "./model-names.ts";
import { outputLimit } from "./output-limit.ts";
import { flattenTools } from "./tools.ts";
import type { Lack, Lacks, Wire, WireRequest } from "./wire.ts";

/** Instructions and tools alone take about this many tokens. */
const smallWindow = 12_000;

export function createChatWire(provider: ProviderConfig): Wire {
  const at = factsProvider(provider);
  const isOpenai = /^https:\/\/api\.openai\.com\//.test(provider.baseUrl);
  return {
    path: "/chat/completions",
    auth: bearer,
    headers: (request) => ({ originator: request.originator, ...(/openrouter\.ai/.test(provider.baseUrl) ? { "x-title": "Parley" } : {}) }),
    encode(request, model, learnt): WireRequest {
      const warnings: string[] = [];
      const lacks = withFamilyLacks(request.model, at, learnt);
      if (model.contextWindow < smallWindow)
        warnings.push(`The window of ${request.model} is small (${model.contextWindow} tokens); long work will be summarized often.`);
      const flat = flattenTools(request.tools);
      const entries = transcriptFromItems(request.input, warnings);
      const written = chatMessages({ request, model, lacks, flat, entries, warnings });
      const tools = toolFields(request, flat.tools, lacks, warnings);
      const isCached = takesCacheMarks(request.model, at) && !lacks.has("cacheControl");
      const rest = JSON.stringify({
        model: request.model,
        ...(isCached ? withCacheMarks(written, tools) : { messages: written, ...tools }),
        stream: true,
        ...(lacks.has("streamOptions") ? {} : { stream_options: { include_usage: true } }),
        ...reasoningFields(request, model, lacks),
        ...schemaField(request, lacks),
        ...(isOpenai ? { prompt_cache_key: request.threadId } : {}),
        ...verbosityField(request, model, isOpenai && !lacks.has("verbosity")),
        ...(isOpenai && request.serviceTier !== undefined
          ? { service_tier: request.serviceTier === "fast" ? "priority" : request.serviceTier }
          : {}),
        ...extraBody(provider),
      });
      const limit = lacks.has("maxTokens") || hasOwnLimit(provider) ? undefined : outputLimit(model, rest);
      const body = limit === undefined ? rest : `${rest.slice(0, -1)},"${limitField(at)}":${limit}}`;
      const textTools = lacks.has("tools") && flat.tools.length > 0;
      return { body, warnings, toolNames: flat.requestNames, reader: createChatReader(flat, textTools, limit), isWholeAnswer };
    },
    headerEvents: () => [],
    lacksFrom,
  };
}

function toolFields(
  request: ModelRequest,
  tools: readonly { readonly name: string; readonly description: string; readonly parameters: unknown }[],
  lacks: Lacks,
  warnings: string[],
): Record<string, unknown> {
  if (tools.length === 0) return {};
  if (lacks.has("tools")) {
    warnings.push("This model has no tool calls of its own; tools are described to it as text, which is less reliable.");
    return {};
  }
  return {
    tools: tools.map((tool) => ({ type: "function", function: tool })),
    tool_choice: request.toolChoice ?? "auto",
    // true is the default of servers that know the field
    ...(request.parallelToolCalls || lacks.has("parallelToolCalls") ? {} : { parallel_tool_calls: false }),
  };
}

function reasoningFields(request: ModelRequest, model: CatalogEntry, lacks: Lacks): Record<string, unknown> {
  if (request.effort === undefined || lacks.has("reasoningEffort")) return {};
  if (model.known && model.efforts.length === 0) return {};
  return { reasoning_effort: nearestEffort(request.effort, model) };
}

function verbosityField(request: ModelRequest, model: CatalogEntry, isTaken: boolean): Record<string, unknown> {
  const verbosity = request.verbosity ?? model.defaultVerbosity;
  return isTaken && verbosity !== undefined ? { verbosity } : {};
}

const isWholeAnswer = (json: string): boolean => isRecord(recordOf(listOf(recordOf(parseJson(json))["choices"])[0])["message"]);

/** Behaviour of whole model families that no list reports: recognized by their names. */
function withFamilyLacks(model: string, provider: string | undefined, lacks: Lacks): Lacks {
  const name = bareName(model);
  const own: Lack[] = [];
  if (provider === "mistral" || /^(?:open-)?(?:mi[sx]tral|ministral|magistral|codestral|devstral|pixtral)/.test(name))
    own.push("freeCallIds", "freeRoles");
  if (/^(?:meta-)?llama-?3/.test(name)) own.push("severalCalls");
  return own.length === 0 ? lacks : new Set([...lacks, ...own]);
}

/** Servers for GPT models use the limit's newer name, and some refuse the older one. */
const limitField = (provider: string | undefined): string =>
  provider === "openai" || provider === "azure" || provider === "groq" || provider === "cerebras" ? "max_completion_tokens" : "max_tokens";

/** The user's own `extra_body` wins if it sets the limit. */
function hasOwnLimit(provider: ProviderConfig): boolean {
  const extra = extraBody(provider);
  return "max_tokens" in extra || "max_completion_tokens" in extra;
}

function schemaField(request: ModelRequest, lacks: Lacks): Record<string, unknown> {
  if (!isRecord(request.outputSchema) || lacks.has("outputSchema")) return {};
  return {
    response_format: { type: "json_schema", json_schema: { name: "codex_output_schema", strict: true, schema: request.outputSchema } },
  };
}

/** `extra_body` of the provider's table: fields that only one server supports (Ollama's options, a router's preferences). */
function extraBody(provider: ProviderConfig): Record<string, unknown> {
  const extra = provider.options["extra_body"];
  return isRecord(extra) ? { ...extra } : {};
}

function lacksFrom(failure: ModelFailure, request: ModelRequest): readonly Lack[] {
  if (failure.kind !== "badRequest" && failure.kind !== "internalServerError") return [];
  const text = `${failure.message} ${failure.details ?? ""}`;
  // A strictly alternating template may not support tool messages either.
  if (/roles must alternate|unexpected role '?user'? after role|tool role/i.test(text)) return ["freeRoles", "tools"];
  return [lackFrom(text, request) ?? []].flat();
}

function lackFrom(text: string, request: ModelRequest): Lack | undefined {
  const refused =
    /not support|unsupported|not allowed|not permitted|unrecognized|unknown (?:field|param|arg)|extra (?:inputs|fields)|unexpected|invalid (?:field|param)|no endpoints found/i;
  if (
    request.tools.length > 0 &&
    /--jinja|does not support tools|support tool (?:use|call)|tools? (?:is|are) not supported|tool choice requires/i.test(text)
  )
    return "tools";
  if (/tool[_ -]?call[_ -]?ids?\b.*(?:length|9|alphanumeric|a-z)/i.test(text)) return "freeCallIds";
  if (/system role not supported|system role is not supported|does not support (?:the )?system/i.test(text)) return "systemRole";
  if (/max_(?:completion_)?tokens\S* (?:is too large|must be at least)/i.test(text)) return "maxTokens";
  if (/reasoning_effort error/i.test(text)) return "reasoningEffort";
  if (/(?:single|one) tool[- ]calls?\b|tool[- ]calls? at once|multiple tool[- ]calls/i.test(text)) return "severalCalls";
  if (!refused.test(text)) return undefined;
  if (/cache_control/i.test(text)) return "cacheControl";
  if (/max_(?:completion_)?tokens/i.test(text)) return "maxTokens";
  if (/\bpdf\b|type.{0,4}file/i.test(text)) return "pdf";
  if (/stream_options/i.test(text)) return "streamOptions";
  if (/parallel_tool_calls/i.test(text)) return "parallelToolCalls";
  if (/reasoning_effort|reasoning effort|thinking/i.test(text)) return "reasoningEffort";
  if (/response_format|json_schema|structured/i.test(text)) return "outputSchema";
  if (/verbosity/i.test(text)) return "verbosity";
  if (/image|vision|multimodal|mmproj/i.test(text)) return "images";
  // A chat template that fails on one message has not refused tools as such.
  if (/jinja|template|raise_exception/i.test(text)) return undefined;
  return request.tools.length > 0 && /\btools?\b|function call/i.test(text) ? "tools" : undefined;
}

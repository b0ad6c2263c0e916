/** The Chat Completions wire: Gemini, OpenRouter, Groq, Mistral, DeepSeek, Ollama, LM Studio, llama.cpp, vLLM and every server like them. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelFailure, ModelRequest } from "../core/ports/model-client.ts";
import type { CatalogEntry } from "./catalog.ts";
import { createChatReader } from "./chat-events.ts";
import { chatMessages } from "./chat-messages.ts";
import { transcriptFromItems } from "./convert.ts";
import { nearestEffort } from "./effort.ts";
import { bearer } from "./http-client.ts";
import { isRecord } from "./json.ts";
import { flattenTools } from "./tools.ts";
import type { Lack, Lacks, Wire, WireRequest } from "./wire.ts";

/** Instructions and tools alone take about this many tokens. */
const smallWindow = 12_000;

export function createChatWire(provider: ProviderConfig): Wire {
  const isOpenai = /^https:\/\/api\.openai\.com\//.test(provider.baseUrl);
  return {
    path: "/chat/completions",
    auth: bearer,
    headers: (request) => ({ originator: request.originator, ...(/openrouter\.ai/.test(provider.baseUrl) ? { "x-title": "Parley" } : {}) }),
    encode(request, model, lacks): WireRequest {
      const warnings: string[] = [];
      if (model.contextWindow < smallWindow)
        warnings.push(`The window of ${request.model} is small (${model.contextWindow} tokens); long work will be summarized often.`);
      const flat = flattenTools(request.tools);
      const entries = transcriptFromItems(request.input, warnings);
      const messages = chatMessages({ request, model, lacks, flat, entries, warnings });
      const body = JSON.stringify({
        model: request.model,
        messages,
        ...toolFields(request, flat.tools, lacks, warnings),
        stream: true,
        ...(lacks.has("streamOptions") ? {} : { stream_options: { include_usage: true } }),
        ...reasoningFields(request, model, lacks),
        ...schemaField(request, lacks),
        ...(isOpenai ? { prompt_cache_key: request.threadId } : {}),
        ...(isOpenai && request.verbosity !== undefined && !lacks.has("verbosity") ? { verbosity: request.verbosity } : {}),
        ...(isOpenai && request.serviceTier !== undefined
          ? { service_tier: request.serviceTier === "fast" ? "priority" : request.serviceTier }
          : {}),
        ...extraBody(provider),
      });
      return { body, warnings, reader: createChatReader(flat, lacks.has("tools") && flat.tools.length > 0) };
    },
    greet: () => [],
    lackFrom,
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
    tool_choice: "auto",
    // true is the default of servers that know the field
    ...(request.parallelToolCalls || lacks.has("parallelToolCalls") ? {} : { parallel_tool_calls: false }),
  };
}

function reasoningFields(request: ModelRequest, model: CatalogEntry, lacks: Lacks): Record<string, unknown> {
  if (request.effort === undefined || lacks.has("reasoningEffort")) return {};
  if (model.known && model.efforts.length === 0) return {};
  return { reasoning_effort: nearestEffort(request.effort, model) };
}

function schemaField(request: ModelRequest, lacks: Lacks): Record<string, unknown> {
  if (!isRecord(request.outputSchema) || lacks.has("outputSchema")) return {};
  return { response_format: { type: "json_schema", json_schema: { name: "final_answer", strict: true, schema: request.outputSchema } } };
}

/** `extra_body` of the provider's table: fields that only one server knows (Ollama's options, a router's preferences). */
function extraBody(provider: ProviderConfig): Record<string, unknown> {
  const extra = provider.options["extra_body"];
  return isRecord(extra) ? { ...extra } : {};
}

function lackFrom(failure: ModelFailure, request: ModelRequest): Lack | undefined {
  if (failure.kind !== "badRequest" && failure.kind !== "internalServerError") return undefined;
  const text = `${failure.message} ${failure.details ?? ""}`;
  const refused =
    /not support|unsupported|not allowed|not permitted|unrecognized|unknown (?:field|param|arg)|extra (?:inputs|fields)|unexpected|invalid (?:field|param)|no endpoints found/i;
  if (
    request.tools.length > 0 &&
    /--jinja|does not support tools|support tool (?:use|call)|tools? (?:is|are) not supported|tool choice requires/i.test(text)
  )
    return "tools";
  if (!refused.test(text)) return undefined;
  if (/stream_options/i.test(text)) return "streamOptions";
  if (/parallel_tool_calls/i.test(text)) return "parallelToolCalls";
  if (/reasoning_effort|reasoning effort|thinking/i.test(text)) return "reasoningEffort";
  if (/response_format|json_schema|structured/i.test(text)) return "outputSchema";
  if (/verbosity/i.test(text)) return "verbosity";
  if (/image|vision|multimodal|mmproj/i.test(text)) return "images";
  return request.tools.length > 0 && /\btools?\b|function call/i.test(text) ? "tools" : undefined;
}

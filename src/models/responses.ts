/** The Responses wire: items are sent and received in their stored form, so nothing is converted. */
import type { IncomingHttpHeaders } from "node:http";
import type { ModelFailure, ModelItem, ModelRequest, ToolSpec } from "../core/ports/model-client.ts";
import { oneByte } from "../lib/one-byte.ts";
import type { CatalogEntry } from "./catalog.ts";
import { foreignReasoning, isSealed, sealedSummary, withoutImages } from "./convert.ts";
import { bearer } from "./http-client.ts";
import { bareName } from "./model-names.ts";
import { createResponsesReader, rateLimitsFromHeaders } from "./responses-events.ts";
import { isPlain, isSent, plainRequest, wireItem, withFiles } from "./responses-items.ts";
import { type InstallationId, metadataField, metadataHeaders, type RequestIds, requestIds } from "./turn-metadata.ts";
import type { Lack, Lacks, Wire, WireRequest } from "./wire.ts";

/**
 * Serialized items are cached while their items live: a long history is serialized for every request.
 * Long items are not cached; they are cheap for their size, and would double the memory of their thread.
 */
const keepUpTo = 16 * 1024;

class ItemTexts {
  readonly #known = new WeakMap<ModelItem, string>();
  /** Of those, what every model and provider gets alike: nearly all of a long history, which is then only looked up. */
  readonly #plain = new WeakMap<ModelItem, string>();

  of(item: ModelItem): string {
    const known = this.#known.get(item);
    if (known !== undefined) return known;
    const made = JSON.stringify(wireItem(item));
    if (made.length > keepUpTo) return made;
    const text = oneByte(made);
    this.#known.set(item, text);
    if (isPlain(item)) this.#plain.set(item, text);
    return text;
  }

  /** The input of a request. */
  input({ input }: ModelRequest, model: CatalogEntry, lacks: Lacks, warnings: string[]): readonly string[] {
    const known: (string | undefined)[] = [];
    const others: ModelItem[] = [];
    for (const item of input) {
      const text = this.#plain.get(item);
      known.push(text);
      if (text === undefined) others.push(item);
    }
    const texts = this.#writtenFor(others, model, lacks, warnings);
    let next = 0;
    const written: string[] = [];
    for (const each of known) {
      const text = each ?? texts[next++];
      if (text !== undefined) written.push(text);
    }
    return written;
  }

  /** What this model and provider get of each of these items; undefined where they get nothing. */
  #writtenFor(wanted: readonly ModelItem[], model: CatalogEntry, lacks: Lacks, warnings: string[]): readonly (string | undefined)[] {
    const seen = lacks.has("images") ? withoutImages(wanted, warnings) : wanted;
    const history = withFiles(seen, model.supportsPdf && !lacks.has("pdf"), warnings);
    if (history.some((item) => item.type === "reasoning" && isSealed(item.encrypted_content))) warnings.push(foreignReasoning);
    if (lacks.has("encryptedReasoning"))
      warnings.push("The provider could not read the earlier reasoning of this thread; it was left out.");
    const isReadable = model.compactsRemotely && !lacks.has("encryptedReasoning");
    return history.map((item) => (isSent(item, lacks) ? this.of(isReadable ? item : withoutSeal(item)) : undefined));
  }
}

export function createResponsesWire(installationId: InstallationId = () => undefined): Wire {
  const items = new ItemTexts();
  let known: RequestIds | undefined;
  /** Made with the first request: a start must not load what only turns need. */
  const ids = (): RequestIds => {
    known ??= requestIds(installationId);
    return known;
  };
  const tools = new WeakMap<ToolSpec, string>();

  /** Thousands of characters that are the same in every request of most threads. */
  let lastInstructions = { of: "", text: "" };
  function instructionsField(instructions: string): string {
    if (instructions === "") return "";
    if (lastInstructions.of !== instructions)
      lastInstructions = { of: instructions, text: oneByte(`"instructions":${JSON.stringify(instructions)},`) };
    return lastInstructions.text;
  }

  /** The last request's, which the next one nearly always has too. */
  let lastList: { readonly parts: readonly string[]; readonly text: string } | undefined;

  function toolList(request: ModelRequest): string {
    const parts = request.tools.filter(isTaken).map((tool) => {
      let text = tools.get(tool);
      if (text === undefined) {
        text = oneByte(JSON.stringify(wireTool(tool)));
        tools.set(tool, text);
      }
      return text;
    });
    const last = lastList;
    if (last !== undefined && last.parts.length === parts.length && parts.every((part, i) => part === last.parts[i])) return last.text;
    lastList = { parts, text: `[${parts.join(",")}]` };
    return lastList.text;
  }

  return {
    path: "/responses",
    auth: bearer,
    headers: (request) => ({ ...threadHeaders(request), ...metadataHeaders(request, ids()) }),
    encode(request, model, lacks): WireRequest {
      const warnings: string[] = [];
      const rest = JSON.stringify(settings(request, model, lacks, warnings));
      const wanted = `"model":${JSON.stringify(request.model)},${instructionsField(request.instructions)}`;
      const plain = lacks.has("freeformTools") ? plainRequest(request) : undefined;
      const sent = plain?.request ?? request;
      const parts = { settings: `${wanted}${rest.slice(1, -1)}`, tools: toolList(sent), items: items.input(sent, model, lacks, warnings) };
      const toolNames = sent.tools.filter(isTaken).map((tool) => ("name" in tool ? tool.name : tool.type));
      return {
        body: `{${parts.settings},"input":[${parts.items.join(",")}],"tools":${parts.tools}}`,
        parts: {
          ...parts,
          metadata: () => metadataField(request, ids()),
          textOf: (item) => (isSent(item, lacks) ? items.of(item) : undefined),
        },
        warnings,
        toolNames,
        reader: createResponsesReader(plain?.callIn),
      };
    },
    headerEvents(request, headers) {
      const rateLimits = rateLimitsFromHeaders(headers);
      const other = otherModel(request.model, headers);
      return [
        ...(rateLimits === undefined ? [] : [{ type: "rateLimits" as const, rateLimits }]),
        ...(other === undefined ? [] : [{ type: "rerouted" as const, model: other }]),
      ];
    },
    lacksFrom: (failure, request) => [lackFrom(failure, request) ?? []].flat(),
  };
}

const threadHeaders = ({ originator, threadId }: ModelRequest): Readonly<Record<string, string>> => ({
  originator,
  session_id: threadId,
  "session-id": threadId,
  "thread-id": threadId,
  "x-client-request-id": threadId,
});

function lackFrom(failure: ModelFailure, request: ModelRequest): Lack | undefined {
  if (failure.kind !== "badRequest") return undefined;
  const text = `${failure.message} ${failure.details ?? ""}`;
  const isFree = request.tools.some((tool) => tool.type !== "function") || request.input.some((item) => item.type === "custom_tool_call");
  if (isFree && /tool/i.test(text) && /\bcustom|namespace|grammar|web_search/i.test(text)) return "freeformTools";
  if (/invalid_encrypted_content|encrypted content .*could not be/i.test(text)) return "encryptedReasoning";
  if (/image/i.test(text) && /not support|unsupported|does not accept|invalid.*input_image/i.test(text)) return "images";
  if (/verbosity/i.test(text) && /not support|unsupported|unknown/i.test(text)) return "verbosity";
  if (/reasoning\.summary|reasoning summar|organization must be verified/i.test(text)) return "reasoningSummary";
  if (/reasoning\.context/i.test(text)) return "reasoningContext";
  if (/input_file|\bpdf\b/i.test(text) && /not support|unsupported|invalid|unknown/i.test(text)) return "pdf";
  if (/reasoning/i.test(text) && /not support|unsupported|unknown param/i.test(text)) return "reasoningEffort";
  return undefined;
}

/** All but the model and its instructions. */
function settings(request: ModelRequest, model: CatalogEntry, lacks: Lacks, warnings: string[]): Record<string, unknown> {
  const reasoning = reasoningField(request, model, lacks, warnings);
  const verbosity = lacks.has("verbosity") ? undefined : (request.verbosity ?? model.defaultVerbosity);
  const text = {
    ...(verbosity === undefined ? {} : { verbosity }),
    ...(request.outputSchema === undefined || request.outputSchema === null
      ? {}
      : { format: { type: "json_schema", name: "codex_output_schema", strict: true, schema: request.outputSchema } }),
  };
  return {
    tool_choice: request.toolChoice ?? "auto",
    parallel_tool_calls: request.parallelToolCalls,
    reasoning,
    store: false,
    stream: true,
    include: reasoning === null ? [] : ["reasoning.encrypted_content"],
    prompt_cache_key: request.threadId,
    ...(Object.keys(text).length === 0 ? {} : { text }),
    ...(request.serviceTier === undefined ? {} : { service_tier: request.serviceTier === "fast" ? "priority" : request.serviceTier }),
  };
}

/** A history sealed by another provider or account would be refused; the model gets a note that it is missing. */
function withoutSeal(item: ModelItem): ModelItem {
  return item.type === "compaction" || item.type === "context_compaction" ? unreadable : item;
}
const unreadable: ModelItem = { type: "message", role: "user", content: [{ type: "input_text", text: sealedSummary }] };

/** As in Codex: an effort, no summary unless requested, and for the newest models the reasoning of all turns. */
function reasoningField(request: ModelRequest, model: CatalogEntry, lacks: Lacks, warnings: string[]): Record<string, unknown> | null {
  const requestedSummary = request.summary === "none" || (model.known && !model.supportsReasoningSummaries) ? undefined : request.summary;
  const summary = lacks.has("reasoningSummary") ? undefined : requestedSummary;
  if (requestedSummary !== undefined && summary === undefined)
    warnings.push("The provider gives no summaries of this model's reasoning to this account; none are shown.");
  if (lacks.has("reasoningEffort")) {
    if (request.effort !== undefined) warnings.push("The provider takes no reasoning effort for this model; it was left out.");
    return null;
  }
  if (request.effort === undefined && summary === undefined) return null;
  const context = keepsAllThoughts.test(bareName(request.model)) && !lacks.has("reasoningContext") ? "all_turns" : undefined;
  return { effort: request.effort, summary, context };
}
const keepsAllThoughts = /^gpt-(?:[6-9]|5\.[6-9])/;

/** This wire has no fetch tool: its search opens pages itself. */
const isTaken = (tool: ToolSpec): boolean => tool.type !== "web_fetch";

function wireTool(tool: ToolSpec): unknown {
  switch (tool.type) {
    case "function":
      return { ...tool, strict: tool.strict ?? false };
    case "namespace":
      return { ...tool, tools: tool.tools.map(wireTool) };
    case "web_search":
    case "web_fetch":
      return { ...tool.options, type: tool.type };
    case "custom":
      return tool;
  }
}

/** A dated snapshot of the requested model is not a different model. */
function otherModel(requested: string, headers: IncomingHttpHeaders): string | undefined {
  const header = headers["openai-model"];
  const served = typeof header === "string" ? header.trim() : "";
  if (served === "" || served.toLowerCase().startsWith(requested.toLowerCase())) return undefined;
  return served;
}

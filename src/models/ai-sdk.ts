/** Optional adapter: any LanguageModel of the AI SDK (Bedrock, Vertex and others without a wire of their own here), loaded only when configured. */
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelClient, ModelEvent, ModelFailure, ModelRequest } from "../core/ports/model-client.ts";
import { errorMessage } from "../lib/error-text.ts";
import { createAiSdkReader } from "./ai-sdk-events.ts";
import { aiSdkPrompt, cacheMark } from "./ai-sdk-prompt.ts";
import { type CatalogEntry, createModelCatalog, type RefreshableCatalog } from "./catalog.ts";
import { transcriptFromItems } from "./convert.ts";
import { nearestEffort } from "./effort.ts";
import { failureFromStatus } from "./failures.ts";
import { isRecord, type Json, numberOf, recordOf, stringOf } from "./json.ts";
import { RefusedParts } from "./refusals.ts";
import { type FlatTools, flattenTools } from "./tools.ts";

export interface AiSdkParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Packages are resolved from here, then beside the server. Never from the project's folder, whose code is not trusted. */
  readonly packagesDir: string;
  readonly catalog?: RefreshableCatalog;
  /** Returns the exports of a package; rejects when it is not installed. */
  readonly load?: (name: string) => Promise<Json>;
}

/** The part of a LanguageModel (specification v2, v3 or v4) that is used here. */
interface LanguageModel {
  readonly specificationVersion: string;
  doStream(options: Json): Promise<{ readonly stream: AsyncIterable<unknown> }>;
}

export function createAiSdkClient(provider: ProviderConfig, parts: AiSdkParts): ModelClient {
  const catalog = parts.catalog ?? createModelCatalog();
  const load = parts.load ?? ((name: string) => loadPackage(name, parts.packagesDir));
  const models = new Map<string, LanguageModel>();

  async function modelFor(name: string): Promise<LanguageModel> {
    const known = models.get(name);
    if (known !== undefined) return known;
    const model = makeModel(await load(packageName(provider)), name, provider, parts.env);
    models.set(name, model);
    return model;
  }

  async function open(request: ModelRequest, flat: FlatTools, warnings: string[], signal: AbortSignal): Promise<AsyncIterable<unknown>> {
    const model = await modelFor(request.model);
    const info = catalog.find(request.model, provider);
    const isCached = cachedOnlyWhereMarked.test(request.model);
    const takes = { version: model.specificationVersion, takesPdf: info.supportsPdf, isCached };
    const entries = transcriptFromItems(request.input, warnings);
    const prompt = aiSdkPrompt({ instructions: request.instructions, entries, flat, warnings, ...takes });
    return (await model.doStream({ ...callOptions(request, flat, info, isCached), prompt, abortSignal: signal })).stream;
  }

  const refused = new RefusedParts();
  return {
    async *stream(wanted, signal) {
      for (let resends = 0; ; resends++) {
        signal.throwIfAborted();
        const request = refused.leftOut(wanted);
        const flat = flattenTools(request.tools);
        const failure = yield* attempt((warnings) => open(request, flat, warnings, signal), flat, signal);
        if (failure === undefined) return;
        const learnt = resends < maxResends ? refused.learn(failure, request, flat.requestNames) : undefined;
        if (learnt === undefined) return yield [{ type: "failed", failure }];
        yield [{ type: "warning", message: learnt }];
      }
    },
  };
}

/** Each retry leaves out one image or tool that was refused. */
const maxResends = 4;

/** Returns the failure if it happened before the answer began; any later failure is its last event. */
async function* attempt(
  open: (warnings: string[]) => Promise<AsyncIterable<unknown>>,
  flat: FlatTools,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], ModelFailure | undefined> {
  const reader = createAiSdkReader(flat, failureFrom);
  const warnings: string[] = [];
  let begun = false;
  try {
    const stream = await open(warnings);
    if (warnings.length > 0) yield warnings.map((message): ModelEvent => ({ type: "warning", message }));
    for await (const part of stream) {
      signal.throwIfAborted();
      const out: ModelEvent[] = [];
      const over = isRecord(part) && reader.read(part, out);
      begun ||= out.some(({ type }) => type === "itemStarted");
      const last = out.at(-1);
      if (!begun && last?.type === "failed") return last.failure;
      if (out.length > 0) yield out;
      if (over) return undefined;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!begun) return failureFrom(error);
    yield [{ type: "failed", failure: failureFrom(error) }];
    return undefined;
  }
  const out: ModelEvent[] = [];
  reader.end(out);
  yield out;
  return undefined;
}

/** Claude and Nova, on Bedrock and elsewhere. */
const cachedOnlyWhereMarked = /claude|\bnova\b|amazon\.nova/i;

function callOptions(request: ModelRequest, flat: FlatTools, model: CatalogEntry, isCached: boolean): Json {
  const last = flat.tools.length - 1;
  return {
    ...(model.maxOutputTokens === undefined || !model.known ? {} : { maxOutputTokens: model.maxOutputTokens }),
    ...(flat.tools.length === 0
      ? {}
      : {
          tools: flat.tools.map(({ name, description, parameters }, i) => ({
            ...{ type: "function", name, description, inputSchema: parameters },
            ...(isCached && i === last ? cacheMark : {}),
          })),
          toolChoice: { type: request.toolChoice ?? "auto" },
        }),
    ...(request.effort === undefined ? {} : { reasoning: nearestEffort(request.effort, model) }),
    ...(isRecord(request.outputSchema)
      ? { responseFormat: { type: "json", schema: request.outputSchema, name: "codex_output_schema" } }
      : {}),
    headers: { "user-agent": request.userAgent },
  };
}

function packageName(provider: ProviderConfig): string {
  const name = stringOf(provider.options["package"]);
  if (name !== undefined && name !== "") return name;
  throw new Error(
    `model_providers.${provider.id}.options.package is not set; give the name of an AI SDK provider package, for example "@ai-sdk/amazon-bedrock"`,
  );
}

async function loadPackage(name: string, packagesDir: string): Promise<Json> {
  try {
    const require = createRequire(path.join(packagesDir, "package.json"));
    return recordOf({ ...(await import(pathToFileURL(require.resolve(name)).href)) });
  } catch {
    try {
      return recordOf({ ...(await import(name)) });
    } catch (error) {
      throw new Error(`the package ${name} is not installed; run: npm install --prefix ${packagesDir} ${name}`, { cause: error });
    }
  }
}

function makeModel(exports: Json, model: string, provider: ProviderConfig, env: AiSdkParts["env"]): LanguageModel {
  const wanted = stringOf(provider.options["export"]);
  const name = wanted ?? Object.keys(exports).find((key) => /^create[A-Z]/.test(key));
  const factory = name === undefined ? undefined : exports[name];
  if (typeof factory !== "function")
    throw new Error(
      `the package has no ${wanted ?? "create…"} function; set model_providers.${provider.id}.options.export to the name of its factory`,
    );
  const key = provider.envKey === undefined ? undefined : env[provider.envKey];
  const made: unknown = factory({
    ...(key === undefined ? {} : { apiKey: key }),
    ...(provider.baseUrl === "" ? {} : { baseURL: provider.baseUrl }),
    ...(Object.keys(provider.httpHeaders).length === 0 ? {} : { headers: provider.httpHeaders }),
    ...recordOf(provider.options["settings"]),
  });
  const method = isCallableRecord(made) ? made["languageModel"] : undefined;
  const result: unknown = typeof method === "function" ? method.call(made, model) : typeof made === "function" ? made(model) : undefined;
  if (!isLanguageModel(result)) throw new Error(`${name} of the package gave no language model for ${model}`);
  return result;
}

const isCallableRecord = (value: unknown): value is Json => (typeof value === "object" && value !== null) || typeof value === "function";
const isLanguageModel = (value: unknown): value is LanguageModel =>
  typeof value === "object" &&
  value !== null &&
  "doStream" in value &&
  typeof value.doStream === "function" &&
  "specificationVersion" in value &&
  typeof value.specificationVersion === "string";

/** The SDK's errors carry the HTTP status and body when there was an answer. */
function failureFrom(error: unknown): ModelFailure {
  const fields = error instanceof Error ? recordOf({ ...error }) : recordOf(error);
  const status = numberOf(fields["statusCode"]);
  const text = stringOf(fields["message"]) ?? errorMessage(error);
  if (status !== undefined) {
    const headers = Object.fromEntries(Object.entries(recordOf(fields["responseHeaders"])).map(([k, v]) => [k.toLowerCase(), String(v)]));
    const body = stringOf(fields["responseBody"]) ?? JSON.stringify({ error: { message: text } });
    return failureFromStatus({ status, statusText: "", headers, body, url: (stringOf(fields["url"]) ?? "").replace(/\?.*$/, "") });
  }
  if (fields["isRetryable"] === true || /fetch failed|ECONN|socket|terminated|network/i.test(text))
    return { kind: "httpConnectionFailed", message: `cannot reach the model provider: ${text}`, retry: {} };
  return { kind: "other", message: text, retry: false };
}

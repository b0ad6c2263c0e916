/** Asks providers which models they have, and looks for model servers on this machine. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { Credentials } from "../core/ports/credentials.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { ListedModel, ModelSource } from "./catalog.ts";
import { tokenFrom } from "./command-token.ts";
import { createHttpPool, type HttpPool, readText } from "./http/pool.ts";
import { isRecord, type Json, listOf, numberOf, parseJson, recordOf, stringOf } from "./json.ts";
import { builtInProvider, localProviderIds } from "./providers.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface ModelListParts {
  readonly env: Env;
  readonly credentials?: Credentials;
}

/** Long lists of routers are some megabytes. */
const listLimit = 16 * 1024 * 1024;
const patienceMs = 5000;

/** For the catalogue: the provider's own list. */
export function modelSource(provider: ProviderConfig, parts: ModelListParts): ModelSource {
  const pool = createHttpPool(parts.env);
  return { provider: provider.id, list: async (signal) => listModels(provider, { ...parts, pool }, signal) };
}

/** Asks the provider for its models with this key. Throws invalidRequest with the provider's error. */
export async function checkKey(provider: ProviderConfig, key: string, env: Env): Promise<void> {
  const { host } = new URL(provider.baseUrl);
  const source = modelSource({ ...provider, bearerToken: key }, { env });
  try {
    await source.list(AbortSignal.timeout(patienceMs));
  } catch (error) {
    const status = error instanceof ListRefused ? error.status : undefined;
    if (status === 401 || status === 403)
      throw invalidRequest(`${host} refuses this key (status ${status}). It was not kept. Check that all of it was copied.`);
    const reason = status === undefined ? "it could not be reached" : `it answered with status ${status}`;
    throw invalidRequest(`The key could not be checked at ${host}: ${reason}. It was not kept.`);
  }
}

class ListRefused extends Error {
  readonly status: number;
  constructor(url: URL, status: number) {
    super(`${url.origin}${url.pathname} answered ${status}`);
    this.status = status;
  }
}

async function listModels(
  provider: ProviderConfig,
  parts: ModelListParts & { readonly pool: HttpPool },
  signal: AbortSignal,
): Promise<readonly ListedModel[]> {
  const headers = await authHeaders(provider, parts, signal);
  const get = (path: string): Promise<unknown> => getJson(parts.pool, new URL(path), signal, { headers });
  const base = provider.baseUrl.replace(/\/+$/, "");
  const query = new URLSearchParams(provider.queryParams);
  const answer = recordOf(await get(`${base}/models${query.size === 0 ? "" : `?${query}`}`));
  const listed = listOf(answer["data"]).concat(listOf(answer["models"])).filter(isRecord).flatMap(listedModel);
  if (provider.id === "ollama") {
    const loaded = await get(`${new URL(base).origin}/api/ps`).catch(() => undefined);
    return Promise.all(
      listed.map(async (model) => withOllamaFacts(model, await showOllama(model.id, base, parts.pool, signal), loaded, parts.env)),
    );
  }
  if (provider.id === "lmstudio")
    return withLmStudioFacts(listed, await get(`${new URL(base).origin}/api/v0/models`).catch(() => undefined));
  if (provider.id === "llamacpp") return withLlamaCppFacts(listed, await get(`${new URL(base).origin}/props`).catch(() => undefined));
  return listed;
}

async function authHeaders(provider: ProviderConfig, parts: ModelListParts, signal: AbortSignal): Promise<Record<string, string>> {
  const printed = provider.auth === undefined ? undefined : await tokenFrom(provider.auth, signal);
  const key = printed ?? provider.bearerToken ?? (provider.envKey === undefined ? undefined : parts.env[provider.envKey]?.trim());
  const token = key !== undefined && key !== "" ? key : await storedKey(provider, parts.credentials);
  const auth =
    token === undefined
      ? {}
      : provider.wireApi === "anthropic" && printed === undefined
        ? { "x-api-key": token }
        : { authorization: `Bearer ${token}` };
  return {
    accept: "application/json",
    ...(provider.wireApi === "anthropic" ? { "anthropic-version": "2023-06-01" } : {}),
    ...auth,
    ...provider.httpHeaders,
  };
}

async function storedKey(provider: ProviderConfig, credentials: Credentials | undefined): Promise<string | undefined> {
  if (!provider.requiresOpenaiAuth) return credentials?.keyOf(provider.id);
  const stored = await credentials?.current();
  return stored?.kind === "apiKey" ? stored.key : undefined;
}

/** A GET, or with `body` a POST, of something short. */
async function getJson(
  pool: HttpPool,
  url: URL,
  signal: AbortSignal,
  more: { headers: Record<string, string>; body?: unknown },
): Promise<unknown> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const { headers } = more;
  const how = more.body === undefined ? { method: "GET" as const } : { method: "POST" as const, body: JSON.stringify(more.body) };
  const reply = await pool.send({ ...how, url, headers, idleMs: patienceMs }, deadline);
  const text = await readText(reply, listLimit);
  if (reply.status !== 200) throw new ListRefused(url, reply.status);
  return parseJson(text);
}

/** One entry of /models, with the extra facts that OpenRouter, vLLM, Groq, Mistral, Together and Anthropic put there. */
function listedModel(entry: Json): ListedModel[] {
  const id = stringOf(entry["id"]) ?? stringOf(entry["name"]);
  if (id === undefined || /embed|whisper|tts|moderation|dall-e|rerank|image|transcribe|realtime|audio/i.test(id)) return [];
  const window =
    numberOf(entry["context_length"]) ??
    numberOf(entry["context_window"]) ??
    numberOf(entry["max_model_len"]) ??
    numberOf(entry["max_context_length"]) ??
    numberOf(entry["max_input_tokens"]);
  const maxOutput = numberOf(recordOf(entry["top_provider"])["max_completion_tokens"]) ?? numberOf(entry["max_completion_tokens"]);
  const inputs = listOf(recordOf(entry["architecture"])["input_modalities"]);
  const parameters = listOf(entry["supported_parameters"]);
  const can = recordOf(entry["capabilities"]);
  const images = inputs.length > 0 ? inputs.includes("image") : typeof can["vision"] === "boolean" ? can["vision"] : undefined;
  const tools =
    parameters.length > 0
      ? parameters.includes("tools")
      : typeof can["function_calling"] === "boolean"
        ? can["function_calling"]
        : undefined;
  const name = stringOf(entry["display_name"]) ?? (stringOf(entry["id"]) === undefined ? undefined : stringOf(entry["name"]));
  return [
    {
      id: id.replace(/^models\//, ""), // Gemini writes "models/gemini-…"
      ...(name === undefined ? {} : { displayName: name }),
      ...(window === undefined ? {} : { contextWindow: window }),
      ...(maxOutput === undefined ? {} : { maxOutputTokens: maxOutput }),
      ...(images === undefined ? {} : { images }),
      ...(tools === undefined ? {} : { tools }),
    },
  ];
}

async function showOllama(model: string, base: string, pool: HttpPool, signal: AbortSignal): Promise<Json> {
  const url = new URL("/api/show", base);
  const response = getJson(pool, url, signal, { headers: { "content-type": "application/json" }, body: { model } });
  return recordOf(await response.catch(() => undefined));
}

/**
 * /api/show has the model's maximum; the server silently truncates prompts at the size it was started with, which only a loaded model
 * or a setting reveals. Without either a moderate window is assumed.
 */
function withOllamaFacts(model: ListedModel, shown: Json, loaded: unknown, env: Env): ListedModel {
  const can = listOf(shown["capabilities"]);
  const own = numberOf(Object.entries(recordOf(shown["model_info"])).find(([key]) => key.endsWith(".context_length"))?.[1]);
  const running = listOf(recordOf(loaded)["models"])
    .filter(isRecord)
    .find((row) => row["name"] === model.id || row["model"] === model.id);
  const set = /^\s*num_ctx\s+(\d+)/m.exec(stringOf(shown["parameters"]) ?? "")?.[1];
  const limit = numberOf(running?.["context_length"]) ?? numberOf(set) ?? numberOf(env["OLLAMA_CONTEXT_LENGTH"]) ?? 32_768;
  return {
    ...model,
    contextWindow: own === undefined ? limit : Math.min(own, limit),
    ...(can.length === 0 ? {} : { images: can.includes("vision"), tools: can.includes("tools") }),
  };
}

function withLmStudioFacts(models: readonly ListedModel[], facts: unknown): readonly ListedModel[] {
  const rows = new Map(
    listOf(recordOf(facts)["data"])
      .filter(isRecord)
      .map((row) => [row["id"], row]),
  );
  return models.map((model) => {
    const row = rows.get(model.id);
    const window = numberOf(row?.["loaded_context_length"]) ?? numberOf(row?.["max_context_length"]);
    const tools = listOf(row?.["capabilities"]).includes("tool_use");
    return row === undefined
      ? model
      : { ...model, images: row["type"] === "vlm", tools, ...(window === undefined ? {} : { contextWindow: window }) };
  });
}

function withLlamaCppFacts(models: readonly ListedModel[], facts: unknown): readonly ListedModel[] {
  const props = recordOf(facts);
  const window = numberOf(recordOf(props["default_generation_settings"])["n_ctx"]) ?? numberOf(props["n_ctx"]);
  const vision = recordOf(props["modalities"])["vision"];
  return models.map((model) => ({
    ...model,
    ...(window === undefined ? {} : { contextWindow: window }),
    ...(typeof vision === "boolean" ? { images: vision } : {}),
  }));
}

export interface LocalServer {
  readonly provider: ProviderConfig;
  readonly models: readonly ListedModel[];
}

/** Model servers that answer on their usual ports (or where their environment variables point), with their models. */
export async function findLocalServers(env: Env, signal: AbortSignal): Promise<readonly LocalServer[]> {
  const pool = createHttpPool(env);
  const found = await Promise.allSettled(
    localProviderIds.map(async (id) => {
      const provider = builtInProvider(id, env);
      if (provider === undefined) throw new Error(`no provider ${id}`);
      return { provider, models: await listModels(provider, { env, pool }, signal) };
    }),
  );
  signal.throwIfAborted();
  return found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
}

export interface OssChoice {
  /** `oss_provider` or the name given with --local-provider. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
}

/** What `--oss` means here: the requested or the first local server, and a model it has. Throws an Error that says what to start. */
export async function chooseLocalModel(
  choice: OssChoice,
  env: Env,
  signal: AbortSignal,
): Promise<{ readonly provider: ProviderConfig; readonly model: string }> {
  if (choice.provider !== undefined && !localProviderIds.includes(choice.provider))
    throw new Error(`no local server is called '${choice.provider}'; known are ${localProviderIds.join(", ")}`);
  const servers = await findLocalServers(env, signal);
  const server = servers.find(({ provider }) => choice.provider === undefined || provider.id === choice.provider);
  if (server === undefined) {
    const wanted = choice.provider ?? localProviderIds.join(", ");
    throw new Error(`no local model server answers (looked for ${wanted}); start one, for example with: ollama serve`);
  }
  const model =
    choice.model ??
    server.models.find((m) => /gpt-oss/.test(m.id))?.id ??
    server.models.find((m) => m.tools !== false)?.id ??
    server.models[0]?.id;
  if (model === undefined) throw new Error(`${server.provider.name} has no model yet; get one, for example with: ollama pull gpt-oss:20b`);
  return { provider: server.provider, model };
}

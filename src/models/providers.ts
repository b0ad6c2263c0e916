/** The providers that need no [model_providers] table, as data, and which of them serves a given model. */
import type { ProviderConfig } from "../core/ports/config.ts";
import { listOf } from "./json.ts";
import { makerOf } from "./traits.ts";

type Env = Readonly<Record<string, string | undefined>>;

interface ProviderRow {
  readonly name: string;
  readonly baseUrl: string;
  readonly wireApi: ProviderConfig["wireApi"];
  /** Environment variables that may contain the key; the first one set is used. */
  readonly keys?: readonly string[];
  /** Environment variables that may override base_url. */
  readonly urls?: readonly string[];
  readonly requiresOpenaiAuth?: boolean;
  readonly envHttpHeaders?: Readonly<Record<string, string>>;
  /** The default model. */
  readonly model?: string;
  /** Runs on this machine: needs no key, and is probed on its usual port. */
  readonly local?: boolean;
}

const rows = {
  openai: {
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    wireApi: "responses",
    keys: ["OPENAI_API_KEY"],
    urls: ["OPENAI_BASE_URL"],
    requiresOpenaiAuth: true,
    envHttpHeaders: { "OpenAI-Organization": "OPENAI_ORGANIZATION", "OpenAI-Project": "OPENAI_PROJECT" },
    model: "gpt-6.1-sol",
  },
  anthropic: {
    name: "Anthropic",
    baseUrl: "https://api.anthropic.com/v1",
    wireApi: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    urls: ["ANTHROPIC_BASE_URL"],
    model: "claude-opus-5-5",
  },
  "amazon-bedrock": {
    name: "Amazon Bedrock",
    baseUrl: "https://bedrock-mantle.us-east-1.api.aws/openai/v1",
    wireApi: "responses",
    keys: ["AWS_BEARER_TOKEN_BEDROCK"],
    model: "openai.gpt-oss-120b",
  },
  gemini: {
    name: "Google Gemini",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    wireApi: "chat",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    model: "gemini-3-pro-preview",
  },
  openrouter: {
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    wireApi: "chat",
    keys: ["OPENROUTER_API_KEY"],
    model: "openrouter/auto",
  },
  groq: { name: "Groq", baseUrl: "https://api.groq.com/openai/v1", wireApi: "chat", keys: ["GROQ_API_KEY"], model: "openai/gpt-oss-120b" },
  mistral: {
    name: "Mistral",
    baseUrl: "https://api.mistral.ai/v1",
    wireApi: "chat",
    keys: ["MISTRAL_API_KEY"],
    model: "devstral-medium-latest",
  },
  deepseek: {
    name: "DeepSeek",
    baseUrl: "https://api.deepseek.com/v1",
    wireApi: "chat",
    keys: ["DEEPSEEK_API_KEY"],
    model: "deepseek-chat",
  },
  xai: { name: "xAI", baseUrl: "https://api.x.ai/v1", wireApi: "chat", keys: ["XAI_API_KEY"], model: "grok-4" },
  together: {
    name: "Together",
    baseUrl: "https://api.together.xyz/v1",
    wireApi: "chat",
    keys: ["TOGETHER_API_KEY"],
    model: "openai/gpt-oss-120b",
  },
  fireworks: {
    name: "Fireworks",
    baseUrl: "https://api.fireworks.ai/inference/v1",
    wireApi: "chat",
    keys: ["FIREWORKS_API_KEY"],
    model: "accounts/fireworks/models/gpt-oss-120b",
  },
  cerebras: { name: "Cerebras", baseUrl: "https://api.cerebras.ai/v1", wireApi: "chat", keys: ["CEREBRAS_API_KEY"], model: "gpt-oss-120b" },
  moonshot: {
    name: "Moonshot",
    baseUrl: "https://api.moonshot.ai/v1",
    wireApi: "chat",
    keys: ["MOONSHOT_API_KEY"],
    model: "kimi-k2-thinking",
  },
  zai: { name: "Z.ai", baseUrl: "https://api.z.ai/api/paas/v4", wireApi: "chat", keys: ["ZAI_API_KEY"], model: "glm-4.6" },
  ollama: {
    name: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    wireApi: "chat",
    keys: ["OLLAMA_API_KEY"],
    urls: ["OLLAMA_HOST"],
    model: "gpt-oss:20b",
    local: true,
  },
  lmstudio: {
    name: "LM Studio",
    baseUrl: "http://127.0.0.1:1234/v1",
    wireApi: "chat",
    urls: ["LMSTUDIO_HOST"],
    model: "openai/gpt-oss-20b",
    local: true,
  },
  llamacpp: { name: "llama.cpp server", baseUrl: "http://127.0.0.1:8080/v1", wireApi: "chat", urls: ["LLAMACPP_HOST"], local: true },
  vllm: { name: "vLLM", baseUrl: "http://127.0.0.1:8000/v1", wireApi: "chat", urls: ["VLLM_HOST"], local: true },
  scripted: { name: "Scripted (offline)", baseUrl: "", wireApi: "scripted", model: "scripted" },
} as const satisfies Readonly<Record<string, ProviderRow>>;

const table: Readonly<Record<string, ProviderRow>> = rows;
export const builtInProviderIds: readonly string[] = Object.keys(rows);
export const localProviderIds: readonly string[] = builtInProviderIds.filter((id) => table[id]?.local === true);

/** The built-in provider with that id, configured by the environment; undefined when there is none. */
export function builtInProvider(id: string, env: Env): ProviderConfig | undefined {
  const row = Object.hasOwn(table, id) ? table[id] : undefined;
  if (row === undefined) return undefined;
  const url = row.urls?.map((name) => env[name]?.trim()).find((value) => value !== undefined && value !== "");
  const token = id === "anthropic" && !isSet(env, "ANTHROPIC_API_KEY") ? env["ANTHROPIC_AUTH_TOKEN"]?.trim() : undefined;
  return {
    id,
    name: row.name,
    baseUrl: url === undefined ? inRegion(row.baseUrl, env["AWS_REGION"] || env["AWS_DEFAULT_REGION"]) : baseUrlFrom(url, row.baseUrl),
    wireApi: row.wireApi,
    envKey: row.keys?.find((name) => isSet(env, name)) ?? row.keys?.[0],
    bearerToken: token === "" ? undefined : token,
    httpHeaders: {},
    envHttpHeaders: row.envHttpHeaders ?? {},
    queryParams: {},
    ...providerDefaults,
    requiresOpenaiAuth: row.requiresOpenaiAuth ?? false,
    options: {},
  };
}

/** The same service in another AWS region; other addresses are unchanged. */
export function inRegion(baseUrl: string, region: string | undefined): string {
  if (region === undefined || !/^[a-z0-9-]+$/.test(region)) return baseUrl;
  return baseUrl.replace(/^(https:\/\/bedrock-mantle\.)[a-z0-9-]+(\.api\.aws\/)/, `$1${region}$2`);
}

/** The defaults of `[model_providers.X]`. */
export const providerDefaults = { requestMaxRetries: 4, streamMaxRetries: 5, streamIdleTimeoutMs: 300_000 } as const;

/** "127.0.0.1:11434" and "0.0.0.0" as Ollama writes them, with the path and port that the built-in address has. */
function baseUrlFrom(value: string, standard: string): string {
  const known = new URL(standard);
  const given = /^https?:\/\//.test(value) ? value : `${known.protocol}//${value}`;
  if (!URL.canParse(given)) return given;
  const url = new URL(given);
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  if (url.port === "" && known.port !== "" && url.protocol === "http:") url.port = known.port;
  if (url.pathname === "/" || url.pathname === "") url.pathname = known.pathname;
  return url.href.replace(/\/$/, "");
}

const isSet = (env: Env, name: string): boolean => (env[name]?.trim() ?? "") !== "";

/** Whether a provider can be called without further set-up. `loggedIn`: credentials for the OpenAI account are stored. */
export function isUsable(id: string, providers: Readonly<Record<string, ProviderConfig>>, env: Env, loggedIn = false): boolean {
  const standard = builtInProvider(id, env);
  const config = providers[id] ?? standard;
  if (config === undefined) return false;
  if (config.bearerToken !== undefined || config.auth !== undefined) return true;
  if (config.requiresOpenaiAuth) return loggedIn || (config.envKey !== undefined && isSet(env, config.envKey));
  const row = table[id];
  // A local server at its standard address may not be running; it counts only when the user configured it.
  if (row?.local === true && config.baseUrl === standard?.baseUrl) return row.urls?.some((name) => isSet(env, name)) ?? false;
  return config.envKey === undefined || isSet(env, config.envKey);
}

/**
 * The provider for a model's name, for users who chose none; undefined when the name is unknown.
 * A provider that the user configured and that lists the model comes first, then the vendor, then a router.
 */
export function providerForModel(model: string, providers: Readonly<Record<string, ProviderConfig>>, env: Env): string | undefined {
  const listing = Object.values(providers).find((provider) => listOf(provider.options["models"]).includes(model));
  if (listing !== undefined) return listing.id;
  if (model === "scripted") return "scripted";
  // "vendor/model" is how routers name models
  if (model.includes("/")) return isSet(env, "OPENROUTER_API_KEY") ? "openrouter" : undefined;
  const maker = makerOf(model);
  if (maker !== undefined) return maker;
  return /:[a-z0-9._-]+$/i.test(model) ? "ollama" : undefined;
}

export interface ModelChoice {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly env: Env;
  readonly loggedIn: boolean;
}

/** Provider and model for a thread: the user's choice, with defaults. With nothing configured at all it is the offline tour. */
export function chooseModel(choice: ModelChoice): { readonly provider: string; readonly model: string } {
  const { providers, env, loggedIn } = choice;
  const named = choice.model === undefined ? undefined : providerForModel(choice.model, providers, env);
  const first = builtInProviderIds.find((id) => id !== "scripted" && isUsable(id, providers, env, loggedIn));
  const provider = choice.provider ?? named ?? first ?? (choice.model === undefined ? "scripted" : "openai");
  return { provider, model: choice.model ?? defaultModel(provider) };
}

/**
 * Whether the built-in tour would answer because no model is set up. Choosing the scripted provider, or giving it a scenario, counts as
 * requesting it.
 */
export function isUnaskedTour(provider: string, raw: Readonly<Record<string, unknown>>, env: Env): boolean {
  const isNamed = raw["model_provider"] === "scripted" || raw["model"] === "scripted";
  return provider === "scripted" && !isNamed && !isSet(env, "PARLEY_SCENARIO");
}

/** For interfaces where no person would notice that the tour is not a model's answer. */
export const noModelText =
  'no model is set up. Run `parley login` and choose a provider, set a key (OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY …), choose a local server with --oss, or add a [model_providers] table to config.toml. `-c model_provider="scripted"` plays the offline tour.';

const defaultModel = (provider: string): string => usualModel(provider) ?? "gpt-6.1-sol";
/** The default model of a built-in provider. */
export const usualModel = (provider: string): string | undefined => (Object.hasOwn(table, provider) ? table[provider]?.model : undefined);

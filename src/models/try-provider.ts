/** Setting up a provider: which ones can be, with which model, and one short question to the model before a key is stored. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ModelEvent, ModelRequest } from "../core/ports/model-client.ts";
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import type { ProviderChoice } from "../protocol/account.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { listOf, stringOf } from "./json.ts";
import { modelSource } from "./model-lists.ts";
import { builtInProviderIds, isUsable, localProviderIds, usualModel } from "./providers.ts";
import { createModelClients } from "./registry.ts";

type Env = Readonly<Record<string, string | undefined>>;
type Providers = Readonly<Record<string, ProviderConfig>>;

export interface ProviderTrial {
  readonly provider: string;
  readonly key: string;
  readonly model: string | undefined;
  readonly check: boolean;
}

/** Slow models think for a while before their first output. */
const answerMs = 30_000;
const listMs = 5000;
/** A server on this machine answers at once, or does not run. */
const findMs = 2000;
const maxShownModels = 200;
/** The variable used for testing a key that is in no environment variable. */
const triedKey = "PARLEY_TRIED_KEY";

/** Providers that a person can set up: the built-in ones and their own tables. */
export function providerChoices(providers: Providers, env: Env, is: SetUp): ProviderChoice[] {
  const own = Object.keys(providers).filter((id) => !builtInProviderIds.includes(id));
  return [...builtInProviderIds, ...own].flatMap((id) => {
    const provider = providers[id];
    if (provider === undefined || whyNot(provider) !== undefined) return [];
    return [
      {
        id,
        name: provider.name,
        isLocal: localProviderIds.includes(id),
        needsKey: needsKey(provider),
        keyVariable: provider.envKey ?? null,
        model: usualModel(id) ?? firstListed(provider) ?? null,
        isSetUp: is.stored(id) || isUsable(id, providers, env, is.loggedIn),
        hasStoredKey: is.stored(id),
        isCurrent: is.current === id,
      },
    ];
  });
}
/** The choices with what runs on this machine, these first: nothing is easier to set up. */
export async function withRunning(choices: readonly ProviderChoice[], env: Env): Promise<ProviderChoice[]> {
  const { findLocalServers } = await import("./model-lists.ts");
  const servers = await findLocalServers(env, AbortSignal.timeout(findMs)).catch(() => []);
  const models = new Map(servers.map((server) => [server.provider.id, server.models.map(({ id }) => id).slice(0, maxShownModels)]));
  const known = choices.map((choice) => (choice.isLocal ? { ...choice, runningModels: models.get(choice.id) ?? null } : choice));
  return known.sort((a, b) => Number(b.runningModels != null) - Number(a.runningModels != null));
}

export interface SetUp {
  /** Whether a key is stored for the provider. */
  readonly stored: (provider: string) => boolean;
  /** Whether somebody is signed in to OpenAI. */
  readonly loggedIn: boolean;
  /** The provider of new threads. */
  readonly current: string;
}

/** The model to use with the provider. Throws invalidRequest with the fix when it cannot be used or does not answer. */
export async function tryProvider(wanted: ProviderTrial, providers: Providers, env: Env): Promise<{ readonly model: string }> {
  const provider = providers[wanted.provider];
  const why = provider === undefined ? `\`${wanted.provider}\` is not known; expected ${known(providers)}` : whyNot(provider);
  if (provider === undefined || why !== undefined) throw invalidRequest(`provider: ${why}`);
  if (wanted.key === "" && needsKey(provider)) throw invalidRequest(`apiKey: ${provider.name} needs a key`);
  const tried: ProviderConfig = { ...provider, envKey: triedKey, bearerToken: undefined };
  const keyed = { ...env, [triedKey]: wanted.key };
  const model =
    wanted.model ?? (localProviderIds.includes(provider.id) ? undefined : usualModel(provider.id)) ?? (await listedModel(tried, keyed));
  if (wanted.check && !localProviderIds.includes(provider.id)) await ask(tried, model, keyed);
  return { model };
}

/** Why a provider cannot be set up with a key; undefined when it can. */
function whyNot({ id, wireApi, auth }: ProviderConfig): string | undefined {
  if (wireApi === "scripted") return `\`${id}\` plays a script and needs no key; set model_provider = "${id}" in config.toml`;
  if (wireApi === "ai-sdk") return `\`${id}\` takes its credentials from its package; set model_providers.${id}.options in config.toml`;
  return auth === undefined ? undefined : `\`${id}\` takes its key from the program that model_providers.${id}.auth names`;
}

const needsKey = ({ id, envKey }: ProviderConfig): boolean => envKey !== undefined && !localProviderIds.includes(id);
const firstListed = ({ options }: ProviderConfig): string | undefined => stringOf(listOf(options["models"])[0]);
const known = (providers: Providers): string =>
  Object.values(providers)
    .filter((provider) => whyNot(provider) === undefined)
    .map(({ id }) => id)
    .join(", ");

/** The models of a local server, or of the user's own table. */
async function listedModel(provider: ProviderConfig, env: Env): Promise<string> {
  const own = firstListed(provider);
  if (own !== undefined) return own;
  const isLocal = localProviderIds.includes(provider.id);
  const listed = await modelSource(provider, { env })
    .list(AbortSignal.timeout(listMs))
    .catch((error: unknown) => {
      const fix = isLocal ? "start it, then try again" : "name a model";
      throw invalidRequest(`provider: ${provider.name} does not list its models at ${provider.baseUrl} (${errorMessage(error)}); ${fix}`);
    });
  const model = listed.find(({ id }) => /gpt-oss/.test(id)) ?? listed.find(({ tools }) => tools !== false) ?? listed[0];
  if (model !== undefined) return model.id;
  throw invalidRequest(
    `provider: ${provider.name} has no model yet${provider.id === "ollama" ? "; get one with: ollama pull gpt-oss:20b" : ""}`,
  );
}

/** Sends a request as every turn does, up to the first sign of an answer. */
async function ask(provider: ProviderConfig, model: string, env: Env): Promise<void> {
  const client = createModelClients({ env }).clientFor({ ...provider, supportsWebsockets: false });
  const failed = (reason: string): Error =>
    invalidRequest(`${provider.name} did not answer as ${model}: ${reason.replace(/\.$/, "")}. Nothing was kept.`);
  try {
    for await (const events of client.stream(question(model), AbortSignal.timeout(answerMs))) {
      const failure = events.find((event): event is Extract<ModelEvent, { type: "failed" }> => event.type === "failed");
      if (failure !== undefined) throw failed(failure.failure.message);
      if (events.some(({ type }) => type === "itemStarted" || type === "itemDone" || type === "completed")) return;
    }
  } catch (error) {
    throw error instanceof Error && error.name === "TimeoutError" ? failed(`nothing came within ${answerMs / 1000} seconds`) : error;
  }
}

const question = (model: string): ModelRequest => ({
  threadId: randomUuid(),
  turnId: randomUuid(),
  model,
  instructions: "Answer with one word.",
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "Say ok." }] }],
  tools: [],
  parallelToolCalls: false,
  effort: undefined,
  summary: undefined,
  verbosity: undefined,
  serviceTier: undefined,
  outputSchema: undefined,
  originator: "parley_login",
  userAgent: "parley_login",
});

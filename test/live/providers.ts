/** Which providers the live tests can reach from here, and why the others are left out. */
import type { ProviderConfig } from "../../src/core/ports/config.ts";
import { findLocalServers } from "../../src/models/model-lists.ts";
import { builtInProvider, builtInProviderIds, localProviderIds } from "../../src/models/providers.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface LiveTarget {
  readonly provider: ProviderConfig;
  readonly model: string;
}

/** Small models: the suite proves the wire, not the wit. PARLEY_LIVE_MODEL_<PROVIDER> chooses another. */
const models: Readonly<Record<string, string>> = {
  openai: "gpt-5-mini",
  anthropic: "claude-haiku-4-5",
  gemini: "gemini-2.5-flash",
  openrouter: "openai/gpt-5-mini",
  groq: "openai/gpt-oss-20b",
  mistral: "mistral-small-latest",
  deepseek: "deepseek-chat",
  xai: "grok-4-fast",
  together: "openai/gpt-oss-20b",
  fireworks: "accounts/fireworks/models/gpt-oss-20b",
  cerebras: "gpt-oss-120b",
  moonshot: "kimi-k2-turbo-preview",
  zai: "glm-4.5-air",
};

export async function liveTargets(env: Env, signal: AbortSignal): Promise<{ readonly targets: LiveTarget[]; readonly skipped: string[] }> {
  const targets: LiveTarget[] = [];
  const skipped: string[] = [];
  const local = await findLocalServers(env, signal);
  for (const id of builtInProviderIds) {
    if (id === "scripted") continue;
    const chosen = env[`PARLEY_LIVE_MODEL_${id.toUpperCase()}`];
    if (localProviderIds.includes(id)) {
      const server = local.find((found) => found.provider.id === id);
      const model = chosen ?? server?.models.find((listed) => listed.tools !== false)?.id;
      if (server === undefined) skipped.push(`${id}: nothing answers at ${builtInProvider(id, env)?.baseUrl}`);
      else if (model === undefined) skipped.push(`${id}: it has no model`);
      else targets.push({ provider: server.provider, model });
      continue;
    }
    const provider = builtInProvider(id, env);
    if (provider === undefined) continue;
    const hasKey = provider.bearerToken !== undefined || (provider.envKey !== undefined && (env[provider.envKey] ?? "").trim() !== "");
    if (hasKey) targets.push({ provider, model: chosen ?? models[id] ?? "gpt-5-mini" });
    else skipped.push(`${id}: ${provider.envKey} is not set`);
  }
  return { targets, skipped };
}

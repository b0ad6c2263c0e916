/** For `parley doctor`: whether the configured provider can be reached, and whether it accepts the key. */
import { causeMessage, errorMessage } from "../../lib/error-text.ts";
import { certificateHint, unusableProxy } from "../../lib/network.ts";
import type { App, Config } from "../own-app.ts";
import type { Check, Finding } from "./doctor.ts";

const timeoutMs = 8000;

export const checkProvider: Check = async (app, config) => {
  const provider = config?.providers[config.modelProvider];
  if (config === undefined || provider === undefined) return [];
  if (provider.wireApi === "scripted")
    return [
      {
        name: "provider",
        state: "warn",
        text: "no model is configured: people see the offline tour, programs get an error",
        fix: "set a provider's key (OPENAI_API_KEY, ANTHROPIC_API_KEY …), run `parley login`, or set model_provider in config.toml",
      },
    ];
  const key = await keyOf(app, config).catch(
    (error: unknown): Finding => ({ name: "key", state: "fail", text: `${config.modelProvider}: ${errorMessage(error)}` }),
  );
  const reached = await reach(provider.id, provider.baseUrl);
  const isTriable = key.state === "ok" && reached.state === "ok" && provider.wireApi !== "ai-sdk";
  return [isTriable ? await tryKey(app, provider.id, key) : key, reached];
};

/** A key that is present may be wrong or expired: only the provider knows. */
async function tryKey(app: App, id: string, found: Finding): Promise<Finding> {
  try {
    await app.askProvider(AbortSignal.timeout(timeoutMs));
    return { ...found, text: `${found.text}; ${id} accepts it` };
  } catch (error) {
    const status = error instanceof Error && "status" in error && typeof error.status === "number" ? error.status : undefined;
    if (status === 401 || status === 403)
      return { ...found, state: "fail", text: `${found.text}, but ${id} refuses it (status ${status})`, fix: `run \`parley login ${id}\`` };
    const reason = status === undefined ? errorMessage(error) : `status ${status}`;
    return { ...found, text: `${found.text}; it could not be tried, since ${id} lists no models (${reason})` };
  }
}

async function keyOf(app: App, config: Config): Promise<Finding> {
  const { modelProvider: id } = config;
  const provider = config.providers[id];
  const name = "key";
  const variable = provider?.envKey;
  if (variable !== undefined && (process.env[variable] ?? "") !== "") return { name, state: "ok", text: `${id}: ${variable} is set` };
  if (provider?.bearerToken !== undefined) return { name, state: "ok", text: `${id}: a token stands in config.toml` };
  if (provider?.requiresOpenaiAuth === true) {
    const { authMethod } = await app.accounts.status({ includeToken: false, refreshToken: false });
    if (authMethod !== null) return { name, state: "ok", text: `${id}: signed in (${authMethod})` };
    return {
      name,
      state: "fail",
      text: `${id}: nobody is signed in`,
      fix: `run \`parley login\`${variable === undefined ? "" : ` or set ${variable}`}`,
    };
  }
  if ((await app.accounts.read({ refreshToken: false })).account?.type === "amazonBedrock")
    return { name, state: "ok", text: `${id}: a key is stored` };
  const isStored = (await app.providers()).some((choice) => choice.id === id && choice.hasStoredKey);
  if (isStored) return { name, state: "ok", text: `${id}: a key is stored` };
  if (variable !== undefined) {
    const fix = provider?.envKeyInstructions ?? `run \`parley login ${id}\`, or set ${variable} in the environment of the server`;
    return { name, state: "fail", text: `${id}: ${variable} is not set`, fix };
  }
  return { name, state: "ok", text: `${id}: no key needed` };
}

/** Any response at all proves that the host is reachable. */
async function reach(id: string, url: string): Promise<Finding> {
  const name = "provider";
  const unusable = unusableProxy(new URL(url), process.env);
  if (unusable !== undefined) return { name, state: "fail", text: `${id}: ${url} cannot be reached: ${unusable}` };
  const started = performance.now();
  try {
    const response = await fetch(url, { method: "GET", redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return { name, state: "ok", text: `${id}: ${new URL(url).host} answers (${Math.round(performance.now() - started)} ms)` };
  } catch (error) {
    const cause = causeMessage(error);
    return {
      name,
      state: "fail",
      text: `${id}: ${url} cannot be reached: ${cause}`,
      fix: certificateHint(cause) || "check the address (base_url), the network and the proxy",
    };
  }
}

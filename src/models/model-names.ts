/** Normalizes names of models and providers: the part of the catalogue that start-up needs, without its table. */
import type { ProviderConfig } from "../core/ports/config.ts";
import { stringOf } from "./json.ts";

/** The providers of facts.json. */
export const tableProviders: ReadonlySet<string> = new Set([
  "alibaba",
  "amazon-bedrock",
  "anthropic",
  "azure",
  "cerebras",
  "deepinfra",
  "deepseek",
  "fireworks-ai",
  "github-copilot",
  "google",
  "google-vertex",
  "google-vertex-anthropic",
  "groq",
  "huggingface",
  "minimax",
  "mistral",
  "moonshotai",
  "nvidia",
  "ollama-cloud",
  "openai",
  "openrouter",
  "togetherai",
  "vercel",
  "xai",
  "zai",
]);

/** Without a vendor's prefix ("anthropic/…"), a date or snapshot at the end, and the size tag of a local model ("…:14b"). */
export function bareName(model: string): string {
  const name = withoutBedrockPrefix(model.slice(model.lastIndexOf("/") + 1).toLowerCase())
    .replace(/[:@].*$/, "")
    .replace(/-v\d+$/, "");
  // some routers write claude-sonnet-4.5 for claude-sonnet-4-5
  const dashed = name.startsWith("claude-") ? name.replaceAll(".", "-") : name;
  return dashed.replace(/-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)$/, "");
}

/** "eu.anthropic.claude-…". Compiling this pattern takes half a millisecond of a start, and most names have no dot. */
const withoutBedrockPrefix = (name: string): string =>
  name.includes(".")
    ? name.replace(
        /^(?:(?:us|eu|apac|au|jp|ca|global|us-gov)\.)?(?:anthropic|openai|meta|mistral|qwen|google|deepseek|amazon|moonshotai?|minimax|nvidia|zai|writer|xai|cohere|ai21)\./,
        "",
      )
    : name;

type Located = Pick<ProviderConfig, "id" | "baseUrl" | "options">;
/** Each request asks twice, and a provider's settings are one frozen value while nothing changes. */
const located = new WeakMap<Located, { readonly at: string | undefined }>();

/** The table's name for a provider: by its id, address or package; undefined for unlisted servers. */
export function factsProvider(provider: Located): string | undefined {
  const known = located.get(provider);
  if (known !== undefined) return known.at;
  const at = locate(provider);
  if (Object.isFrozen(provider)) located.set(provider, { at });
  return at;
}

function locate(provider: Located): string | undefined {
  const byId = names[provider.id] ?? (tableProviders.has(provider.id) ? provider.id : undefined);
  if (byId !== undefined) return byId;
  const npm = stringOf(provider.options["package"])?.replace(/^@ai-sdk\//, "");
  if (npm !== undefined) return packages[npm] ?? (tableProviders.has(npm) ? npm : undefined);
  const host = URL.canParse(provider.baseUrl) ? new URL(provider.baseUrl).hostname : "";
  return hosts.find(([end]) => host === end || host.endsWith(`.${end}`))?.[1];
}

const names: Readonly<Record<string, string>> = {
  gemini: "google",
  together: "togetherai",
  fireworks: "fireworks-ai",
  moonshot: "moonshotai",
};
const packages: Readonly<Record<string, string>> = {
  "google-vertex/anthropic": "google-vertex-anthropic",
  togetherai: "togetherai",
  fireworks: "fireworks-ai",
  gateway: "vercel",
};
const hosts: readonly (readonly [host: string, provider: string])[] = [
  ["api.openai.com", "openai"],
  ["openai.azure.com", "azure"],
  ["services.ai.azure.com", "azure"],
  ["api.anthropic.com", "anthropic"],
  ["generativelanguage.googleapis.com", "google"],
  ["aiplatform.googleapis.com", "google-vertex"],
  ["openrouter.ai", "openrouter"],
  ["groq.com", "groq"],
  ["mistral.ai", "mistral"],
  ["deepseek.com", "deepseek"],
  ["x.ai", "xai"],
  ["together.xyz", "togetherai"],
  ["together.ai", "togetherai"],
  ["fireworks.ai", "fireworks-ai"],
  ["cerebras.ai", "cerebras"],
  ["moonshot.ai", "moonshotai"],
  ["moonshot.cn", "moonshotai"],
  ["z.ai", "zai"],
  ["bigmodel.cn", "zai"],
  ["deepinfra.com", "deepinfra"],
  ["huggingface.co", "huggingface"],
  ["aliyuncs.com", "alibaba"],
  ["api.nvidia.com", "nvidia"],
  ["minimax.io", "minimax"],
  ["minimaxi.com", "minimax"],
  ["ai-gateway.vercel.sh", "vercel"],
  ["githubcopilot.com", "github-copilot"],
  ["ollama.com", "ollama-cloud"],
  ["api.aws", "amazon-bedrock"],
];

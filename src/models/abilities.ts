/** A provider's abilities other than answering: hosted tools, compaction, image limits. They depend on its address and wire, not only on the model. */
import type { ProviderConfig } from "../core/ports/config.ts";
import type { ImageLimits, ModelInfo } from "../core/ports/model-client.ts";
import { factsProvider } from "./model-names.ts";

type Abilities = Pick<ModelInfo, "hosted" | "compactsRemotely" | "imageLimits">;

const none = { webSearch: false, webFetch: false };

export function abilitiesOf(model: string, provider: ProviderConfig | undefined): Abilities {
  const at = provider === undefined ? undefined : factsProvider(provider);
  const wire = provider?.wireApi;
  const isAnthropic = wire === "anthropic" && at === "anthropic" && isOwnHost(provider, "api.anthropic.com");
  const isOpenai = wire === "responses" && at === "openai" && isOwnHost(provider, "api.openai.com");
  const isModernClaude = isAnthropic && !/claude-(?:2|3|instant)/.test(model);
  return {
    hosted: isOpenai ? { webSearch: true, webFetch: false } : isModernClaude ? { webSearch: true, webFetch: true } : none,
    compactsRemotely: isOpenai || (wire === "responses" && at === "azure"),
    imageLimits: imageLimits(model, at),
  };
}

/** Servers of other vendors that copy a wire seldom copy its hosted tools; `options.hosted_tools = true` declares that one does. */
function isOwnHost(provider: ProviderConfig | undefined, host: string): boolean {
  if (provider?.options["hosted_tools"] === true) return true;
  return provider !== undefined && URL.canParse(provider.baseUrl) && new URL(provider.baseUrl).hostname === host;
}

const MB = 1024 * 1024;
/** By vendor or provider; measured on the base64 text, as the providers do. */
const limits: Readonly<Record<string, ImageLimits>> = {
  anthropic: { maxBytes: 5 * MB, maxSide: 8000, bestSide: 1568 },
  "amazon-bedrock": { maxBytes: 5 * MB, maxSide: 8000, bestSide: 1568 },
  openai: { maxBytes: 20 * MB, maxSide: 16_384, bestSide: 2048 },
  google: { maxBytes: 14 * MB, maxSide: 16_384, bestSide: 3072 },
  groq: { maxBytes: 4 * MB, maxSide: 5760, bestSide: 2048 },
  mistral: { maxBytes: 10 * MB, maxSide: 10_000, bestSide: 1540 },
  xai: { maxBytes: 20 * MB, maxSide: 16_384, bestSide: 2048 },
};
const usual: ImageLimits = { maxBytes: 10 * MB, maxSide: 8000, bestSide: 2048 };

/** Routers forward images unchanged: the vendor's limits apply. */
function imageLimits(model: string, provider: string | undefined): ImageLimits {
  const maker = /claude/i.test(model) ? "anthropic" : /gemini/i.test(model) ? "google" : undefined;
  return limits[maker ?? ""] ?? limits[provider ?? ""] ?? usual;
}

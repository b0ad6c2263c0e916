/** Converts token usage and rate limits between the wire's spelling and that of `token_count` lines. */
import type { ThreadTokenUsage, TokenUsageBreakdown } from "../../protocol/thread.ts";
import { isObject, type Json, numberOf, numberOrNull, objectOf, textOrNull } from "./shapes.ts";

export function usageFromDisk(info: unknown): ThreadTokenUsage | undefined {
  if (!isObject(info)) return undefined;
  return {
    total: breakdownFromDisk(objectOf(info["total_token_usage"])),
    last: breakdownFromDisk(objectOf(info["last_token_usage"])),
    modelContextWindow: numberOrNull(info["model_context_window"]),
  };
}
export const usageToDisk = (usage: ThreadTokenUsage): Json => ({
  total_token_usage: breakdownToDisk(usage.total),
  last_token_usage: breakdownToDisk(usage.last),
  model_context_window: usage.modelContextWindow ?? null,
});

const breakdownFromDisk = (counts: Json): TokenUsageBreakdown => ({
  totalTokens: numberOf(counts["total_tokens"]),
  inputTokens: numberOf(counts["input_tokens"]),
  cachedInputTokens: numberOf(counts["cached_input_tokens"]),
  outputTokens: numberOf(counts["output_tokens"]),
  reasoningOutputTokens: numberOf(counts["reasoning_output_tokens"]),
  ...("cache_write_input_tokens" in counts ? { cacheWriteInputTokens: numberOf(counts["cache_write_input_tokens"]) } : {}),
});
const breakdownToDisk = (counts: TokenUsageBreakdown): Json => ({
  input_tokens: counts.inputTokens,
  cached_input_tokens: counts.cachedInputTokens,
  ...(counts.cacheWriteInputTokens === undefined ? {} : { cache_write_input_tokens: counts.cacheWriteInputTokens }),
  output_tokens: counts.outputTokens,
  reasoning_output_tokens: counts.reasoningOutputTokens,
  total_tokens: counts.totalTokens,
});

/** Undefined if the provider reported no limits. */
export function rateLimitsFromDisk(limits: unknown): Json | undefined {
  if (!isObject(limits) || (limits["primary"] == null && limits["secondary"] == null)) return undefined;
  return {
    primary: windowFromDisk(limits["primary"]),
    secondary: windowFromDisk(limits["secondary"]),
    planType: textOrNull(limits["plan_type"]),
  };
}
export function rateLimitsToDisk(limits: unknown): Json | null {
  if (!isObject(limits)) return null;
  return {
    primary: windowToDisk(limits["primary"]),
    secondary: windowToDisk(limits["secondary"]),
    credits: null,
    plan_type: textOrNull(limits["planType"]),
  };
}
const windowFromDisk = (value: unknown): Json | null =>
  isObject(value)
    ? {
        usedPercent: numberOf(value["used_percent"]),
        windowDurationMins: numberOrNull(value["window_minutes"]),
        resetsAt: numberOrNull(value["resets_at"]),
      }
    : null;
const windowToDisk = (value: unknown): Json | null =>
  isObject(value) && typeof value["usedPercent"] === "number"
    ? {
        used_percent: value["usedPercent"],
        window_minutes: numberOrNull(value["windowDurationMins"]),
        resets_at: numberOrNull(value["resetsAt"]),
      }
    : null;

/** Adds up the tokens of a thread. */
import type { ThreadTokenUsage } from "../../protocol/thread.ts";
import type { TokenUsage } from "../ports/model-client.ts";

const noTokens: TokenUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteInputTokens: 0,
  outputTokens: 0,
  reasoningOutputTokens: 0,
  totalTokens: 0,
};
export const noUsage: ThreadTokenUsage = { total: noTokens, last: noTokens, modelContextWindow: null };

export function addUsage({ total }: ThreadTokenUsage, last: TokenUsage, modelContextWindow: number): ThreadTokenUsage {
  const add = (key: keyof TokenUsage): number => (total[key] ?? 0) + (last[key] ?? 0);
  return {
    total: {
      inputTokens: add("inputTokens"),
      cachedInputTokens: add("cachedInputTokens"),
      cacheWriteInputTokens: add("cacheWriteInputTokens"),
      outputTokens: add("outputTokens"),
      reasoningOutputTokens: add("reasoningOutputTokens"),
      totalTokens: add("totalTokens"),
    },
    last: { ...last, cacheWriteInputTokens: last.cacheWriteInputTokens ?? 0 },
    modelContextWindow,
  };
}

/** Maps reasoning effort between vendors with different levels. */
import type { ModelInfo } from "../core/ports/model-client.ts";

const steps: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/** The nearest level that the model supports, preferring the lower one. An unknown model is expected to have only low, medium and high. */
export function nearestEffort(effort: string, model: Pick<ModelInfo, "efforts">): string {
  const offered = model.efforts.length > 0 ? model.efforts.map((e) => e.effort) : ["low", "medium", "high"];
  if (offered.includes(effort)) return effort;
  const wanted = steps.indexOf(effort);
  if (wanted < 0) return effort; // a provider-specific value
  const known = offered.map((e) => steps.indexOf(e)).filter((at) => at >= 0);
  const below = known.filter((at) => at < wanted);
  const best = below.length > 0 ? Math.max(...below) : Math.min(...known);
  return steps[best] ?? effort;
}

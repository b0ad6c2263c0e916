/** Reasoning effort between vendors that name different steps. */
import type { ModelInfo } from "../core/ports/model-client.ts";

const steps: readonly string[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"];

/** The step the model knows that is nearest, rather lower than higher. Of an unknown model only low, medium and high are expected. */
export function nearestEffort(effort: string, model: Pick<ModelInfo, "efforts">): string {
  const offered = model.efforts.length > 0 ? model.efforts.map((e) => e.effort) : ["low", "medium", "high"];
  if (offered.includes(effort)) return effort;
  const wanted = steps.indexOf(effort);
  if (wanted < 0) return effort; // a word of the provider's own
  const known = offered.map((e) => steps.indexOf(e)).filter((at) => at >= 0);
  const below = known.filter((at) => at < wanted);
  const best = below.length > 0 ? Math.max(...below) : Math.min(...known);
  return steps[best] ?? effort;
}

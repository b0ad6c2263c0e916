/** The longest request that a model accepts, as learned from refusals: local servers and routers seldom report it in advance. */
import type { ModelWindows } from "../ports/core-ports.ts";
import type { ModelChoice } from "../ports/settings.ts";

/** A server may see many models over its lifetime. */
const memoryLimit = 512;
/** No usable model has less, whatever number a refusal contains. */
const smallest = 2048;

export class LearnedWindows implements ModelWindows {
  readonly #tokens = new Map<string, number>();

  of(model: ModelChoice): number | undefined {
    return this.#tokens.get(keyOf(model));
  }
  learn(model: ModelChoice, tokens: number): void {
    if (this.#tokens.size >= memoryLimit) this.#tokens.clear();
    this.#tokens.set(keyOf(model), Math.max(smallest, Math.floor(tokens)));
  }
}

const keyOf = ({ model, modelProvider }: ModelChoice): string => `${modelProvider}\n${model}`;

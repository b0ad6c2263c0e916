/** How long a request to a model may be, as far as refusals have shown: local servers and routers seldom say it beforehand. */
import type { ModelWindows } from "../ports/core-ports.ts";
import type { ModelChoice } from "../ports/settings.ts";

/** Models are many over the life of a server. */
const memoryLimit = 512;
/** No model worth calling has less, whatever a provider wrote into its refusal. */
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

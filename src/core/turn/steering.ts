/** What people add to a turn while it runs, until the turn takes it in. */
import type { UserInput } from "../../protocol/item.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { TurnItems } from "./turn-items.ts";

export interface TurnInput {
  readonly content: readonly UserInput[];
  /** The id under which the client already shows this message. */
  readonly clientId?: string | undefined;
  /** What the client adds for the model to read before it: of its own, or from a source that is not to be trusted. */
  readonly context?: readonly ModelItem[];
  /** Of its item, where that is known to the store already. */
  readonly itemId?: string;
}

export class Steering {
  readonly #taken: Pick<TurnItems, "all">;
  #waiting: TurnInput[] = [];

  constructor(taken: Pick<TurnItems, "all">) {
    this.#taken = taken;
  }

  get count(): number {
    return this.#waiting.length;
  }
  /** The same message a second time, from a client that did not hear the answer to the first, counts once: false then. */
  add(input: TurnInput): boolean {
    const { clientId } = input;
    const isKnown =
      clientId !== undefined &&
      (this.#waiting.some((waiting) => waiting.clientId === clientId) ||
        this.#taken.all.some((item) => item.type === "userMessage" && item.clientId === clientId));
    if (!isKnown) this.#waiting.push(input);
    return !isKnown;
  }
  take(): readonly TurnInput[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}

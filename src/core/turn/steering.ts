/** Input that is added to a running turn, until the turn takes it in. */
import type { UserInput } from "../../protocol/item.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { TurnItems } from "./turn-items.ts";

export interface TurnInput {
  readonly content: readonly UserInput[];
  /** The id under which the client already shows this message. */
  readonly clientId?: string | undefined;
  /** Additional context from the client for the model: its own, or from an untrusted source. */
  readonly context?: readonly ModelItem[];
  /** The id of its item, if it is stored already. */
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
  /** False for a repeated message, from a client that missed the response to the first: it counts once. */
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

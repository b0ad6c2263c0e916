/** Input and notes that are added to a running turn, until the turn takes them in. */
import type { UserInput } from "../../protocol/item.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { TurnItems } from "./turn-items.ts";

export interface TurnInput {
  readonly content: readonly UserInput[];
  /** The id under which the client already shows this message. */
  readonly clientId?: string | undefined;
  /** Additional context from the client for the model: its own, or from an untrusted source. */
  readonly context?: readonly ModelItem[];
  /** In place of a person's message: only the model reads it. */
  readonly prompt?: ModelItem;
  /** What the provider is to record with this turn's requests from now on: in place of what was given before, and changes to it. */
  readonly metadata?: { readonly all: Readonly<Record<string, string>> | undefined; readonly patch: Readonly<Record<string, string>> };
  /** The id of its item, if it is stored already. */
  readonly itemId?: string;
}

export class Steering {
  readonly #taken: Pick<TurnItems, "all">;
  readonly #listeners = new Set<() => void>();
  #waiting: TurnInput[] = [];
  /** Messages of other agents, which are no input of the person. */
  #notes: ModelItem[] = [];
  readonly #asides: ModelItem[] = [];

  constructor(taken: Pick<TurnItems, "all">) {
    this.#taken = taken;
  }

  get count(): number {
    return this.#waiting.length;
  }
  get hasNews(): boolean {
    return this.#waiting.length > 0 || this.#notes.length > 0;
  }
  /** Something is left to take: also what makes the turn ask for nothing more. */
  get isWaiting(): boolean {
    return this.hasNews || this.#asides.length > 0;
  }
  /** Calls back whenever something is added; the returned function ends that. */
  onInput(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  addNotes(notes: readonly ModelItem[]): void {
    this.#notes.push(...notes);
    for (const listener of this.#listeners) listener();
  }
  /** A note that the model has read by other means. */
  dropNote(note: ModelItem): void {
    this.#notes = this.#notes.filter((waiting) => waiting !== note);
  }
  /** The model reads it with its next request, if the turn makes one; a note makes it make one. */
  addAside(aside: ModelItem): void {
    this.#asides.push(aside);
  }
  takeNotes(): readonly ModelItem[] {
    return [...this.#notes.splice(0), ...this.#asides.splice(0)];
  }
  /** False for a repeated message, from a client that missed the response to the first: it counts once. */
  add(input: TurnInput): boolean {
    const { clientId } = input;
    const isKnown =
      clientId !== undefined &&
      (this.#waiting.some((waiting) => waiting.clientId === clientId) ||
        this.#taken.all.some((item) => item.type === "userMessage" && item.clientId === clientId));
    if (isKnown) return false;
    this.#waiting.push(input);
    for (const listener of this.#listeners) listener();
    return true;
  }
  take(): readonly TurnInput[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}

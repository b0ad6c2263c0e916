/** The context messages that the model has read last, and the guessed model that people were warned about. */

export class SeenContext {
  #texts: ReadonlyMap<string, string> | undefined;
  #guessedModel: string | undefined;

  /** By kind; undefined until the first turn in this process, when it is read from the history. */
  get texts(): ReadonlyMap<string, string> | undefined {
    return this.#texts;
  }
  replace(texts: ReadonlyMap<string, string>): void {
    this.#texts = texts;
  }
  /** The history was restarted and contains none of them. */
  clear(): void {
    this.#texts = new Map();
  }
  /** The history was replaced. */
  forget(): void {
    this.#texts = undefined;
  }

  /** True the first time in a row that this model's window was guessed. */
  isNewGuess(model: string): boolean {
    const isNew = this.#guessedModel !== model;
    this.#guessedModel = model;
    return isNew;
  }
}

/** Which context messages the model has read last, and of which guessed model people have been warned. */

export class SeenContext {
  #texts: ReadonlyMap<string, string> | undefined;
  #guessedModel: string | undefined;

  /** By kind; undefined until the first turn here: then the history says it. */
  get texts(): ReadonlyMap<string, string> | undefined {
    return this.#texts;
  }
  replace(texts: ReadonlyMap<string, string>): void {
    this.#texts = texts;
  }
  /** The history begins anew, and none of them is in it. */
  clear(): void {
    this.#texts = new Map();
  }
  /** The history is another one. */
  forget(): void {
    this.#texts = undefined;
  }

  /** True the first time in a row that the window of this model was guessed. */
  isNewGuess(model: string): boolean {
    const isNew = this.#guessedModel !== model;
    this.#guessedModel = model;
    return isNew;
  }
}

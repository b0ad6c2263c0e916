/** Text that arrives in pieces and may never end: the beginning is kept, the rest is counted, and the result says so. For responses of models. */

/** Longer than any response that somebody reads, and small enough to be stored, sent and read back many times. */
const defaultMax = 8 * 1024 * 1024;

/** So many pieces are joined into one. */
const maxLoose = 256;

export class KeptText {
  readonly #max: number;
  readonly #pieces: string[] = [];
  /** How many of the last pieces were added since the earlier ones were joined. */
  #loose = 0;
  #kept = 0;
  #missing = 0;

  constructor(max = defaultMax) {
    this.#max = max;
  }

  add(piece: string): void {
    const room = this.#max - this.#kept;
    const taken = piece.length <= room ? piece : piece.slice(0, room);
    this.#missing += piece.length - taken.length;
    if (taken === "") return;
    this.#kept += taken.length;
    this.#pieces.push(taken);
    if (++this.#loose >= maxLoose) this.#join();
  }

  /** Thousands of short strings, each with a header, would all be copied when the young space is cleared. */
  #join(): void {
    this.#pieces.push(this.#pieces.splice(-this.#loose).join(""));
    this.#loose = 0;
  }

  get isEmpty(): boolean {
    return this.#kept + this.#missing === 0;
  }
  /** Whether a part of the text was dropped. */
  get isCut(): boolean {
    return this.#missing > 0;
  }

  toString(): string {
    const text = this.#pieces.join("");
    return this.#missing === 0 ? text : `${text.toWellFormed()}\n[${this.#missing} more characters were not kept]`;
  }
}

/** JSON that is written already, in place of a value: an answer whose parts are known as text need not be built and written again. */
export class JsonText<T> {
  readonly text: string;
  /** What is in the text; only for the compiler. */
  declare readonly content?: T;

  constructor(text: string) {
    this.text = text;
  }
  /** For whoever writes it as part of something else. */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Splits a byte stream into lines on LF alone; readline would also split on U+2028, which may stand inside a JSON string. */

/** A longer line is dropped while it streams in, so that one line cannot fill the memory. */
export const maxLineBytes = 128 * 1024 * 1024;

export interface LineSink {
  line(text: string): void;
  /** A line over the limit ended; `head` is its beginning, enough to find its id. */
  tooLong(head: string, bytes: number): void;
}

export class LineSplitter {
  readonly #sink: LineSink;
  readonly #limit: number;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(sink: LineSink, limit: number = maxLineBytes) {
    this.#sink = sink;
    this.#limit = limit;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#keep(chunk.subarray(start, end));
      this.#emit();
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The input ended: a last line without LF counts. */
  end(): void {
    if (this.#size > 0) this.#emit();
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size <= this.#limit || this.#parts.length === 0) this.#parts.push(part);
  }

  #emit(): void {
    const [first, ...rest] = this.#parts;
    const size = this.#size;
    this.#parts = [];
    this.#size = 0;
    if (first === undefined) return this.#sink.line("");
    if (size > this.#limit) return this.#sink.tooLong(first.toString("utf8", 0, Math.min(first.length, 4096)), size);
    const whole = rest.length === 0 ? first : Buffer.concat([first, ...rest], size);
    const end = whole.length > 0 && whole[whole.length - 1] === 13 ? whole.length - 1 : whole.length;
    const text = whole.toString("utf8", 0, end);
    this.#sink.line(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  }
}

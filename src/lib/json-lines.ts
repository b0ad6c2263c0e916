/** Splits a byte stream into lines at LF only; readline would also split at U+2028, which may occur inside a JSON string. */

/** A longer line is dropped while it streams in, so that one line cannot fill the memory. */
export const maxLineBytes = 128 * 1024 * 1024;

/** Smaller chunks of a line are merged: kept one by one, a line that arrives byte by byte would cost a hundred times its length. */
const smallBytes = 16 * 1024;
const gatheredBytes = 64 * 1024;
const headBytes = 4096;

export interface LineSink {
  line(text: string): void;
  /** Called when an overlong line has ended; `head` is its beginning, enough to find its id. */
  tooLong(head: string, bytes: number): void;
}

export class LineSplitter {
  readonly #sink: LineSink;
  readonly #limit: number;
  #parts: Buffer[] = [];
  /** The buffer in which small chunks are merged, and how much of it is used. */
  #gathering: Buffer | undefined;
  #gathered = 0;
  #size = 0;

  constructor(sink: LineSink, limit: number = maxLineBytes) {
    this.#sink = sink;
    this.#limit = limit;
  }

  /** Number of chunks kept of an unfinished line. */
  get pieces(): number {
    return this.#parts.length + (this.#gathered > 0 ? 1 : 0);
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const last = chunk.subarray(start, end);
      start = end + 1;
      this.#emit(last);
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** End of input: a last line without LF counts. */
  end(): void {
    if (this.#size > 0) this.#emit(Buffer.alloc(0));
  }

  #keep(part: Buffer): void {
    this.#size += part.length;
    if (this.#size > this.#limit) return this.#cut(part);
    if (part.length >= smallBytes) {
      this.#settle();
      this.#parts.push(part);
      return;
    }
    if (this.#gathered + part.length > gatheredBytes) this.#settle();
    this.#gathering ??= Buffer.allocUnsafeSlow(gatheredBytes);
    part.copy(this.#gathering, this.#gathered);
    this.#gathered += part.length;
  }

  /** The beginning of an overlong line is enough. */
  #cut(part: Buffer): void {
    this.#settle();
    const [first = part] = this.#parts;
    this.#parts = [Buffer.from(first.subarray(0, headBytes))];
  }

  /** Turns the merged bytes into a chunk of their own length. */
  #settle(): void {
    if (this.#gathering === undefined || this.#gathered === 0) return;
    this.#parts.push(Buffer.from(this.#gathering.subarray(0, this.#gathered)));
    this.#gathered = 0;
  }

  #emit(last: Buffer): void {
    const size = this.#size + last.length;
    const held = this.pieces > 0;
    this.#settle();
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    const [first = last] = parts;
    if (size > this.#limit) return this.#sink.tooLong(first.toString("utf8", 0, Math.min(first.length, headBytes)), size);
    const whole = held ? Buffer.concat([...parts, last], size) : last;
    const end = whole.length > 0 && whole[whole.length - 1] === 13 ? whole.length - 1 : whole.length;
    const text = whole.toString("utf8", 0, end);
    this.#sink.line(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  }
}

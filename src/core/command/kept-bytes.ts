/** Keeps the beginning and the end of a byte stream of any length, in bounded memory and with a single copy. */

/** Space for the note that marks the gap. */
const noteBytes = 64;

const firstBytes = 1024;

const none = new Uint8Array();

export class KeptBytes {
  readonly #half: number;
  /** The first bytes; grows up to half of the limit. */
  #head = Buffer.alloc(0);
  /** The last bytes, in a ring buffer; allocated when the head is full. */
  #ring: Buffer | undefined;
  #total = 0;

  /** No returned text is longer than `limit`. */
  constructor(limit: number) {
    this.#half = Math.floor((limit - noteBytes) / 2);
  }

  /** Total bytes received, kept or not. */
  get total(): number {
    return this.#total;
  }

  /** Copies the bytes. */
  push(chunk: Uint8Array): void {
    const first = this.#total < this.#half ? chunk.subarray(0, this.#half - this.#total) : none;
    if (first.length > 0) this.#begin(first);
    this.#total += chunk.length;
    if (first.length === chunk.length) return;
    this.#ring ??= Buffer.allocUnsafeSlow(this.#half);
    const start = (this.#total - chunk.length - this.#half) % this.#half;
    // The usual case of much output: every view that is made for a piece costs more than copying it.
    if (first.length === 0 && start + chunk.length <= this.#half) return this.#ring.set(chunk, start);
    // Only the end of a chunk larger than the ring will remain.
    const last = chunk.subarray(Math.max(first.length, chunk.length - this.#half));
    const at = (this.#total - last.length - this.#half) % this.#half;
    const untilEnd = last.subarray(0, this.#half - at);
    this.#ring.set(untilEnd, at);
    this.#ring.set(last.subarray(untilEnd.length), 0);
  }

  /** How many more bytes fit before some are left out. */
  get room(): number {
    return Math.max(0, 2 * this.#half - this.#total);
  }
  /** All bytes received, in parts; valid only while nothing was left out. */
  get parts(): readonly Buffer[] {
    return [this.#head.subarray(0, Math.min(this.#half, this.#total)), this.#tail(this.#half, this.#total)];
  }

  /** The kept bytes from `from` to `until`, as text. Characters that the gap cuts in half are left out with it. */
  text(from = 0, until = this.#total): string {
    const headEnd = Math.min(this.#half, until);
    const tailStart = Math.max(headEnd, this.#total - this.#half);
    const head = this.#head.subarray(Math.min(from, headEnd), headEnd);
    const tail = this.#tail(Math.max(from, tailStart), until);
    const left = tailStart - Math.max(from, headEnd);
    if (left <= 0) return (head.length === 0 ? tail : tail.length === 0 ? head : Buffer.concat([head, tail])).toString("utf8");
    // In plain letters: with a single other one, V8 would need two bytes for every character of the text and of all its copies.
    return `${wholeEnd(head).toString("utf8")}\n[${left} bytes left out]\n${wholeStart(tail).toString("utf8")}`;
  }

  /** Where the last whole character ends. */
  get wholeUntil(): number {
    const headEnd = Math.min(this.#half, this.#total);
    const last = this.#total > headEnd ? this.#tail(Math.max(headEnd, this.#total - 4), this.#total) : this.#head.subarray(0, headEnd);
    return this.#total - (last.length - wholeEnd(last).length);
  }

  #begin(bytes: Uint8Array): void {
    const needed = this.#total + bytes.length;
    if (needed > this.#head.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#half, Math.max(firstBytes, 2 * needed)));
      larger.set(this.#head.subarray(0, this.#total));
      this.#head = larger;
    }
    this.#head.set(bytes, this.#total);
  }

  #tail(from: number, until: number): Buffer {
    const ring = this.#ring;
    if (ring === undefined || from >= until) return Buffer.alloc(0);
    const start = (from - this.#half) % this.#half;
    const end = start + until - from;
    return end <= this.#half ? ring.subarray(start, end) : Buffer.concat([ring.subarray(start), ring.subarray(0, end - this.#half)]);
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Without the leading bytes of a character that began earlier. */
function wholeStart(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at])) at++;
  return bytes.subarray(at);
}

/** Without the trailing bytes of an incomplete character. */
export function wholeEnd(bytes: Buffer): Buffer {
  let at = bytes.length - 1;
  while (at >= 0 && at > bytes.length - 4 && isContinuation(bytes[at])) at--;
  const first = bytes[at] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return at >= 0 && at + length > bytes.length ? bytes.subarray(0, at) : bytes;
}

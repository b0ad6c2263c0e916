/** Keeps the beginning and the end of a stream of bytes within a fixed budget, so that endless output cannot fill the memory. */

/** Bytes go in as they come; the text of what was kept comes out. Head and tail are cut at character boundaries. */
export class RingText {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Uint8Array[] = [];
  #headBytes = 0;
  /** A ring: once full, the oldest byte is overwritten. Grows up to the limit, so that short output stays cheap. */
  #tail = new Uint8Array(0);
  #tailStart = 0;
  #tailBytes = 0;
  #total = 0;

  /** `limit` bytes in all, half of them for the head unless `headLimit` says otherwise. */
  constructor(limit: number, headLimit: number = Math.floor(limit / 2)) {
    this.#headLimit = Math.min(headLimit, limit);
    this.#tailLimit = limit - this.#headLimit;
  }

  get totalBytes(): number {
    return this.#total;
  }

  get omittedBytes(): number {
    return this.#total - this.#headBytes - this.#tailBytes;
  }

  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    const room = this.#headLimit - this.#headBytes;
    if (room > 0) {
      const part = chunk.slice(0, room);
      this.#head.push(part);
      this.#headBytes += part.length;
    }
    if (chunk.length > room) this.#pushTail(room > 0 ? chunk.subarray(room) : chunk);
  }

  /** What was kept. `gap` writes the words between head and tail when bytes were left out. */
  text(gap: (omittedBytes: number) => string = (n) => `\n[... ${n} bytes left out ...]\n`): string {
    const head = joined(this.#head, this.#headBytes);
    const tail = this.#tailInOrder();
    if (this.omittedBytes === 0) return decode(joined([head, tail], head.length + tail.length));
    const wholeHead = head.subarray(0, completeLength(head));
    const wholeTail = tail.subarray(continuationLength(tail));
    return decode(wholeHead) + gap(this.#total - wholeHead.length - wholeTail.length) + decode(wholeTail);
  }

  #pushTail(chunk: Uint8Array): void {
    const part = chunk.length > this.#tailLimit ? chunk.subarray(chunk.length - this.#tailLimit) : chunk;
    if (part.length === 0) return;
    if (this.#tailBytes + part.length > this.#tail.length && this.#tail.length < this.#tailLimit) this.#grow(this.#tailBytes + part.length);
    const size = this.#tail.length;
    const at = (this.#tailStart + this.#tailBytes) % size;
    const first = Math.min(part.length, size - at);
    this.#tail.set(part.subarray(0, first), at);
    this.#tail.set(part.subarray(first), 0);
    const over = Math.max(0, this.#tailBytes + part.length - size);
    this.#tailStart = (this.#tailStart + over) % size;
    this.#tailBytes = Math.min(size, this.#tailBytes + part.length);
  }

  #grow(needed: number): void {
    const bigger = new Uint8Array(Math.min(this.#tailLimit, Math.max(needed, this.#tail.length * 2)));
    bigger.set(this.#tailInOrder());
    this.#tail = bigger;
    this.#tailStart = 0;
  }

  #tailInOrder(): Uint8Array {
    const end = this.#tailStart + this.#tailBytes;
    const size = this.#tail.length;
    if (end <= size) return this.#tail.subarray(this.#tailStart, end);
    return joined([this.#tail.subarray(this.#tailStart), this.#tail.subarray(0, end - size)], this.#tailBytes);
  }
}

const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** How many bytes of the end of a cut UTF-8 sequence stand at the beginning. */
function continuationLength(bytes: Uint8Array): number {
  let n = 0;
  while (n < 3 && isContinuation(bytes[n])) n++;
  return n;
}

/** The length without a UTF-8 sequence that was cut at the end. */
function completeLength(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  while (start >= 0 && bytes.length - start < 4 && isContinuation(bytes[start])) start--;
  const lead = bytes[start];
  if (lead === undefined || lead < 0xc0) return bytes.length;
  const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return bytes.length - start < wanted ? start : bytes.length;
}

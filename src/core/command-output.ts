/** A command's output on its way to the clients and the model: decoded, rate-limited, capped. */

/** What an item keeps of the output; the middle of a longer one is left out. */
const keptCharacters = 1024 * 1024;
/** What is streamed live of one command; the rest is in the completed item. */
const streamedCharacters = 2 * 1024 * 1024;
/** Pieces that come faster than this are sent together. */
const pauseMs = 40;
const pieceCharacters = 64 * 1024;

export class CommandOutput {
  readonly #decoder = new TextDecoder("utf-8");
  readonly #onDelta: (text: string) => void;
  #head = "";
  #tail = "";
  #dropped = 0;
  #waiting = "";
  #streamed = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastSent = 0;
  /** Called on every arrival, for those who wait for output. */
  onArrival: () => void = () => {};

  constructor(onDelta: (text: string) => void) {
    this.#onDelta = onDelta;
  }

  push(chunk: Uint8Array): void {
    this.#take(this.#decoder.decode(chunk, { stream: true }));
  }
  /** The last bytes have come: sends what waits. */
  end(): void {
    this.#take(this.#decoder.decode());
    this.#flush();
  }
  get text(): string {
    if (this.#dropped === 0) return this.#head + this.#tail;
    return `${this.#head}\n…${this.#dropped} characters left out…\n${this.#tail}`;
  }
  /** All output since the last call, within the same cap: for a model that looks again at a running command. */
  takeNew(): string {
    const text = this.#fresh;
    this.#fresh = "";
    return text;
  }
  #fresh = "";

  #take(text: string): void {
    if (text === "") return;
    this.#keep(text);
    this.#fresh = this.#fresh.length > keptCharacters ? this.#fresh : this.#fresh + text;
    const room = streamedCharacters - this.#streamed - this.#waiting.length;
    if (room > 0) this.#waiting += text.length > room ? `${text.slice(0, room)}\n…the rest is in the completed item…\n` : text;
    if (this.#waiting.length >= pieceCharacters || Date.now() - this.#lastSent >= pauseMs) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), pauseMs);
    this.onArrival();
  }

  #keep(text: string): void {
    const half = keptCharacters / 2;
    const toHead = this.#tail === "" ? Math.max(0, half - this.#head.length) : 0;
    this.#head += text.slice(0, toHead);
    const rest = text.slice(toHead);
    if (rest === "") return;
    this.#tail += rest;
    if (this.#tail.length <= 2 * half) return;
    const cut = this.#tail.length - half;
    this.#dropped += cut;
    this.#tail = this.#tail.slice(cut);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === "") return;
    this.#lastSent = Date.now();
    this.#streamed += this.#waiting.length;
    const text = this.#waiting;
    this.#waiting = "";
    this.#onDelta(text);
  }
}

/** A command's output on its way to the clients and the model: decoded, rate-limited, capped. */

import { isUtf8 } from "node:buffer";
import type { Timers } from "../ports/clock.ts";
import type { KeptOutput, OutputSink } from "../ports/output-files.ts";
import { KeptBytes, wholeEnd } from "./kept-bytes.ts";

/** How much output an item keeps; the middle of longer output is left out. */
const keptBytes = 1024 * 1024;
/** How much of one command's output is streamed live; the rest is in the completed item. */
const streamedCharacters = 1024 * 1024;
/** Chunks that arrive within this time of each other are sent together. */
const pauseMs = 40;
const pieceCharacters = 64 * 1024;

export type OutputStream = "stdout" | "stderr";
/** Which stream a part of a chunk came from. Its length is in characters of the text; `bytes` are the original ones in base64, if they were not UTF-8. */
type OutputRun = { stream: OutputStream; length: number; bytes?: string };
/** The parts of a chunk, in order. */
export type OutputRuns = readonly Readonly<OutputRun>[];

type OutputClock = Pick<Timers, "monotonic" | "after">;

export class CommandOutput {
  readonly #kept = new KeptBytes(keptBytes);
  /** The first bytes of a character whose last ones have not arrived yet. */
  readonly #incomplete: Record<OutputStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  readonly #onDelta: (text: string, runs: OutputRuns) => void;
  #waiting = "";
  #runs: OutputRun[] = [];
  #streamed = 0;
  /** Streaming has stopped, so nothing more is decoded before the end. */
  #isCut = false;
  #cancelFlush: (() => void) | undefined;
  #lastSent = Number.NEGATIVE_INFINITY;
  #takenBytes = 0;
  #whole: string | undefined;
  /** Called whenever output arrives. */
  onArrival: () => void = () => {};

  /** Receives the full output when it exceeds what is kept in memory. */
  readonly #openSink: () => OutputSink | undefined;
  #sink: OutputSink | undefined;
  #hasSpilt = false;

  readonly #clock: OutputClock;

  constructor(
    clock: OutputClock,
    onDelta: (text: string, runs: OutputRuns) => void,
    openSink: () => OutputSink | undefined = () => undefined,
  ) {
    this.#clock = clock;
    this.#onDelta = onDelta;
    this.#openSink = openSink;
  }

  /** The file with the full output, after the command has ended; undefined when all of it is in memory. */
  async whole(): Promise<KeptOutput | undefined> {
    return await this.#sink?.end();
  }

  /** The caller may reuse the buffer after this returns, and should push nothing more until a returned promise resolves. */
  push(chunk: Uint8Array, stream: OutputStream = "stdout"): Promise<void> | undefined {
    if (chunk.length === 0) return undefined;
    if (!this.#hasSpilt && chunk.length > this.#kept.room) this.#spill();
    const room = this.#sink?.write(chunk);
    this.#kept.push(chunk);
    if (!this.#isCut) this.#decode(chunk, stream);
    this.onArrival();
    return room;
  }
  /** Called after the last bytes: sends what is still buffered. */
  end(): void {
    for (const stream of ["stdout", "stderr"] as const) if (!this.#isCut) this.#stream(this.#incomplete[stream], stream);
    this.#flush();
    this.#whole = this.#kept.text();
  }
  get text(): string {
    return this.#whole ?? this.#kept.text();
  }
  /** All output since the last call, within the same cap: for a model that polls a running command. */
  takeNew(): string {
    const until = this.#whole === undefined ? this.#kept.wholeUntil : this.#kept.total;
    const text = this.#kept.text(this.#takenBytes, until);
    this.#takenBytes = until;
    return text;
  }

  /** From the first byte that does not fit, everything also goes into the file. */
  #spill(): void {
    this.#hasSpilt = true;
    this.#sink = this.#openSink();
    for (const part of this.#kept.parts) this.#sink?.write(part);
  }

  #decode(chunk: Uint8Array, stream: OutputStream): void {
    const before = this.#incomplete[stream];
    const bytes = before.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([before, chunk]);
    const whole = wholeEnd(bytes);
    this.#incomplete[stream] = Buffer.from(bytes.subarray(whole.length));
    this.#stream(whole, stream);
  }

  #stream(bytes: Buffer, stream: OutputStream): void {
    if (bytes.length === 0) return;
    const text = bytes.toString("utf8");
    this.#streamed += text.length;
    this.#isCut = this.#streamed > streamedCharacters;
    const shown = this.#isCut ? `${text.slice(0, streamedCharacters - this.#streamed)}\n[the rest is in the completed item]\n` : text;
    this.#waiting += shown;
    const isText = this.#isCut || !text.includes("\ufffd") || isUtf8(bytes);
    const last = this.#runs.at(-1);
    if (!isText) this.#runs.push({ stream, length: shown.length, bytes: bytes.toString("base64") });
    else if (last?.stream === stream && last.bytes === undefined) last.length += shown.length;
    else this.#runs.push({ stream, length: shown.length });
    if (this.#waiting.length >= pieceCharacters || this.#clock.monotonic() - this.#lastSent >= pauseMs) this.#flush();
    else this.#cancelFlush ??= this.#clock.after(pauseMs, () => this.#flush());
  }

  #flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    if (this.#waiting === "") return;
    this.#lastSent = this.#clock.monotonic();
    const [text, runs] = [this.#waiting, this.#runs];
    this.#waiting = "";
    this.#runs = [];
    this.#onDelta(text, runs);
  }
}

/** A chunk's parts in its notification: absent when everything is text of stdout, the usual case. */
export const streamsOf = (runs: OutputRuns): { runs?: OutputRun[] } =>
  runs.some(({ stream, bytes }) => stream === "stderr" || bytes !== undefined) ? { runs: runs.map((run) => ({ ...run })) } : {};

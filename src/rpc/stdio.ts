/** JSON lines over this process's own stdin and stdout. */
import { createWriteStream, fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { LineSplitter, maxLineBytes } from "../lib/json-lines.ts";
import { type MessageSeries, type Transport, tooFarBehind } from "./transport.ts";

const ignore = (): void => {};
/** Chunk size for writes when much is sent at once: about a pipe's capacity. */
const pieceCharacters = 64 * 1024;
const lineBreak = 10;
/**
 * The client on stdio is the only one, so it blocks nobody else: while it does not read, a turn's stream and its requests wait. Unsolicited
 * messages have this limit; beyond it the connection ends, and the server with it.
 */
const maxBacklog = 128 * 1024 * 1024;

export function stdioTransport(): Transport {
  return new LinesTransport(process.stdin, openStdout());
}

/** Node's own process.stdout blocks the whole process on a full pipe; a socket over the same file descriptor does not. */
function openStdout(): Writable {
  const stat = fstatSync(1);
  if (stat.isFIFO() || stat.isSocket()) return new Socket({ fd: 1, readable: false, writable: true });
  if (stat.isFile()) return createWriteStream("", { fd: 1, autoClose: false });
  return process.stdout;
}

/** JSON lines over any pair of streams. On a socket, which is both of them, the end of one direction is the end of the connection. */
export class LinesTransport implements Transport {
  readonly kind: "stdio" | "unix";
  onMessage: (text: string) => void = ignore;
  onTooLong: (head: string) => void = ignore;
  onClose: (error?: Error) => void = ignore;
  onDrain: () => void = ignore;
  readonly #input: Readable;
  readonly #output: Writable;
  #queue: string[] = [];
  #queued = 0;
  #scheduled = false;
  #closed = false;
  #outputGone = false;

  constructor(input: Readable, output: Writable, kind: "stdio" | "unix" = "stdio", maxLine = maxLineBytes) {
    this.#input = input;
    this.#output = output;
    this.kind = kind;
    const splitter = new LineSplitter({ line: (text) => this.onMessage(text), tooLong: (head) => this.onTooLong(head) }, maxLine);
    input.on("data", (chunk: Buffer) => splitter.push(chunk));
    input.on("end", () => {
      splitter.end();
      this.#end();
    });
    input.on("error", (error) => this.#end(error));
    output.on("drain", () => this.onDrain());
    output.on("error", () => {
      this.#outputGone = true; // the reader has disconnected; its messages have nowhere else to go
      this.#end();
    });
  }

  get backlog(): number {
    return this.#queued + this.#output.writableLength;
  }
  send(json: string): void {
    if (this.#outputGone) return;
    this.#queue.push(json);
    this.#queued += json.length;
    if (this.#queued >= pieceCharacters) return this.flush();
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }
  /** As one text with line breaks in it, made in one piece. */
  sendSeries({ head, middles, tail }: MessageSeries): void {
    this.send(`${head}${middles.join(`${tail}\n${head}`)}${tail}`);
  }
  pause(): void {
    this.#input.pause();
  }
  resume(): void {
    this.#input.resume();
  }
  close(): void {
    this.flush();
    this.#end();
  }
  /** Closing the output is the only signal that the other side gets; it follows complete lines. */
  cutOff(why: string): void {
    this.#queue = [];
    this.#queued = 0;
    this.#outputGone = true;
    this.#output.end();
    this.#end(new Error(why));
  }
  flush(): void {
    if (this.#queue.length === 0) return;
    // Not for each message: to ask the stream for its length costs more than to queue one.
    if (this.backlog > maxBacklog) return this.cutOff(tooFarBehind);
    const bytes = this.#queued < pieceCharacters ? Buffer.from(`${this.#queue.join("\n")}\n`) : bytesOf(this.#queue);
    this.#queue = [];
    this.#queued = 0;
    this.#output.write(bytes); // for a string, Node would allocate three times its length
  }
  #end(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.kind === "unix") this.#output.end();
    this.onClose(error);
  }
}

/** Joined and ended as text, a long message would be copied twice more. */
function bytesOf(lines: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0));
  let at = 0;
  for (const line of lines) {
    at += bytes.write(line, at);
    at = bytes.writeUInt8(lineBreak, at);
  }
  return bytes;
}

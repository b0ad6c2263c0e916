/** Follows a file of lines that several programs append to: each poll reads what was added since the last one, in bounded pieces. */
import { closeSync, existsSync, readSync } from "node:fs";
import { type OpenedFile, openRegularSync } from "./bounded-read.ts";
import type { Appended } from "./durable-write.ts";

const pieceBytes = 256 * 1024;
/** Longer lines are skipped. */
const maxLineBytes = 1024 * 1024;
const newline = 10;

export interface LineTaker {
  take(line: string): void;
  /** The file was replaced or truncated: what was read from it is no longer valid. */
  forget(): void;
}

export class LineFollower {
  readonly #file: string;
  readonly #maxBytes: number;
  #inode: number | undefined;
  #read = 0;
  /** The beginning of an unfinished line; undefined while an overlong line is skipped. */
  #rest: Buffer | undefined = Buffer.of();

  /** Of a file larger than `maxBytes` only the end is read. */
  constructor(file: string, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** The number of bytes that this poll has read; undefined if there is no file. An incomplete last line waits until it is complete. */
  look(to: LineTaker): number | undefined {
    const opened = this.#open();
    if (opened === undefined) {
      if (this.#inode !== undefined) this.#restart(undefined, to);
      return undefined;
    }
    try {
      const { ino, size } = opened.stats;
      if (ino !== this.#inode || size < this.#read) this.#restart(ino, to);
      if (size - this.#read > this.#maxBytes) this.#skipTo(size - this.#maxBytes);
      const before = this.#read;
      this.#takeUntil(opened.fd, size, to);
      return this.#read - before;
    } finally {
      closeSync(opened.fd);
    }
  }

  /** Passes over what this process itself has appended. False if something else would be passed over, or if that is not known: then `look`. */
  passOver({ inode, from, to, isAlone }: Appended): boolean {
    if (!isAlone || inode !== this.#inode || from !== this.#read || this.#rest?.length !== 0) return false;
    this.#read = to;
    return true;
  }

  #open(): OpenedFile | undefined {
    if (!existsSync(this.#file)) return undefined; // much cheaper than the error
    try {
      return openRegularSync(this.#file);
    } catch {
      return undefined;
    }
  }

  #restart(inode: number | undefined, to: LineTaker): void {
    if (this.#inode !== undefined) to.forget();
    this.#inode = inode;
    this.#read = 0;
    this.#rest = Buffer.of();
  }

  #skipTo(at: number): void {
    this.#read = at;
    this.#rest = undefined;
  }

  #takeUntil(fd: number, size: number, to: LineTaker): void {
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(pieceBytes, size - this.#read)));
    while (this.#read < size) {
      const count = readSync(fd, buffer, 0, Math.min(buffer.length, size - this.#read), this.#read);
      if (count === 0) return;
      this.#read += count;
      this.#takePiece(buffer.subarray(0, count), to);
    }
  }

  #takePiece(piece: Buffer, to: LineTaker): void {
    let from = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, from)) {
      if (this.#rest !== undefined) {
        const part = piece.subarray(from, end);
        const line = (this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part])).toString("utf8");
        if (line !== "") to.take(line);
      }
      this.#rest = Buffer.of();
      from = end + 1;
    }
    if (this.#rest === undefined || from === piece.length) return;
    this.#rest = Buffer.concat([this.#rest, piece.subarray(from)]);
    if (this.#rest.length > maxLineBytes) this.#rest = undefined;
  }
}

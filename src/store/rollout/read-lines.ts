/**
 * Reads a rollout's lines in slices, so that a thread of 20 MB does not block the streams of other threads. Compressed files are
 * decompressed on the fly.
 */
import { close } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { type OpenedFile, openRegular, readInto } from "../../lib/bounded-read.ts";
import { invalidRequest } from "../../protocol/errors.ts";

/** Two of them stay in a processor's cache while one is looked through and the other is filled. */
const chunkBytes = 512 << 10;
const headBytes = 32 << 10;
const sliceMs = 6;
/** A line larger than this is not a rollout line; keeping it would only cost memory. */
const maxLineBytes = 256 << 20;
/** No history of this size fits into a model or a server; a file that is larger, or claims to be, is not read at all. */
const maxBytes = 2 ** 30;
/** Ordinary text compresses to a tenth, rarely to a hundredth: anything that expands more than this was made to fill the memory. */
const unpacking = { ratio: 1000, freeBytes: 64 << 20, maxWindowLog: 25 };

/**
 * Calls `take` for every line of the first `end` bytes, including an incomplete last one, and yields in between. Invalid UTF-8 becomes
 * replacement characters.
 */
export async function readLines(path: string, take: (line: string) => void, end = Number.POSITIVE_INFINITY): Promise<void> {
  for await (const block of blocksOf(path, end)) await splitText(block, take);
}

/** The same for a whole file; its beginning goes to `takeOld` as it is, and the lines that end in its last bytes, so many at least, to `take`. */
export async function readLinesInTwo(
  path: string,
  lastBytes: number,
  takeOld: (block: Buffer) => Iterable<void>,
  take: (line: string) => void,
): Promise<void> {
  const { size } = await stat(path);
  let read = 0;
  for await (const block of rawBlocksOf(path, Number.POSITIVE_INFINITY)) {
    read += block.length;
    if (read < size - lastBytes) await inSlices(takeOld(block));
    else await splitText(block.toString("utf8"), take);
  }
}

async function inSlices(steps: Iterable<void>): Promise<void> {
  let started = performance.now();
  for (const _ of steps) {
    if (performance.now() - started < sliceMs) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** A file's last bytes, so many at most. */
export async function readEndBytes(path: string, lastBytes: number): Promise<Buffer> {
  const { fd, stats } = await openRegular(path);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(lastBytes, stats.size));
    const count = await readInto(fd, buffer, 0, buffer.length, stats.size - buffer.length);
    return buffer.subarray(0, count);
  } finally {
    close(fd, () => {});
  }
}

/** The file's text in blocks that end at a line end. */
export async function* blocksOf(path: string, end = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  for await (const block of rawBlocksOf(path, end)) yield block.toString("utf8");
}

/** A block is valid until the next one is requested. */
async function* rawBlocksOf(path: string, end: number): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of contentOf(path, chunkBytes, end)) {
    let from = 0;
    if (rest.length > 0) {
      from = chunk.indexOf(newline) + 1;
      if (from === 0) {
        rest = sizeOf(rest) + chunk.length > maxLineBytes ? [] : [...rest, Buffer.from(chunk)];
        continue;
      }
      yield Buffer.concat([...rest, chunk.subarray(0, from)]);
    }
    const last = chunk.lastIndexOf(newline) + 1;
    if (last > from) yield chunk.subarray(from, last);
    // Copied: the chunk's memory is reused.
    const begun = Math.max(last, from);
    rest = begun < chunk.length ? [Buffer.from(chunk.subarray(begun))] : [];
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}

const newline = 10;
const sizeOf = (parts: readonly Buffer[]): number => parts.reduce((sum, part) => sum + part.length, 0);

async function splitText(text: string, take: (line: string) => void): Promise<void> {
  let started = performance.now();
  for (const line of text.split("\n")) {
    if (line !== "" && line !== "\r") take(line);
    if (performance.now() - started < sliceMs) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** The first line, without reading more than necessary. */
export async function readFirstLine(path: string): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of contentOf(path, headBytes, maxLineBytes)) {
    const end = chunk.indexOf(newline);
    parts.push(Buffer.from(end < 0 ? chunk : chunk.subarray(0, end)));
    if (end >= 0) break;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The whole file at once, for callers that need all of it. */
export async function readWhole(path: string, limit: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of contentOf(path, chunkBytes)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(path, limit);
    parts.push(Buffer.from(chunk));
  }
  return Buffer.concat(parts);
}

/** The first `end` bytes of the file's content, decompressed. A piece is valid until the next one is requested. */
export async function* contentOf(path: string, pieceBytes = chunkBytes, end = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const opened = await openRegular(path);
  try {
    if (opened.stats.size > maxBytes) throw tooLarge(path, maxBytes);
    let left = end;
    for await (const piece of path.endsWith(".zst") ? unpackedPieces(opened, path) : plainPieces(opened, pieceBytes, end)) {
      yield piece.length <= left ? piece : piece.subarray(0, left);
      left -= piece.length;
      if (left <= 0) return;
    }
  } finally {
    close(opened.fd, () => {});
  }
}

/** Data appended while reading is left for the next reader. From the second piece on, the next one is read while one is used. */
async function* plainPieces({ fd, stats }: OpenedFile, pieceBytes: number, end: number): AsyncGenerator<Buffer> {
  const last = Math.min(end, stats.size);
  const length = Math.min(pieceBytes, last);
  const buffers: Buffer[] = [];
  const readAt = async (at: number, turn: number): Promise<Buffer> => {
    const buffer = buffers[turn % 2] ?? Buffer.allocUnsafe(length);
    buffers[turn % 2] = buffer;
    return buffer.subarray(0, await readInto(fd, buffer, 0, Math.min(length, last - at), at));
  };
  let ahead: Promise<Buffer> | undefined;
  try {
    for (let at = 0, turn = 0; at < last; turn++) {
      const piece = await (ahead ?? readAt(at, turn));
      ahead = undefined;
      if (piece.length === 0) return;
      at += piece.length;
      if (turn > 0 && at < last) ahead = readAt(at, turn + 1);
      ahead?.catch(ignore); // it may fail before anybody waits for it
      yield piece;
    }
  } finally {
    await ahead?.catch(ignore); // the caller closes the file
  }
}
const ignore = (): void => {};

/** Codex compresses rollouts that have not been used for long. */
async function* unpackedPieces(opened: OpenedFile, path: string): AsyncGenerator<Buffer> {
  const { constants, createZstdDecompress } = await import("node:zlib");
  const inflate = createZstdDecompress({
    chunkSize: chunkBytes,
    params: { [constants.ZSTD_d_windowLogMax]: unpacking.maxWindowLog },
  });
  const limit = Math.min(maxBytes, Math.max(unpacking.freeBytes, opened.stats.size * unpacking.ratio));
  const packed = Readable.from(copies(plainPieces(opened, headBytes, opened.stats.size)));
  packed.on("error", (error) => inflate.destroy(error)).pipe(inflate);
  let size = 0;
  try {
    for await (const piece of inflate) {
      size += piece.length;
      if (size > limit) throw tooLarge(path, limit);
      yield piece;
    }
  } finally {
    packed.destroy();
    inflate.destroy();
  }
}

/** A stream keeps several pieces at a time. */
async function* copies(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

const tooLarge = (path: string, limit: number): Error =>
  invalidRequest(`${path} cannot be read: it is, or unpacks to, more than ${Math.round(limit / 2 ** 20)} MiB`);

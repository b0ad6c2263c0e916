/** Reads a rollout's lines in slices, so that a thread of 20 MB does not hold up the streams of the others. */
import { open, readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";

const chunkBytes = 512 << 10;
const headBytes = 32 << 10;
const sliceMs = 6;
/** A single line larger than this is no rollout line; keeping it would only cost memory. */
const maxLineBytes = 256 << 20;

/**
 * Calls `take` for every line of the first `end` bytes, a torn last one included, and lets other work run in between.
 * Bytes that are no UTF-8 become replacement characters.
 */
export async function readLines(path: string, take: (line: string) => void, end = Number.POSITIVE_INFINITY): Promise<void> {
  if (path.endsWith(".zst")) return readCompressed(path, take, end);
  const file = await open(path, "r");
  try {
    const size = Math.min((await file.stat()).size, end);
    const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(chunkBytes, size)));
    let rest: Buffer[] = [];
    let at = 0;
    while (at < size) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
      if (bytesRead === 0) break;
      at += bytesRead;
      rest = await splitChunk(buffer.subarray(0, bytesRead), rest, take);
    }
    if (rest.length > 0) takeText(Buffer.concat(rest).toString("utf8"), take);
  } finally {
    await file.close();
  }
}

/** Hands over the whole lines of a chunk and returns copies of the bytes after the last line end. */
async function splitChunk(chunk: Buffer, rest: Buffer[], take: (line: string) => void): Promise<Buffer[]> {
  let from = 0;
  if (rest.length > 0) {
    const end = chunk.indexOf(10);
    if (end < 0) return rest.reduce((sum, part) => sum + part.length, chunk.length) > maxLineBytes ? [] : [...rest, Buffer.from(chunk)];
    takeText(Buffer.concat([...rest, chunk.subarray(0, end)]).toString("utf8"), take);
    from = end + 1;
  }
  const last = chunk.lastIndexOf(10);
  if (last >= from) await splitText(chunk.toString("utf8", from, last), take);
  return Math.max(last + 1, from) < chunk.length ? [Buffer.from(chunk.subarray(Math.max(last + 1, from)))] : [];
}

async function splitText(text: string, take: (line: string) => void): Promise<void> {
  let started = performance.now();
  for (const line of text.split("\n")) {
    takeText(line, take);
    if (performance.now() - started < sliceMs) continue;
    await setImmediate();
    started = performance.now();
  }
}

function takeText(line: string, take: (line: string) => void): void {
  if (line !== "" && line !== "\r") take(line);
}

/** The first line, without reading further than it needs. */
export async function readFirstLine(path: string): Promise<string> {
  if (path.endsWith(".zst")) return (await unpack(path)).toString("utf8").split("\n", 1)[0] ?? "";
  const file = await open(path, "r");
  try {
    const chunks: Buffer[] = [];
    for (let at = 0; at < maxLineBytes; ) {
      const buffer = Buffer.allocUnsafe(headBytes);
      const { bytesRead } = await file.read(buffer, 0, headBytes, at);
      const end = buffer.subarray(0, bytesRead).indexOf(10);
      chunks.push(buffer.subarray(0, end < 0 ? bytesRead : end));
      if (end >= 0 || bytesRead === 0) break;
      at += bytesRead;
    }
    return Buffer.concat(chunks).toString("utf8");
  } finally {
    await file.close();
  }
}

/** Codex packs rollouts that were not used for long. */
async function readCompressed(path: string, take: (line: string) => void, end: number): Promise<void> {
  const plain = await unpack(path);
  await splitText(plain.toString("utf8", 0, Math.min(plain.length, end)), take);
}

export async function unpack(path: string): Promise<Buffer> {
  const { zstdDecompress } = await import("node:zlib");
  return promisify(zstdDecompress)(await readFile(path));
}

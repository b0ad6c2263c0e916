/** The facts about a thread that the index needs, from the first few kB of its file. */
import { closeSync, readSync } from "node:fs";
import type { ThreadMeta } from "../../core/ports/thread-store.ts";
import { openRegularSync } from "../../lib/bounded-read.ts";
import { isCode } from "../../lib/system-error.ts";
import { parseLine, type RolloutLine } from "../rollout/line-records.ts";
import { recordOfOwnLine } from "../rollout/own-lines.ts";
import { type HistoryBase, readSessionMeta } from "../rollout/session-meta.ts";
import { isObject, listOf, objectOf, textOf } from "../rollout/shapes.ts";

export interface ThreadHead {
  /** Without the instructions, which would be most of it. */
  readonly meta: ThreadMeta;
  readonly base: HistoryBase | undefined;
  /** The user's first message; undefined if there is none yet. */
  readonly preview: string | undefined;
  readonly mtimeMs: number;
  readonly size: number;
}

const chunkBytes = 48 << 10;
/** A first message beyond this offset is not searched for. */
const maxBytes = 4 << 20;
const maxPreview = 2000;
/** Editors put the open files before the request itself. */
const requestMark = "## My request for Codex:";
const newline = 10;

/** Reads heads one after another into the same buffer: building an index reads thousands of files. */
export class HeadReader {
  readonly #scratch = Buffer.allocUnsafe(chunkBytes);

  /** Undefined if the file is gone, empty or not a rollout. Synchronous, because it takes only microseconds. */
  read(file: string, end = Number.POSITIVE_INFINITY): ThreadHead | undefined {
    let fd: number | undefined;
    try {
      const opened = openRegularSync(file);
      fd = opened.fd;
      const { mtimeMs, size } = opened.stats;
      const found = file.endsWith(".zst") ? scanPacked(fd, size) : this.#scanFile(fd, Math.min(size, end, maxBytes));
      return found === undefined ? undefined : { ...found, mtimeMs, size };
    } catch {
      return undefined;
    } finally {
      if (fd !== undefined) closeSync(fd);
    }
  }

  #scanFile(fd: number, limit: number): Found | undefined {
    let found: Found | undefined;
    for (let span = Math.min(limit, chunkBytes); span > 0; span = Math.min(limit, span * 6)) {
      const buffer = span <= chunkBytes ? this.#scratch : Buffer.allocUnsafe(span);
      const count = readSync(fd, buffer, 0, span, 0);
      found = scan(buffer.subarray(0, count));
      if (found?.preview !== undefined || span === limit || count < span) break;
    }
    return found;
  }
}

type Found = Omit<ThreadHead, "mtimeMs" | "size">;

/** This much of a compressed file contains the head of nearly every thread. */
const packedBytes = 32 << 10;
/** If this much contains nothing, the search stops. */
const enoughBytes = 1 << 20;
const unpackSteps = 12;

/** No more of a compressed file is decompressed than would be read of a plain one, however large its content is. */
function scanPacked(fd: number, size: number): Found | undefined {
  let found: Found | undefined;
  for (let span = Math.min(size, packedBytes); span > 0; span = Math.min(size, span * 8)) {
    const { head, isFull } = unpackedHead(fd, span);
    found = scan(head) ?? found;
    if (found?.preview !== undefined || isFull || span === size) break;
  }
  return found;
}

/** Decompresses the first bytes. If the result is too large, fewer bytes are used until it fits. */
function unpackedHead(fd: number, span: number): { readonly head: Buffer; readonly isFull: boolean } {
  // Loaded only for a compressed file; a process without any does not pay for it.
  const { constants, zstdDecompressSync } = process.getBuiltinModule("node:zlib");
  const packed = Buffer.allocUnsafe(span);
  const count = readSync(fd, packed, 0, span, 0);
  const options = { maxOutputLength: maxBytes, finishFlush: constants.ZSTD_e_continue };
  let head: Buffer = Buffer.of();
  for (let taken = count, low = 0, high = count, step = 0; step < unpackSteps && taken > low; taken = (low + high) >> 1, step++) {
    try {
      head = zstdDecompressSync(packed.subarray(0, taken), options);
      low = taken;
    } catch (error) {
      if (!isCode(error, "ERR_BUFFER_TOO_LARGE")) throw error;
      high = taken;
    }
    if (head.length >= enoughBytes || low === count) break;
  }
  return { head, isFull: head.length >= enoughBytes };
}

function scan(bytes: Buffer): Found | undefined {
  let found: Found | undefined;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(newline, from);
    if (end < 0) break;
    const line = bytes.subarray(from, end);
    from = end + 1;
    if (found === undefined) found = metaOf(line);
    else if (line.toString("latin1", 0, 80).includes('"session_meta"')) found = withNewerGit(found, metaOf(line));
    else if (mayBeUser(line)) {
      const preview = previewOf(parseLine(line.toString("utf8")));
      if (preview !== undefined) return { ...found, preview };
    }
  }
  return found;
}

function metaOf(bytes: Buffer): Found | undefined {
  const line = parseLine(withoutInstructions(bytes));
  const session = line?.type === "session_meta" ? readSessionMeta(line.payload, line.ms) : undefined;
  if (line === undefined || session === undefined) return undefined;
  const own = line.own === undefined ? undefined : recordOfOwnLine({ ...line, own: line.own });
  return { meta: own?.type === "meta" ? own.meta : session.meta, base: session.base, preview: undefined };
}

/** A repeated first line has newer facts about the repository; that of another thread belongs to a parent and was copied by a fork. */
function withNewerGit(found: Found, again: Found | undefined): Found {
  return again?.meta.id === found.meta.id ? { ...found, meta: { ...found.meta, git: again.meta.git } } : found;
}

const instructionsMark = '"base_instructions":{"text":"';

/** The line without the text of the instructions. Inside a string the mark's quotes would be escaped, so this is the real key. */
function withoutInstructions(line: Buffer): string {
  const at = line.indexOf(instructionsMark);
  if (at < 0) return line.toString("utf8");
  const from = at + instructionsMark.length;
  let to = line.indexOf('"', from);
  while (to >= 0 && isEscaped(line, to)) to = line.indexOf('"', to + 1);
  return to < 0 ? line.toString("utf8") : line.toString("utf8", 0, from) + line.toString("utf8", to);
}
function isEscaped(line: Buffer, at: number): boolean {
  let slashes = 0;
  while (line[at - 1 - slashes] === 92) slashes++;
  return slashes % 2 === 1;
}

/** Most lines can be ruled out without parsing them; other tools may have rewritten a line with sorted keys or spaces. */
function mayBeUser(line: Buffer): boolean {
  const start = line.toString("latin1", 0, 160);
  const at = start.indexOf('"payload":{"type":"');
  if (at < 0) return line.includes('"user_message"') || line.includes('"UserMessage"');
  return start.startsWith("user_message", at + 19) || (start.startsWith("item_completed", at + 19) && line.includes('"UserMessage"'));
}

function previewOf(line: RolloutLine | undefined): string | undefined {
  const payload = line?.payload ?? {};
  const item = objectOf(payload["item"]);
  if (payload["type"] === "item_completed") {
    if (item["type"] !== "UserMessage") return undefined;
    const texts = listOf(item["content"])
      .filter(isObject)
      .map((part) => (part["type"] === "text" ? textOf(part["text"]) : ""));
    return shownPreview(texts.join(""));
  }
  return shownPreview(textOf(payload["message"]));
}

/** What lists show of a thread's first message. */
export function shownPreview(text: string): string {
  const at = text.indexOf(requestMark);
  const request = (at < 0 ? text : text.slice(at + requestMark.length)).trim();
  return request === "" ? "[Image]" : request.slice(0, maxPreview);
}

/** Earlier messages, in `$CODEX_HOME/history.jsonl`: shared with every tool that reads that file. */
import { closeSync, readSync, statSync } from "node:fs";
import path from "node:path";
import { openRegularSync, readBoundedTextSync } from "../../lib/bounded-read.ts";
import { appendLineSync, replaceFileSync } from "../../lib/durable-write.ts";
import { integer, named, object, parse, string } from "../../lib/schema.ts";

/** Only the end of a long file is read. */
const readBytes = 512 * 1024;
const kept = 500;
/** A larger file is not shortened: that would load all of it into memory. */
const maxFileBytes = 256 * 1024 * 1024;

const HistoryLine = named("HistoryLine", () => object({ session_id: string(), ts: integer(), text: string() }));

export interface History {
  /** Oldest first. */
  readonly texts: () => readonly string[];
  add(text: string, threadId: string): void;
}

export interface HistoryOptions {
  readonly codexHome: string;
  readonly now: () => number;
  /** False keeps messages in memory only. */
  readonly persists: boolean;
  /** The file loses its oldest lines when it grows above this. */
  readonly maxBytes?: number | undefined;
}

export function openHistory({ codexHome, now, persists, maxBytes }: HistoryOptions): History {
  const file = path.join(codexHome, "history.jsonl");
  let texts = persists ? readTexts(file) : [];
  return {
    texts: () => texts,
    add(text, threadId) {
      if (text.trim() === "" || texts.at(-1) === text) return;
      texts = [...texts.slice(-kept + 1), text];
      if (persists) append(file, { session_id: threadId, ts: Math.floor(now() / 1000), text }, maxBytes);
    },
  };
}

/** One write per line: several terminals may append at once. A failing disk must not cost the message. */
function append(file: string, entry: object, maxBytes: number | undefined): void {
  try {
    appendLineSync(file, JSON.stringify(entry));
    if (maxBytes !== undefined && statSync(file).size > maxBytes) shorten(file, maxBytes);
  } catch {}
}

/** Cut to four fifths of the limit, so that not every message rewrites the file; the newest line always stays. */
function shorten(file: string, maxBytes: number): void {
  const lines = readBoundedTextSync(file, maxFileBytes).split(/(?<=\n)/);
  let size = 0;
  const first = lines.findLastIndex((line) => {
    size += Buffer.byteLength(line);
    return size > maxBytes * 0.8;
  });
  replaceFileSync(file, lines.slice(Math.min(first + 1, lines.length - 1)).join(""), { sync: "none" });
}

function readTexts(file: string): readonly string[] {
  const lines = readEnd(file).split("\n");
  const texts = lines.flatMap((line) => {
    const text = textIn(line);
    return text === undefined ? [] : [text];
  });
  return texts.filter((text, i) => text !== texts[i - 1]).slice(-kept);
}

function textIn(line: string): string | undefined {
  if (line === "") return undefined;
  try {
    return parse(HistoryLine, JSON.parse(line))?.text;
  } catch {
    return undefined; // incomplete, or the second half of a line that was cut
  }
}

function readEnd(file: string): string {
  let handle: number | undefined;
  try {
    const opened = openRegularSync(file);
    handle = opened.fd;
    const { size } = opened.stats;
    const bytes = Buffer.alloc(Math.min(size, readBytes));
    readSync(handle, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
    return bytes.toString("utf8");
  } catch {
    return "";
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

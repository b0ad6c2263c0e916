/** The manager's audit log, who did what: one JSON line per entry, written before the action takes effect, never changed afterwards. */
import { closeSync, createReadStream, mkdirSync, readSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { type OpenedFile, openRegularSync, readBoundedTextSync } from "../lib/bounded-read.ts";
import { appendLineSync } from "../lib/durable-write.ts";
import { parse } from "../lib/schema.ts";
import { AuditEntry } from "./api/records.ts";
import { StateUnwritten } from "./store.ts";

export type NewEntry = Omit<AuditEntry, "seq" | "at">;

/** How many bytes at the end of the log are read for the newest entries. */
const tailBytes = 4 * 1024 * 1024;
/** A longer log is no longer searched for old entries; it can still be exported. */
const maxBytes = 256 * 1024 * 1024;

export class AuditLog {
  readonly #file: string;
  readonly #now: () => number;
  #seq: number;

  constructor(folder: string, now: () => number) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = path.join(folder, "audit.jsonl");
    this.#now = now;
    this.#seq = this.#tail().at(-1)?.seq ?? 0;
  }

  /** Throws StateUnwritten if it cannot be written: nothing is done without a log entry. */
  write(entry: NewEntry): AuditEntry {
    const full: AuditEntry = { seq: this.#seq + 1, at: new Date(this.#now()).toISOString(), ...entry };
    try {
      appendLineSync(this.#file, JSON.stringify(full));
    } catch (error) {
      throw new StateUnwritten(this.#file, error);
    }
    this.#seq = full.seq;
    return full;
  }

  /** Newest first, at most `limit`, all older than `before`. */
  page(query: { readonly before?: number; readonly limit: number; readonly threadId?: string; readonly type?: string }): {
    data: AuditEntry[];
    nextBefore: number | null;
  } {
    const fits = (e: AuditEntry): boolean =>
      (query.before === undefined || e.seq < query.before) &&
      (query.threadId === undefined || e.threadId === query.threadId) &&
      (query.type === undefined || e.type === query.type);
    const recent = this.#tail();
    const enough = recent.filter(fits);
    const all = enough.length > query.limit || recent[0]?.seq === 1 ? enough : this.#all().filter(fits);
    const data = all.reverse().slice(0, query.limit);
    return { data, nextBefore: all.length > data.length ? (data.at(-1)?.seq ?? null) : null };
  }

  /** The whole log, as stored on disk. */
  export(): Readable | undefined {
    const opened = this.#open();
    return opened === undefined ? undefined : createReadStream("", { fd: opened.fd });
  }

  #open(): OpenedFile | undefined {
    try {
      return openRegularSync(this.#file);
    } catch {
      return undefined;
    }
  }

  #all(): AuditEntry[] {
    try {
      return entriesIn(readBoundedTextSync(this.#file, maxBytes));
    } catch {
      return [];
    }
  }

  #tail(): AuditEntry[] {
    const opened = this.#open();
    if (opened === undefined) return [];
    const { size } = opened.stats;
    const length = Math.min(size, tailBytes);
    const bytes = Buffer.alloc(length);
    try {
      readSync(opened.fd, bytes, 0, length, size - length);
    } finally {
      closeSync(opened.fd);
    }
    const text = bytes.toString("utf8");
    return entriesIn(length < size ? text.slice(text.indexOf("\n") + 1) : text);
  }
}

/** Torn or invalid lines are skipped. */
function entriesIn(text: string): AuditEntry[] {
  return text.split("\n").flatMap((line) => {
    if (line === "") return [];
    try {
      const entry = parse(AuditEntry, JSON.parse(line));
      return entry === undefined ? [] : [entry];
    } catch {
      return [];
    }
  });
}

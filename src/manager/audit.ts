/** The manager's book of who did what: one JSON line each, written before the action takes effect, never changed afterwards. */
import { appendFileSync, closeSync, createReadStream, mkdirSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import path from "node:path";
import type { Readable } from "node:stream";
import { parse } from "../lib/schema.ts";
import { AuditEntry } from "./api/records.ts";

export type NewEntry = Omit<AuditEntry, "seq" | "at">;

/** What of the end of the book is looked at for the newest entries. */
const tailBytes = 4 * 1024 * 1024;

export class AuditBook {
  readonly #file: string;
  readonly #now: () => number;
  #seq: number;

  constructor(folder: string, now: () => number) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = path.join(folder, "audit.jsonl");
    this.#now = now;
    this.#seq = this.#tail().at(-1)?.seq ?? 0;
  }

  write(entry: NewEntry): AuditEntry {
    const full: AuditEntry = { seq: ++this.#seq, at: new Date(this.#now()).toISOString(), ...entry };
    appendFileSync(this.#file, `${JSON.stringify(full)}\n`, { mode: 0o600 });
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

  /** The whole book, as it lies on disk. */
  export(): Readable | undefined {
    try {
      statSync(this.#file);
    } catch {
      return undefined;
    }
    return createReadStream(this.#file);
  }

  #all(): AuditEntry[] {
    try {
      return entriesIn(readFileSync(this.#file, "utf8"));
    } catch {
      return [];
    }
  }

  #tail(): AuditEntry[] {
    let size: number;
    try {
      size = statSync(this.#file).size;
    } catch {
      return [];
    }
    const length = Math.min(size, tailBytes);
    const bytes = Buffer.alloc(length);
    const file = openSync(this.#file, "r");
    try {
      readSync(file, bytes, 0, length, size - length);
    } finally {
      closeSync(file);
    }
    const text = bytes.toString("utf8");
    return entriesIn(length < size ? text.slice(text.indexOf("\n") + 1) : text);
  }
}

/** A torn or strange line is left out; the others count. */
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

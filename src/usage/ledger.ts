/** The file that records every model call's tokens, and the sums over it. Shared by all processes of one home. */
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { type Appended, appendLineSync, replaceFileSync } from "../lib/durable-write.ts";
import { LineFollower } from "../lib/line-follower.ts";
import { type Infer, named, natural, object, optional, parse, string } from "../lib/schema.ts";

const Line = named("UsageLine", () =>
  object({
    /** Milliseconds since 1970. */
    at: natural(),
    thread: string(),
    turn: string(),
    model: string(),
    provider: optional(string()),
    input: natural(),
    cached: natural(),
    /** The part of the input that was written to the provider's cache. */
    written: optional(natural()),
    output: natural(),
    total: natural(),
  }),
);
export type UsageLine = Infer<typeof Line>;

/** Tokens of one model. */
export interface Tokens {
  input: number;
  cached: number;
  written: number;
  output: number;
  total: number;
}
/** By model and provider, as `sumKey` writes them. */
export type Sum = Map<string, Tokens>;

/** The same model costs differently from provider to provider. */
const sumKey = (line: UsageLine): string => (line.provider === undefined ? line.model : `${line.model}\n${line.provider}`);
export function readSumKey(key: string): { readonly model: string; readonly provider: string | undefined } {
  const [model = "", provider] = key.split("\n");
  return { model, provider };
}

const largeFile = 8 * 1024 * 1024;
/** Only the newest lines of a larger file count. */
const maxBytes = 256 * 1024 * 1024;
/** Sums are kept for this many turns, as clients may still ask about them. */
const keptTurns = 1000;

export class Ledger {
  readonly #file: string;
  readonly #days = new Map<string, Sum>();
  readonly #threads = new Map<string, Sum>();
  readonly #turns = new Map<string, Sum>();
  readonly #lines: LineFollower;
  #isRead = false;

  constructor(file: string) {
    this.#file = file;
    this.#lines = new LineFollower(file, maxBytes);
  }

  /** Counts even where the file cannot be written; then for this process only. */
  add(line: UsageLine): void {
    if (!this.#isRead) this.refresh(); // a large file is rewritten by its first reader
    const appended = this.#append(line);
    if (appended !== undefined && this.#lines.passOver(appended)) return this.#count(line);
    this.refresh();
    if (appended === undefined) this.#count(line);
  }

  #append(line: UsageLine): Appended | undefined {
    try {
      return appendLineSync(this.#file, JSON.stringify(line));
    } catch {
      return undefined;
    }
  }

  day(name: string): Sum {
    return this.#days.get(name) ?? new Map();
  }
  thread(id: string): Sum {
    return this.#threads.get(id) ?? new Map();
  }
  turn(threadId: string, turnId: string): Sum {
    return this.#turns.get(`${threadId} ${turnId}`) ?? new Map();
  }
  /** Names of days with their sums, oldest first. */
  days(): [string, Sum][] {
    return [...this.#days].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Sums by day and thread, newest day first. Not kept in memory: the file is read again. */
  breakdown(isWanted: (day: string) => boolean): [day: string, thread: string, sum: Sum][] {
    const days = new Map<string, Map<string, Sum>>();
    const take = (text: string): void => {
      const line = lineFrom(text);
      if (line === undefined || !isWanted(dayOf(line.at))) return;
      const threads = days.get(dayOf(line.at)) ?? new Map<string, Sum>();
      days.set(dayOf(line.at), threads);
      addTo(threads, line.thread, line);
    };
    new LineFollower(this.#file, maxBytes).look({ take, forget: () => days.clear() });
    return [...days]
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .flatMap(([day, threads]) => [...threads].map(([thread, sum]): [string, string, Sum] => [day, thread, sum]));
  }

  /** Reads what was added to the file since the last read. A torn last line waits until it is complete. */
  refresh(): void {
    const take = (text: string): void => {
      const line = lineFrom(text);
      if (line !== undefined) this.#count(line);
    };
    const bytes = this.#lines.look({ take, forget: () => this.#forget() });
    if (!this.#isRead && bytes !== undefined && bytes > largeFile) this.#shrink();
    this.#isRead ||= bytes !== undefined;
  }

  #count(line: UsageLine): void {
    addTo(this.#days, dayOf(line.at), line);
    addTo(this.#threads, line.thread, line);
    addTo(this.#turns, `${line.thread} ${line.turn}`, line);
    const [oldest] = this.#turns.keys();
    if (this.#turns.size > keptTurns && oldest !== undefined) this.#turns.delete(oldest);
  }

  #forget(): void {
    for (const sums of [this.#days, this.#threads, this.#turns]) sums.clear();
  }

  /** Writes one line for each day, thread and model in place of one for each call. */
  #shrink(): void {
    try {
      this.#rewrite();
    } catch {
      // The file stays large; the next start tries again.
    }
  }

  #rewrite(): void {
    const merged = new Map<string, UsageLine>();
    for (const text of readBoundedTextSync(this.#file, maxBytes).split("\n")) {
      const line = text === "" ? undefined : lineFrom(text);
      if (line === undefined) continue;
      const key = JSON.stringify([dayOf(line.at), line.thread, sumKey(line)]);
      const known = merged.get(key);
      merged.set(key, known === undefined ? { ...line, turn: "" } : { ...known, ...added(tokensOf(known), line) });
    }
    replaceFileSync(this.#file, [...merged.values()].map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

function lineFrom(text: string): UsageLine | undefined {
  try {
    return parse(Line, JSON.parse(text));
  } catch {
    return undefined;
  }
}

function addTo(sums: Map<string, Sum>, key: string, line: UsageLine): void {
  const sum = sums.get(key) ?? new Map<string, Tokens>();
  sums.set(key, sum);
  const sumOf = sumKey(line);
  sum.set(sumOf, added(sum.get(sumOf) ?? { input: 0, cached: 0, written: 0, output: 0, total: 0 }, line));
}

const tokensOf = (line: UsageLine): Tokens => ({ ...line, written: line.written ?? 0 });
const added = (a: Tokens, b: Omit<Tokens, "written"> & { readonly written?: number }): Tokens => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  written: a.written + (b.written ?? 0),
  output: a.output + b.output,
  total: a.total + b.total,
});

/** The calendar day in the user's time zone: budgets restart at midnight there. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (n: number): string => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

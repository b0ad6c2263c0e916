/**
 * Reads the messages of the threads into the full-text index, in the background and in slices: last changed first, again when a file has
 * changed, and by one process of a home at a time. What it has stored stays when the process ends.
 */
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { hasPassed } from "../../lib/passed.ts";
import { randomBytes } from "../../lib/random.ts";
import { messagesOf } from "./search.ts";
import type { SqliteIndex } from "./sqlite-index.ts";
import type { TextIndex, UnreadFile, UnreadPlace } from "./text-index.ts";
import { addWords } from "./words.ts";

/** Work and rest alternate, so that a server that builds stays responsive. */
const sliceMs = 5;
const restPerWork = 2;
/** A longer wait than was asked for means that the process has other work. */
const restPerDelay = 5;
/** A file is stored when it has been left alone for so long, large ones for longer: those in use change all the time. */
const settledMs = 20_000;
const largeBytes = 8 << 20;
const largeSettledMs = 600_000;
/** No other process builds for so long after a sign of life. */
const claimMs = 30_000;
/** It begins so long after a list, when the caller has what it needs, and goes on at most so often. */
const afterMs = 1_500;
const everyMs = 30_000;
const portion = 40;
/** Above this many threads, looking up each word costs more than storing some of them twice. */
const bulk = 500;
const mostKnownWords = 100_000;
const storesPerMerge = 2;

export interface TextBuilderOptions {
  /** Runs the work in a transaction, and again while another process writes. */
  readonly write: (db: SqliteIndex, work: () => void) => Promise<void>;
  readonly now: () => number;
}

interface ReadThread {
  readonly file: UnreadFile;
  readonly words: ReadonlySet<string>;
}

export class TextBuilder {
  readonly #options: TextBuilderOptions;
  readonly #name = `${process.pid} ${randomBytes(6).toString("hex")}`;
  /** Words that are in the vocabulary; not all of them. */
  #known = new Set<string>();
  #isBulk = false;
  #stores = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #ranAtMs = Number.NEGATIVE_INFINITY;
  #isEnded = false;

  constructor(options: TextBuilderOptions) {
    this.#options = options;
  }

  /** Call after each list. An index in memory is not worth it: it lasts as long as the process. */
  schedule(db: SqliteIndex): void {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isEnded || db.file === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.complete(db).catch(() => {}); // it reports to nobody: searches read what is missing
      },
      hasPassed(this.#ranAtMs, everyMs, this.#options.now()) ? afterMs : everyMs,
    ).unref();
  }

  /** Resolves when everything that has settled is stored, another process builds, or this one ends. */
  async complete(db: SqliteIndex): Promise<void> {
    await this.#running;
    this.#running ??= this.#run(db)
      .catch(() => {}) // the next list meets the same trouble, and repairs what can be repaired
      .finally(() => {
        this.#ranAtMs = this.#options.now();
        this.#running = undefined;
      });
    await this.#running;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #run(db: SqliteIndex): Promise<void> {
    const { texts } = db;
    if (texts === undefined) return;
    const { now } = this.#options;
    let hasStored = false;
    this.#isBulk = texts.unread(bulk, { updatedMs: now(), key: 0 }).length === bulk;
    try {
      for (let after: UnreadPlace = { updatedMs: now() - settledMs, key: 0 }; !this.#isEnded; ) {
        const files = texts.unread(portion, after);
        const last = files.at(-1);
        if (last === undefined) break;
        if (!(await this.#claim(db, texts))) return;
        hasStored = true;
        await this.#readAll(
          db,
          texts,
          files.filter((file) => this.#isSettled(file)),
        );
        // Those that were skipped, or could not be read, wait for the next run.
        after = last;
      }
      if (hasStored) await this.#mergeAll(db, texts);
    } finally {
      this.#known = new Set();
      if (hasStored) await this.#options.write(db, () => texts.release(this.#name)).catch(() => {});
    }
  }

  #isSettled({ size, updatedMs }: UnreadFile): boolean {
    return size < largeBytes || updatedMs < this.#options.now() - largeSettledMs;
  }

  async #claim(db: SqliteIndex, texts: TextIndex): Promise<boolean> {
    let isOurs = false;
    await this.#options.write(db, () => {
      const nowMs = this.#options.now();
      isOurs = texts.claim(this.#name, nowMs, nowMs + claimMs);
    });
    return isOurs;
  }

  async #readAll(db: SqliteIndex, texts: TextIndex, files: readonly UnreadFile[]): Promise<void> {
    let read: ReadThread[] = [];
    let started = performance.now();
    for (const [i, file] of files.entries()) {
      if (this.#isEnded) return;
      const words = new Set<string>();
      addWords(file.preview, words);
      try {
        for await (const text of messagesOf(path.join(file.place, file.name.replace("*", file.id)))) {
          addWords(text, words);
          if (performance.now() - started < sliceMs) continue;
          await this.#rest(started);
          started = performance.now();
        }
        read.push({ file, words });
      } catch {
        continue; // gone or unreadable: searches try it themselves
      }
      if (i + 1 < files.length && performance.now() - started < sliceMs) continue;
      await this.#store(db, texts, read);
      read = [];
      await this.#rest(started);
      started = performance.now();
    }
    if (read.length > 0) await this.#store(db, texts, read);
  }

  async #store(db: SqliteIndex, texts: TextIndex, read: readonly ReadThread[]): Promise<void> {
    const fresh = new Set<string>();
    const isKnown = (word: string): boolean => this.#known.has(word) || (!this.#isBulk && texts.hasWord(word));
    for (const { words } of read) for (const word of words) if (!isKnown(word)) fresh.add(word);
    await this.#options.write(db, () => {
      texts.addToVocabulary([...fresh]);
      for (const { file, words } of read) texts.put(file, words);
    });
    if (this.#known.size > mostKnownWords) this.#known = new Set();
    for (const { words } of read) for (const word of words) this.#known.add(word);
    if (++this.#stores % storesPerMerge === 0) await this.#options.write(db, () => texts.merge());
  }

  async #mergeAll(db: SqliteIndex, texts: TextIndex): Promise<void> {
    for (let isMore = true, isFirst = true; isMore && !this.#isEnded; isFirst = false) {
      const started = performance.now();
      await this.#options.write(db, () => {
        isMore = texts.merge(isFirst);
      });
      await this.#rest(started);
    }
  }

  async #rest(started: number): Promise<void> {
    const paused = performance.now();
    const ms = Math.max(1, (paused - started) * restPerWork);
    await sleep(ms);
    const delay = performance.now() - paused - ms;
    if (delay > sliceMs) await sleep(Math.min(1000, delay * restPerDelay));
  }
}

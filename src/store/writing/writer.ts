/** Appends to one thread's file: in order, one write for everything pending, and without losing what the disk refuses. */
import type { ThreadRecord } from "../../core/ports/thread-store.ts";
import { parseLine } from "../rollout/line-records.ts";
import { linesOfRecord, type WriteContext } from "../rollout/write.ts";
import { type AppendFile, type Disk, reasonOf } from "./disk.ts";
import { endsLine, firstLine, nextOrdinal } from "./tail.ts";

export interface WriterOptions {
  readonly threadId: string;
  readonly disk: Disk;
  readonly now: () => number;
  /** fsync when a turn ends. */
  readonly syncTurns: () => boolean;
  /** Returns the thread's path; called when the file is opened. */
  readonly locate: () => Promise<string>;
  /** Called after every successful write. */
  readonly onWritten: (path: string) => void;
  /** Called for every write that the disk refuses. */
  readonly onTrouble: (reason: string) => void;
  /** Another program removed the file; the thread continues in a new one. */
  readonly onRemoved: (path: string) => void;
}
interface Waiting {
  readonly records: readonly ThreadRecord[];
  readonly encode: (context: WriteContext) => string;
  readonly sync: boolean;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** What was appended and is not on disk yet. */
export interface Unstored {
  readonly lines: readonly string[];
  /** They come after `lines`. */
  readonly records: readonly ThreadRecord[];
  /** How many bytes of the file are complete lines that are not included here. */
  readonly storedBytes: number;
}

const ignore = (): void => {};
const lastTries = 3;
const retryMs = [250, 500, 1000, 2000, 4000];

export class RolloutWriter {
  readonly #options: WriterOptions;
  #file: AppendFile | undefined;
  #path: string | undefined;
  #context: WriteContext;
  #queue: Waiting[] = [];
  /** Already resolved, but still pending because the file could not even be opened. */
  #refused: readonly Waiting[] = [];
  /** Encoded and not yet written; the first may be partially written. */
  #left: Buffer[] = [];
  #taken = 0;
  #size = 0;
  /** Kept in case the file is removed. */
  #firstLine = "";
  /** Whether the first line is on disk. */
  #isBegun = false;
  #flushing: Promise<void> | undefined;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  usedAtMs = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#context = { threadId: options.threadId, ordinal: undefined, now: options.now };
  }

  get isOpen(): boolean {
    return this.#file !== undefined;
  }
  /** Whether nothing is pending. */
  get isIdle(): boolean {
    return this.#flushing === undefined && !this.#hasWork;
  }

  /** Resolves when the records are written, or when the disk refused them and they wait in memory for the next attempt. */
  append(records: readonly ThreadRecord[]): Promise<void> {
    const sync = records.some((record) => record.type === "turnEnded") && this.#options.syncTurns();
    return this.#enqueue({ records, sync, encode: (context) => records.map((record) => linesOfRecord(record, context)).join("") });
  }
  /** Adds a line of another program's kind; it gets the fields that the dialect adds to every line. */
  appendRaw(line: Readonly<Record<string, unknown>>): Promise<void> {
    const encode = (context: WriteContext): string => {
      const { timestamp, ...rest } = line;
      return `${JSON.stringify({ timestamp, ...(context.ordinal === undefined ? {} : { ordinal: context.ordinal++ }), ...rest })}\n`;
    };
    return this.#enqueue({ records: [], sync: false, encode });
  }

  /** For readers, which need it too. */
  unstored(): Unstored {
    const [first = Buffer.of(), ...rest] = this.#left;
    const from = this.#taken === 0 ? 0 : first.lastIndexOf(10, this.#taken - 1) + 1;
    const lines = Buffer.concat([first.subarray(from), ...rest])
      .toString("utf8")
      .split("\n");
    const records = [...this.#refused, ...this.#queue].flatMap((waiting) => waiting.records);
    return { lines, records, storedBytes: this.#size - (this.#taken - from) };
  }

  #enqueue(work: Pick<Waiting, "records" | "encode" | "sync">): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queue.push({ ...work, done: resolve, fail: reject });
    this.#start();
    return promise;
  }

  /** Starts when this tick is over: what else is appended in it goes into the same write, and what clients are to be sent goes first. */
  #start(): void {
    this.#flushing ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#flush())
      .finally(() => {
        this.#flushing = undefined;
        if (this.#queue.length > 0) this.#start();
      });
  }

  async #flush(): Promise<void> {
    clearTimeout(this.#retry);
    this.usedAtMs = this.#options.now();
    while (this.#hasWork) {
      const failed = await this.#flushOnce();
      if (!failed) continue;
      // Each append is tried once before it has to wait.
      if (this.#queue.length > 0) continue;
      this.#retryLater();
      return;
    }
  }
  get #hasWork(): boolean {
    return this.#queue.length > 0 || this.#refused.length > 0 || this.#left.length > 0;
  }

  /** Returns whether the disk refused. */
  async #flushOnce(): Promise<boolean> {
    const batch = [...this.#refused, ...this.#queue];
    this.#queue = [];
    this.#refused = batch;
    try {
      const file = await this.#open();
      this.#refused = [];
      this.#encode(batch);
      await this.#writeAll(file);
      this.#isBegun = true;
      if (batch.some((waiting) => waiting.sync)) await file.sync();
      this.#failures = 0;
      if (this.#path !== undefined) this.#options.onWritten(this.#path);
      return false;
    } catch (error) {
      await this.#closeFile();
      this.#options.onTrouble(reasonOf(error, this.#path ?? ""));
      return true;
    } finally {
      for (const waiting of batch) waiting.done();
    }
  }

  #encode(batch: readonly Waiting[]): void {
    const texts = batch.map((waiting) => {
      try {
        return waiting.encode(this.#context);
      } catch (error) {
        waiting.fail(error); // not the disk's fault, so trying again would not help
        return "";
      }
    });
    const text = texts.join("");
    if (text === "") return;
    if (this.#firstLine === "") this.#firstLine = text.slice(0, text.indexOf("\n") + 1);
    this.#left.push(Buffer.from(text));
  }

  async #writeAll(file: AppendFile): Promise<void> {
    while (this.#left.length > 0) {
      const all = this.#left.length === 1 ? this.#left[0] : Buffer.concat(this.#left);
      if (all === undefined) return;
      this.#left = [all];
      const written = await file.write(all.subarray(this.#taken));
      if (written === 0) throw Object.assign(new Error("no space left on device, write"), { code: "ENOSPC" });
      this.#taken += written;
      this.#size += written;
      if (this.#taken < all.length) continue;
      this.#left = [];
      this.#taken = 0;
    }
  }

  async #open(): Promise<AppendFile> {
    if (this.#file !== undefined && this.#file.size() === this.#size) return this.#file;
    await this.#closeFile(); // never opened, or another program wrote to it, truncated or removed it
    this.#path = await this.#options.locate();
    const file = await this.#options.disk.openAppend(this.#path);
    try {
      await this.#begin(file, this.#path);
    } catch (error) {
      await file.close().catch(ignore);
      throw error;
    }
    this.#file = file;
    return file;
  }

  /** Checks the existing content: which dialect to continue in, and whether an incomplete line must be ended. */
  async #begin(file: AppendFile, path: string): Promise<void> {
    const size = file.size() ?? 0;
    const isOurs = size === this.#size;
    if (!isOurs) this.#beginLineAnew();
    this.#size = size;
    if (size > 0) {
      if (this.#taken === 0 && !(await endsLine(file, size))) this.#left.unshift(Buffer.from("\n"));
      if (!isOurs) await this.#learnDialect(file, size);
      this.#isBegun = true;
    } else if (this.#isBegun) {
      this.#isBegun = false;
      this.#left.unshift(Buffer.from(this.#firstLine));
      this.#options.onRemoved(path);
    }
  }

  /** Another program wrote after our incomplete line, so it cannot be completed any more. */
  #beginLineAnew(): void {
    const [first, ...rest] = this.#left;
    if (first === undefined || this.#taken === 0) return;
    this.#left = [first.subarray(first.lastIndexOf(10, this.#taken - 1) + 1), ...rest];
    this.#taken = 0;
  }

  async #learnDialect(file: AppendFile, size: number): Promise<void> {
    this.#firstLine ||= await firstLine(file, size);
    const isPaginated = parseLine(this.#firstLine)?.payload["history_mode"] === "paginated";
    if (isPaginated) this.#context = { ...this.#context, ordinal: await nextOrdinal(file, size) };
  }

  #retryLater(): void {
    const wait = retryMs[Math.min(this.#failures, retryMs.length - 1)];
    this.#failures++;
    this.#retry = setTimeout(() => this.#start(), wait).unref();
  }

  /** Resolves when everything appended so far was written or refused once more. */
  async settle(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  /** Closes the file descriptor; the next append opens the file again. Call only when idle. */
  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(ignore);
  }
  async rest(): Promise<void> {
    await this.settle();
    await this.#closeFile();
  }
  /** Retries a few times what the disk refused, then gives up. Resolves with whether everything is stored. */
  async end(): Promise<boolean> {
    for (let attempt = 0; attempt < lastTries && !this.isIdle; attempt++) {
      await this.settle();
      if (this.#hasWork) this.#start();
      await this.settle();
    }
    clearTimeout(this.#retry);
    await this.#closeFile();
    return !this.#hasWork;
  }
}

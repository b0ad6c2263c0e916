/** The writers of all threads: with a limit on open files, and a single report when the disk fails. */
import type { Disk } from "./disk.ts";
import { RolloutWriter, type Unstored } from "./writer.ts";

export interface WritersOptions {
  readonly disk: Disk;
  readonly now: () => number;
  readonly syncTurns: () => boolean;
  readonly locate: (threadId: string) => Promise<string>;
  readonly onWritten: (path: string) => void;
  readonly report: (message: string) => void;
}

/** As many as threads have turns at once in a busy server: to open a file again takes longer than to write a turn's lines. */
const maxOpen = 256;
const idleMs = 60_000;

export class Writers {
  readonly #options: WritersOptions;
  readonly #writers = new Map<string, RolloutWriter>();
  /** Threads with a failed write; a failure is reported once, until writing succeeds again. */
  readonly #troubled = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  of(threadId: string): RolloutWriter {
    const known = this.#writers.get(threadId);
    if (known !== undefined) return known;
    const { disk, now, syncTurns, locate, onWritten, report } = this.#options;
    const writer = new RolloutWriter({
      ...{ threadId, disk, now, syncTurns },
      locate: () => locate(threadId),
      onWritten: (path) => {
        this.#troubled.delete(threadId);
        onWritten(path);
        this.#closeSome();
      },
      onTrouble: (reason) => this.#trouble(threadId, reason),
      onRemoved: (path) => report(`${path} was removed by another program; new messages are kept in a new file of that name`),
    });
    this.#writers.set(threadId, writer);
    this.#timer ??= setInterval(() => void this.#closeIdle(), idleMs).unref();
    return writer;
  }

  /** Resolves when everything appended so far is on disk, or refused by it. */
  async settle(threadId: string): Promise<void> {
    await this.#writers.get(threadId)?.settle();
  }
  unstored(threadId: string): Unstored | undefined {
    const writer = this.#writers.get(threadId);
    return writer === undefined || writer.isIdle ? undefined : writer.unstored();
  }
  /** Closes the thread's file, so that it can be moved. */
  async rest(threadId: string): Promise<void> {
    await this.#writers.get(threadId)?.rest();
  }
  async drop(threadId: string): Promise<void> {
    const writer = this.#writers.get(threadId);
    this.#writers.delete(threadId);
    this.#troubled.delete(threadId);
    await writer?.end();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    const ends = await Promise.all([...this.#writers].map(async ([id, writer]) => ({ id, isStored: await writer.end() })));
    const lost = ends.filter((end) => !end.isStored).map((end) => end.id);
    if (lost.length > 0) this.#options.report(`the last messages of these threads could not be stored and are lost: ${lost.join(", ")}`);
    this.#writers.clear();
  }

  #trouble(threadId: string, reason: string): void {
    const isNews = this.#troubled.size === 0;
    this.#troubled.add(threadId);
    if (!isNews) return;
    this.#options.report(
      `threads cannot be stored: ${reason}. New messages are kept in memory and stored as soon as the disk accepts writes again; free some space or make the folder writable`,
    );
  }

  #closeSome(): void {
    if (this.#writers.size <= maxOpen) return;
    const open = [...this.#writers.values()].filter((writer) => writer.isOpen);
    if (open.length <= maxOpen) return;
    const idle = open.filter((writer) => writer.isIdle).sort((a, b) => a.usedAtMs - b.usedAtMs);
    for (const writer of idle.slice(0, open.length - maxOpen)) void writer.rest();
  }

  async #closeIdle(): Promise<void> {
    const before = this.#options.now() - idleMs;
    for (const [id, writer] of this.#writers) {
      if (!writer.isIdle || writer.usedAtMs > before) continue;
      await writer.rest();
      if (writer.isIdle && !writer.isOpen) this.#writers.delete(id);
    }
  }
}

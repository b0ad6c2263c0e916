/** Caches what was read of the last thread for a short time: opening a thread reads it several times in a row. */
import { statSync } from "node:fs";

const keepMs = 15_000;

interface Kept<T> {
  readonly threadId: string;
  readonly records: T;
  /** The file's identity, size and time when the records were read. */
  readonly stamp: string;
}

export class RecordCache<T> {
  #kept: Kept<T> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** From memory if the file has not changed since. */
  async read(threadId: string, file: string, read: () => Promise<T>): Promise<T> {
    const stamp = stampOf(file);
    if (this.#kept?.threadId === threadId && this.#kept.stamp === stamp) return this.#kept.records;
    const records = await read();
    // Written to in between: what was read is right, but it is unknown for which state of the file.
    if (stampOf(file) === stamp) this.#keep({ threadId, records, stamp });
    return records;
  }

  forget(threadId: string): void {
    if (this.#kept?.threadId === threadId) this.#kept = undefined;
  }

  #keep(kept: Kept<T>): void {
    this.#kept = kept;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#kept = undefined;
    }, keepMs).unref();
  }
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${file} ${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

/** Reads folders that others filled: a million entries are neither kept in memory nor read without yielding. */
import { type Dirent, existsSync, opendirSync } from "node:fs";
import { opendir } from "node:fs/promises";

/** Entries are read from disk in batches of this size; other work runs between two batches. */
const portion = 512;

/** Yields the entries one by one in disk order; none if the folder cannot be read. The caller may stop at any time. */
export async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder, { bufferSize: portion });
  } catch {
    // Deleted, or not readable for us.
  }
}

/** Upper limit of names that one synchronous scan looks at. */
export const mostNames = 1_000_000;

/** Yields the names one by one, synchronously: for callers that cannot wait and look for few of them. None if the folder cannot be read. */
export function* namesOf(folder: string, most: number = mostNames): Generator<string> {
  // Most of these folders do not exist: checking first is much cheaper than the error.
  if (!existsSync(folder)) return;
  try {
    const opened = opendirSync(folder, { bufferSize: portion });
    try {
      for (let left = most, entry = opened.readSync(); entry !== null && left > 0; left--, entry = opened.readSync()) yield entry.name;
    } finally {
      opened.closeSync();
    }
  } catch {
    // Deleted, or not readable for us.
  }
}

export interface Entries {
  readonly entries: readonly Dirent[];
  /** True when there are more entries than requested. */
  readonly isCut: boolean;
}

/** The first entries, synchronously: for callers that cannot wait. Empty if the folder cannot be read. */
export function firstEntriesSync(folder: string, most: number): Entries {
  const entries: Dirent[] = [];
  try {
    const opened = opendirSync(folder, { bufferSize: portion });
    try {
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (entries.length >= most) return { entries, isCut: true };
        entries.push(entry);
      }
    } finally {
      opened.closeSync();
    }
  } catch {
    // Deleted, or not readable for us.
  }
  return { entries, isCut: false };
}

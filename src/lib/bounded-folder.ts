/** Folders of others: a million entries are neither held in memory nor read without a pause. */
import { type Dirent, existsSync, opendirSync } from "node:fs";
import { opendir } from "node:fs/promises";

/** Entries are read from the disk in portions of this many; between two of them others have their turn. */
const portion = 512;

/** The entries one by one, in the order of the disk; nothing where the folder cannot be read. Whoever has enough stops. */
export async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder, { bufferSize: portion });
  } catch {
    // Gone, or not ours to read.
  }
}

/** More names than this are not looked through at once. */
export const mostNames = 1_000_000;

/** The names one by one, at once: for callers that cannot wait and look for few of them. Nothing where the folder cannot be read. */
export function* namesOf(folder: string, most: number = mostNames): Generator<string> {
  // Most of the folders that are looked for do not exist: asking first is much cheaper than the error.
  if (!existsSync(folder)) return;
  try {
    const opened = opendirSync(folder, { bufferSize: portion });
    try {
      for (let left = most, entry = opened.readSync(); entry !== null && left > 0; left--, entry = opened.readSync()) yield entry.name;
    } finally {
      opened.closeSync();
    }
  } catch {
    // Gone, or not ours to read.
  }
}

export interface Entries {
  readonly entries: readonly Dirent[];
  /** There are more than were asked for. */
  readonly isCut: boolean;
}

/** The first entries, at once: for callers that cannot wait. Empty where the folder cannot be read. */
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
    // Gone, or not ours to read.
  }
  return { entries, isCut: false };
}

/** The files of settings, read again only when they have changed on disk, and whatever else was looked at together with them. */
import { type BigIntStats, type Stats, statSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import { errorMessage } from "../lib/error-text.ts";
import { settledAfterMs } from "../lib/file-status.ts";
import { invalidRequest } from "../protocol/errors.ts";

/** Looks at a place on disk and calls `by` with it; what that returned is compared later. */
export type LookAt = <T>(place: string, by: (place: string) => T) => T;

/** One place, and what was found there. */
export interface Look {
  readonly place: string;
  readonly by: (place: string) => unknown;
  readonly found: unknown;
}

/** Settings, hooks and instructions that people write are far smaller; a larger file was planted, or is something else. */
export const maxFileBytes = 8 * 1024 * 1024;

/** A cache of files by path, read again only when they changed on disk. Equal content gives the same object, so that callers can compare by identity. */
export class FileCache {
  readonly #files = new Map<string, { stamp: string; text: string }>();
  readonly #derived = new WeakMap<object, Map<string, unknown>>();
  /** Of the work under way. */
  #looks: Look[] | undefined;

  /** undefined when there is no such file. */
  read(file: string): { readonly text: string } | undefined {
    const stamp = this.look(file, stampOf);
    if (stamp === undefined) {
      this.#files.delete(file);
      return undefined;
    }
    const known = this.#files.get(file);
    if (known?.stamp === stamp) return known;
    const fresh = { stamp, text: readText(file) };
    this.#files.set(file, fresh);
    return fresh;
  }

  /** For everything but the content of files, so that `recorded` knows of it. */
  readonly look: LookAt = (place, by) => {
    let found: unknown = neverTheSame();
    try {
      const seen = by(place);
      found = seen;
      return seen;
    } finally {
      this.#looks?.push({ place, by, found });
    }
  };

  /** The result of some work, with all that it looked at: while that is unchanged, so is the result. */
  recorded<T>(work: () => T): { readonly result: T; readonly looks: readonly Look[] } {
    const looks: Look[] = [];
    this.#looks = looks;
    try {
      return { result: work(), looks };
    } finally {
      this.#looks = undefined;
    }
  }

  /** The result of `make` for this content under this name, computed once. */
  derive<T extends object>(content: object, name: string, make: () => T): T {
    const known = this.#derived.get(content) ?? new Map<string, unknown>();
    this.#derived.set(content, known);
    if (!known.has(name)) known.set(name, make());
    return known.get(name) as T;
  }
}

export function areUnchanged(looks: readonly Look[]): boolean {
  try {
    return looks.every(({ place, by, found }) => Object.is(by(place), found));
  } catch {
    return false; // whoever looks again gets the error
  }
}

/**
 * Fewer looks that find a change whenever those would: the same look once, and of everything that was not found in a folder that does not exist,
 * only that folder, or the one above it that is missing.
 */
export function fewerLooks(looks: readonly Look[]): readonly Look[] {
  const kept = new Map<string, Look[]>();
  const folders = new Map<string, string | undefined>();
  for (const look of looks) {
    const folder = path.dirname(look.place);
    const isNothing = look.found === undefined || look.found === false;
    if (isNothing && !folders.has(folder)) folders.set(folder, firstMissing(folder));
    const missing = isNothing ? folders.get(folder) : undefined;
    const needed = missing === undefined ? look : { place: missing, by: isThere, found: false };
    const known = kept.get(needed.place) ?? [];
    kept.set(needed.place, known);
    if (!known.some(({ by, found }) => by === needed.by && Object.is(found, needed.found))) known.push(needed);
  }
  return [...kept.values()].flat();
}

const isThere = (place: string): boolean => statSync(place, { throwIfNoEntry: false }) !== undefined;

/** The uppermost folder on the way to this one that does not exist; undefined if all do, or cannot be looked at. */
function firstMissing(folder: string): string | undefined {
  let missing: string | undefined;
  try {
    for (let at = folder; !isThere(at) && at !== path.dirname(at); at = path.dirname(at)) missing = at;
  } catch {
    // What is above cannot be looked at.
  }
  return missing;
}

/** Equal to nothing, not even to itself at the next look. */
const neverTheSame = (): object => ({});

/** Changes when a name in the folder does. One that has just changed may do so again within the same tick of the disk's clock. */
export function folderStamp(folder: string): unknown {
  let found: Stats | undefined;
  try {
    found = statSync(folder, { throwIfNoEntry: false });
  } catch (error) {
    return errorMessage(error); // A loop of links, or a folder above it is closed: whoever reads it takes it for empty.
  }
  if (found === undefined) return undefined;
  return Date.now() - found.mtimeMs < settledAfterMs ? neverTheSame() : `${found.mtimeMs}:${found.ctimeMs}:${found.ino}`;
}

function stampOf(file: string): string | undefined {
  const stat = statOf(file);
  // Docker makes one where a mounted file does not exist: taken as absent, the user's settings would be ignored without a message.
  if (stat?.isDirectory() === true) throw invalidRequest(`cannot read ${file}: it is a folder; remove it, or put the file there`);
  return stat === undefined ? undefined : `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}`;
}

function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    throw invalidRequest(`cannot read ${file}: ${errorMessage(error)}`);
  }
}

function readText(file: string): string {
  try {
    return readBoundedTextSync(file, maxFileBytes);
  } catch (error) {
    throw invalidRequest(`cannot read ${file}: ${errorMessage(error)}`);
  }
}

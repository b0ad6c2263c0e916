/** Files of which only the name is known and that still have to be read into the index. */
import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { earliestCreation, latestCreation } from "../layout.ts";
import type { FoundFile } from "./folders.ts";
import type { IndexRow } from "./sqlite-index.ts";

const sliceFiles = 300;

interface Entry {
  readonly file: FoundFile;
  readonly latest: number;
  readonly earliest: number;
  changedMs: number | undefined;
}

/** A file stays here until it is in the index, so that a list always finds it in one of the two. */
export class Backlog {
  readonly #entries = new Map<string, Entry>();
  readonly #perFolder = new Map<string, number>();
  /** Newest last; built on demand, and again when it is used up. */
  #sorted: Entry[] = [];

  get size(): number {
    return this.#entries.size;
  }
  has(path: string): boolean {
    return this.#entries.has(path);
  }
  holds(folder: string): boolean {
    return (this.#perFolder.get(folder) ?? 0) > 0;
  }
  pathOfSegment(segment: string): string | undefined {
    for (const { file } of this.#entries.values()) if (file.segment === segment) return file.path;
    return undefined;
  }

  add(files: readonly FoundFile[]): void {
    for (const file of files) {
      if (this.#entries.has(file.path)) continue;
      this.#entries.set(file.path, { file, latest: latestCreation(file), earliest: earliestCreation(file), changedMs: undefined });
      this.#perFolder.set(file.folder, (this.#perFolder.get(file.folder) ?? 0) + 1);
      this.#sorted = [];
    }
  }
  /** Call this when the file is in the index, or turned out not to be a thread. */
  drop(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    this.#perFolder.set(entry.file.folder, (this.#perFolder.get(entry.file.folder) ?? 1) - 1);
  }

  all(): readonly FoundFile[] {
    return [...this.#entries.values()].map((entry) => entry.file);
  }
  /** Files that may have been created at this time or later. */
  since(ms: number): readonly FoundFile[] {
    return [...this.#entries.values()].filter((entry) => entry.latest >= ms).map((entry) => entry.file);
  }
  newest(count: number): readonly FoundFile[] {
    if (this.#sorted.length === 0) this.#sorted = [...this.#entries.values()].sort((a, b) => a.latest - b.latest);
    return this.#sorted
      .splice(-count)
      .map((entry) => entry.file)
      .reverse();
  }

  /** Reads the modification times of at most this many files from disk, in slices. */
  async learnTimes(most: number): Promise<void> {
    let left = sliceFiles;
    let checked = 0;
    for (const entry of this.#entries.values()) {
      if (entry.changedMs !== undefined) continue;
      if (++checked > most) return;
      entry.changedMs = statSync(entry.file.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (--left > 0) continue;
      await setImmediate();
      left = sliceFiles;
    }
  }

  /**
   * Files that must be read before a page is exact: those that may sort before its border, the first row of the next page. Returns at most
   * `portion`, starting with those nearest to the page's beginning: once they are read, the border may be much closer.
   */
  neededFor(query: ThreadQuery, border: IndexRow | undefined, portion: number): readonly FoundFile[] {
    if (this.#entries.size === 0) return [];
    const newestFirst = query.sortDirection === "desc";
    const byCreation = query.sortKey === "created_at";
    const time = (entry: Entry): number => (byCreation ? (newestFirst ? entry.latest : entry.earliest) : (entry.changedMs ?? 0));
    const edge = border === undefined ? undefined : byCreation ? border.createdMs : border.updatedMs;
    const isBefore = (entry: Entry): boolean => edge === undefined || (newestFirst ? time(entry) >= edge : time(entry) <= edge);
    const candidates = [...this.#entries.values()].filter((entry) => entry.file.archived === query.archived && isBefore(entry));
    if (candidates.length > portion) candidates.sort((a, b) => (newestFirst ? time(b) - time(a) : time(a) - time(b)));
    return candidates.slice(0, portion).map((entry) => entry.file);
  }

  /** The first time, in the list's order, at which one of the files may have been created. */
  frontier(query: ThreadQuery): number | undefined {
    let first: number | undefined;
    for (const { file, latest, earliest } of this.#entries.values()) {
      if (file.archived !== query.archived) continue;
      if (query.sortDirection === "desc") first = Math.max(first ?? latest, latest);
      else first = Math.min(first ?? earliest, earliest);
    }
    return first;
  }
}

/** Implements the FileSearch port: ripgrep lists the files if it is installed, our own walker otherwise; the scoring is always ours. */
import path from "node:path";
import type { FileIndex, FileSearch, FoundFile } from "../core/ports/file-search.ts";
import { fuzzyIndices, fuzzyScore, type Haystack, haystack, words } from "../lib/fuzzy.ts";
import { createPace } from "../lib/pace.ts";
import { hasPassed } from "../lib/passed.ts";
import { type ListFiles, listWithRipgrep, walkFiles } from "./list-files.ts";

export interface FileSearchOptions {
  /** Absolute path of ripgrep, in a folder that no command may write; undefined if there is none. */
  readonly ripgrep: () => string | undefined;
  readonly now: () => number;
}

/** Maximum number of paths per root; the listing stops there. */
const maxPaths = 300_000;
/** An older listing is refreshed with the next query, so that a long session sees new files. */
const freshMs = 5_000;
/** How long scoring may block the event loop before it yields. */
const sliceMs = 12;
/** How many matches are collected before the worst are dropped: sorting hundreds of thousands at once would block the server. */
const mostHeld = 8_192;
const maxRoots = 32;
const maxQuery = 256;

export function createFileSearch({ ripgrep, now }: FileSearchOptions): FileSearch {
  return {
    open(roots) {
      const distinct = [...new Set(roots.map((root) => path.resolve(root)))].slice(0, maxRoots);
      const program = ripgrep();
      const list = program === undefined ? walkFiles : listWithRipgrep(program);
      return new Index(distinct, list, now);
    },
  };
}

interface Entry {
  readonly root: string;
  readonly kind: FoundFile["kind"];
  readonly hay: Haystack;
}

class Index implements FileIndex {
  readonly #roots: readonly string[];
  readonly #list: ListFiles;
  readonly #now: () => number;
  readonly #abort = new AbortController();
  #entries: Entry[] = [];
  #listing: Promise<void> | undefined;
  #isListing = false;
  #listedAt = 0;

  constructor(roots: readonly string[], list: ListFiles, now: () => number) {
    this.#roots = roots;
    this.#list = list;
    this.#now = now;
    this.#freshen().catch(() => undefined); // reported to the caller of `search`
  }

  close(): void {
    this.#abort.abort();
  }

  async search(
    query: string,
    limit: number,
    signal: AbortSignal,
    onPartial: (found: readonly FoundFile[]) => void = () => undefined,
  ): Promise<readonly FoundFile[]> {
    const terms = words(query.slice(0, maxQuery));
    if (terms.length === 0) return [];
    const listed = this.#freshen();
    if (this.#isListing && this.#entries.length > 0) onPartial(await this.#best(terms, limit, signal));
    await Promise.race([listed, aborted(signal)]);
    return await this.#best(terms, limit, signal);
  }

  /** Lists the files if there is no listing, or an old one; resolves when it is complete. */
  #freshen(): Promise<void> {
    if (this.#listing === undefined || (!this.#isListing && hasPassed(this.#listedAt, freshMs, this.#now())))
      this.#listing = this.#listAll();
    return this.#listing;
  }

  async #listAll(): Promise<void> {
    this.#isListing = true;
    try {
      this.#entries = await this.#listRoots();
      this.#listedAt = this.#now();
    } catch (error) {
      this.#listing = undefined;
      throw error;
    } finally {
      this.#isListing = false;
    }
  }

  async #listRoots(): Promise<Entry[]> {
    const entries: Entry[] = [];
    if (this.#entries.length === 0) this.#entries = entries;
    await Promise.all(
      this.#roots.map(async (root) => {
        const folders = new Set<string>();
        let count = 0;
        await this.#list(root, this.#abort.signal, (file) => {
          for (let folder = path.posix.dirname(file); folder !== "." && !folders.has(folder); folder = path.posix.dirname(folder)) {
            folders.add(folder);
            entries.push({ root, kind: "directory", hay: haystack(folder) });
          }
          entries.push({ root, kind: "file", hay: haystack(file) });
          return ++count < maxPaths;
        });
      }),
    );
    return entries;
  }

  async #best(terms: readonly string[], limit: number, signal: AbortSignal): Promise<readonly FoundFile[]> {
    const found: Scored[] = [];
    const pace = createPace(sliceMs, 256);
    for (const entry of this.#entries) {
      const score = fuzzyScore(terms, entry.hay);
      if (score !== undefined) found.push({ entry, score });
      if (found.length >= mostHeld) keepBest(found, limit);
      const others = pace();
      if (others === undefined) continue;
      await others;
      signal.throwIfAborted();
    }
    signal.throwIfAborted();
    return keepBest(found, limit).map(({ entry, score }) => ({
      root: entry.root,
      path: entry.hay.text,
      kind: entry.kind,
      score,
      indices: fuzzyIndices(terms, entry.hay),
    }));
  }
}

interface Scored {
  readonly entry: Entry;
  readonly score: number;
}
/** Sorts the matches and drops those beyond the limit. */
function keepBest(found: Scored[], limit: number): readonly Scored[] {
  found.sort((a, b) => b.score - a.score || compare(a.entry.hay.text, b.entry.hay.text));
  found.length = Math.min(found.length, limit);
  return found;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

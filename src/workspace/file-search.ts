/** Implements the FileSearch port: ripgrep lists the files if it is installed, our own walker otherwise; the scoring is always ours. */
import path from "node:path";
import type { FileIndex, FileSearch, FoundFile } from "../core/ports/file-search.ts";
import { fuzzyIndices, fuzzyScore, haystack, words } from "../lib/fuzzy.ts";
import { createPace } from "../lib/pace.ts";
import { hasPassed } from "../lib/passed.ts";
import { type Matches, TextTable } from "../lib/text-table.ts";
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
/** How many of the best by their rough scores are scored exactly, for each result that is wanted. */
const candidatesEach = 10;
/** How long a listing that nobody has open is kept: clients ask anew with every letter. */
const idleMs = 60_000;
const maxIdle = 4;
const maxRoots = 32;
const maxQuery = 256;

export function createFileSearch({ ripgrep, now }: FileSearchOptions): FileSearch {
  const shared = new Map<string, Shared>();
  const end = (key: string, { index, timer }: Shared): void => {
    clearTimeout(timer);
    index.close();
    shared.delete(key);
  };
  function release(key: string, entry: Shared): void {
    if (--entry.users > 0) return;
    // A listing that is still running is for nobody.
    if (!entry.index.isListed) return end(key, entry);
    entry.timer = setTimeout(() => end(key, entry), idleMs).unref();
    const idle = [...shared].filter(([, { users }]) => users === 0);
    for (const [other, unused] of idle.slice(0, Math.max(0, idle.length - maxIdle))) end(other, unused);
  }
  return {
    open(roots) {
      const distinct = [...new Set(roots.map((root) => path.resolve(root)))].slice(0, maxRoots);
      const key = distinct.join("\0");
      const program = ripgrep();
      const known = shared.get(key);
      const entry = known ?? { index: new Index(distinct, program === undefined ? walkFiles : listWithRipgrep(program), now), users: 0 };
      clearTimeout(entry.timer);
      entry.users++;
      shared.delete(key); // now the most recently used
      shared.set(key, entry);
      let isOpen = true;
      return {
        search: (query, limit, signal, onPartial) => entry.index.search(query, limit, signal, onPartial),
        close() {
          if (isOpen) release(key, entry);
          isOpen = false;
        },
      };
    },
  };
}

/** One listing for all who search below the same roots. */
interface Shared {
  readonly index: Index;
  users: number;
  timer?: NodeJS.Timeout;
}

/** The paths of one listing; the arrays have an element for each. */
class Listing {
  readonly paths = new TextTable();
  readonly roots: string[] = [];
  readonly isFolder: boolean[] = [];
  /** What the last query matched: a longer one can match nothing else. */
  last: { readonly query: string; readonly count: number; readonly matches: Matches } | undefined;

  add(root: string, file: string, isFolder: boolean): void {
    this.paths.add(file);
    this.roots.push(root);
    this.isFolder.push(isFolder);
  }
}

class Index implements FileIndex {
  readonly #roots: readonly string[];
  readonly #list: ListFiles;
  readonly #now: () => number;
  readonly #abort = new AbortController();
  #listing = new Listing();
  #listed: Promise<void> | undefined;
  #isListing = false;
  #listedAt = 0;

  constructor(roots: readonly string[], list: ListFiles, now: () => number) {
    this.#roots = roots;
    this.#list = list;
    this.#now = now;
    this.#freshen().catch(() => undefined); // reported to the caller of `search`
  }

  get isListed(): boolean {
    return this.#listed !== undefined && !this.#isListing;
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
    if (this.#isListing && this.#listing.paths.count > 0) onPartial(await this.#best(terms, limit, signal));
    await Promise.race([listed, aborted(signal)]);
    return await this.#best(terms, limit, signal);
  }

  /** Lists the files if there is no listing, or an old one; resolves when it is complete. */
  #freshen(): Promise<void> {
    if (this.#listed === undefined || (!this.#isListing && hasPassed(this.#listedAt, freshMs, this.#now()))) this.#listed = this.#listAll();
    return this.#listed;
  }

  async #listAll(): Promise<void> {
    this.#isListing = true;
    try {
      this.#listing = await this.#listRoots();
      this.#listedAt = this.#now();
    } catch (error) {
      this.#listed = undefined;
      throw error;
    } finally {
      this.#isListing = false;
    }
  }

  async #listRoots(): Promise<Listing> {
    const listing = new Listing();
    if (this.#listing.paths.count === 0) this.#listing = listing;
    await Promise.all(
      this.#roots.map(async (root) => {
        const folders = new Set<string>();
        let count = 0;
        await this.#list(root, this.#abort.signal, (file) => {
          for (let folder = path.posix.dirname(file); folder !== "." && !folders.has(folder); folder = path.posix.dirname(folder)) {
            folders.add(folder);
            listing.add(root, folder, true);
          }
          listing.add(root, file, false);
          return ++count < maxPaths;
        });
      }),
    );
    return listing;
  }

  async #best(terms: readonly string[], limit: number, signal: AbortSignal): Promise<readonly FoundFile[]> {
    const listing = this.#listing;
    const query = terms.join(" ");
    const { last } = listing;
    const count = listing.paths.count;
    const among = last !== undefined && last.count === count && query.startsWith(last.query) ? last.matches : undefined;
    const slices = createPace(sliceMs);
    const pace = (): Promise<void> | undefined => slices()?.then(() => signal.throwIfAborted());
    const { matches, best } = await listing.paths.candidates(terms, limit * candidatesEach, pace, among);
    signal.throwIfAborted();
    listing.last = { query, count, matches };
    const found = best.flatMap((at) => {
      const hay = haystack(listing.paths.textAt(at));
      const score = fuzzyScore(terms, hay);
      return score === undefined ? [] : [{ at, hay, score }];
    });
    found.sort((a, b) => b.score - a.score || compare(a.hay.text, b.hay.text));
    return found.slice(0, limit).map(({ at, hay, score }) => ({
      root: listing.roots[at] ?? "",
      path: hay.text,
      kind: listing.isFolder[at] === true ? "directory" : "file",
      score,
      indices: fuzzyIndices(terms, hay),
    }));
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Finds the `.git` of repositories inside a writable root (clones, submodules, worktrees), so that the sandbox can protect each of them. */
import { type Dirent, readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { settledAfterMs } from "../folder-tree.ts";
import { findLstat } from "../paths.ts";

/** How far the search goes. Shallow folders come first, so what is left out lies deepest. */
const limits = { folders: 8_000, depth: 8, found: 128, atOnce: 32, firstWaitMs: 3_000, laterWaitMs: 15 };
/** Folders that are looked at between two breaths. */
const breath = 128;
/** A folder of this size is read faster at once than it is handed to another thread. */
const smallBytes = 16 * 1024;
/** Folders of packages and build output: large, and made by tools, not repositories that anybody works in. */
const skipped = new Set([".git", "node_modules", "__pycache__", ".venv", ".cache"]);

interface Search {
  readonly found: string[];
  readonly done: Promise<void>;
}

/** What was seen in a folder. It holds as long as the folder's times do, which change with every entry that comes, goes or is renamed. */
interface Listing {
  readonly sign: string;
  readonly git: boolean;
  readonly folders: readonly string[];
}
type Listings = Map<string, Listing>;

interface RootState {
  known: readonly string[];
  listings: Listings;
  wasSearched: boolean;
  /** Commands that run in the root now. */
  live: number;
  search: Search | undefined;
}

/**
 * Remembers what was found per root. A search counts only while no command runs in the root: a running command could swap the folders that
 * the next sandbox is about to mount, whereas what was found before it started is pinned inside its own sandbox.
 */
export class NestedRepositories {
  readonly #roots = new Map<string, RootState>();

  /** Waits for a search: at length for the first one of a root, for a moment for one that was begun when the last command ended. */
  async prepare(root: string): Promise<void> {
    const state = this.#state(root);
    const search = state.wasSearched ? state.search : this.#search(root, state);
    if (search === undefined) return;
    const waitMs = state.wasSearched ? limits.laterWaitMs : limits.firstWaitMs;
    await Promise.race([search.done, new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref())]);
    if (!state.wasSearched && state.live === 0) state.known = [...search.found];
    state.wasSearched = true;
  }

  /** The `.git` entries known inside the root; a command is about to run there. */
  enter(root: string): readonly string[] {
    const state = this.#state(root);
    state.live++;
    return state.known;
  }

  leave(root: string): void {
    const state = this.#state(root);
    state.live--;
    if (state.live === 0) void this.#search(root, state);
  }

  #state(root: string): RootState {
    let state = this.#roots.get(root);
    if (state === undefined) {
      state = { known: [], listings: new Map(), wasSearched: false, live: 0, search: undefined };
      this.#roots.set(root, state);
    }
    return state;
  }

  #search(root: string, state: RootState): Search {
    if (state.search !== undefined) return state.search;
    const found: string[] = [];
    const isUndisturbed = (): boolean => state.live === 0;
    const seen: Listings = new Map();
    const look = (folder: string): Promise<Listing> | Listing => listingOf(folder, state.listings, seen);
    const done = findRepositories(root, found, { look, mayGoOn: isUndisturbed }).then((isComplete) => {
      state.search = undefined;
      if (isComplete) state.listings = seen;
      if (isComplete && isUndisturbed()) state.known = found;
    });
    state.search = { found, done };
    return state.search;
  }
}

interface Searching {
  look(folder: string): Promise<Listing> | Listing;
  mayGoOn(): boolean;
}

/** Breadth first; symlinks are not followed. Answers false when it was told to stop. */
async function findRepositories(root: string, found: string[], { look, mayGoOn }: Searching): Promise<boolean> {
  let level = [root];
  let visited = 0;
  let rest = breath;
  for (let depth = 0; depth < limits.depth && level.length > 0; depth++) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += limits.atOnce) {
      const folders = level.slice(at, at + limits.atOnce);
      const lists = await Promise.all(folders.map(look));
      if (visited >= rest) {
        rest += breath;
        await immediate();
      }
      if (!mayGoOn()) return false;
      for (const [i, folder] of folders.entries()) {
        if (lists[i]?.git === true && folder !== root) found.push(path.join(folder, ".git"));
        next.push(...(lists[i]?.folders ?? []));
      }
      visited += folders.length;
      if (visited >= limits.folders || found.length >= limits.found) return true;
    }
    level = next;
  }
  return true;
}

/** From memory where the folder is as it was; else read again. */
function listingOf(folder: string, known: Listings, seen: Listings): Promise<Listing> | Listing {
  const found = findLstat(folder);
  if (found?.isDirectory() !== true) return nothing;
  const sign = `${found.dev}:${found.ino}:${found.mtimeMs}:${found.ctimeMs}`;
  const old = known.get(folder);
  if (old?.sign === sign) {
    seen.set(folder, old);
    return old;
  }
  // A change this young may be followed by another one under the same time.
  const isSettled = Date.now() - found.ctimeMs > settledAfterMs;
  const listed = (entries: readonly Dirent[]): Listing => {
    const listing = { sign, ...summary(folder, entries) };
    if (isSettled) seen.set(folder, listing);
    return listing;
  };
  return found.size <= smallBytes ? listed(entriesNow(folder)) : entriesOf(folder).then(listed);
}

const nothing: Listing = { sign: "", git: false, folders: [] };

function summary(folder: string, entries: readonly Dirent[]): Pick<Listing, "git" | "folders"> {
  const folders: string[] = [];
  let git = false;
  for (const entry of entries) {
    if (entry.name === ".git") git = !entry.isSymbolicLink();
    else if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path.join(folder, entry.name));
  }
  return { git, folders };
}

function entriesNow(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const immediate = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

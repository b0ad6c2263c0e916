/** Finds the `.git` of repositories inside a writable root (clones, submodules, worktrees), so that the sandbox can protect each of them. */
import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";

/** How far the search goes. Shallow folders come first, so what is left out lies deepest. */
const limits = { folders: 8_000, depth: 8, found: 128, atOnce: 32, firstWaitMs: 3_000, laterWaitMs: 15 };
/** Folders of packages and build output: large, and made by tools, not repositories that anybody works in. */
const skipped = new Set([".git", "node_modules", "__pycache__", ".venv", ".cache"]);

interface Search {
  readonly found: string[];
  readonly done: Promise<void>;
}

interface RootState {
  known: readonly string[];
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
      state = { known: [], wasSearched: false, live: 0, search: undefined };
      this.#roots.set(root, state);
    }
    return state;
  }

  #search(root: string, state: RootState): Search {
    if (state.search !== undefined) return state.search;
    const found: string[] = [];
    const isUndisturbed = (): boolean => state.live === 0;
    const done = findRepositories(root, found, isUndisturbed).then((isComplete) => {
      state.search = undefined;
      if (isComplete && isUndisturbed()) state.known = found;
    });
    state.search = { found, done };
    return state.search;
  }
}

/** Breadth first; symlinks are not followed. Answers false when it was told to stop. */
async function findRepositories(root: string, found: string[], mayGoOn: () => boolean): Promise<boolean> {
  let level = [root];
  let visited = 0;
  for (let depth = 0; depth < limits.depth && level.length > 0; depth++) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += limits.atOnce) {
      const folders = level.slice(at, at + limits.atOnce);
      const lists = await Promise.all(folders.map(entriesOf));
      if (!mayGoOn()) return false;
      for (const [i, folder] of folders.entries()) collect(root, folder, lists[i] ?? [], { found, next });
      visited += folders.length;
      if (visited >= limits.folders || found.length >= limits.found) return true;
    }
    level = next;
  }
  return true;
}

function collect(root: string, folder: string, entries: readonly Dirent[], into: { found: string[]; next: string[] }): void {
  for (const entry of entries) {
    const at = path.join(folder, entry.name);
    if (entry.name === ".git") {
      if (folder !== root && !entry.isSymbolicLink()) into.found.push(at);
    } else if (entry.isDirectory() && !skipped.has(entry.name)) into.next.push(at);
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

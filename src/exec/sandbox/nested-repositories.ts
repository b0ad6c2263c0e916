/**
 * Finds everything at any depth of a writable root that must stay unchanged, so that the sandbox can protect it: `.git`, `.codex` and
 * `.agents`, and repositories without a `.git`, recognized by HEAD, objects and refs. The search is repeated before each command.
 */
import type { Dirent } from "node:fs";
import path from "node:path";
import { entriesOf, firstEntriesSync } from "../../lib/bounded-folder.ts";
import { findLstat, settledAfterMs } from "../../lib/file-status.ts";
import { isInsideAny } from "../../lib/paths.ts";
import { protectedNames } from "./protection.ts";

/** Beyond these limits commands are refused: what was not searched cannot be protected. */
const limits = { folders: 250_000, packageFolders: 500_000, atOnce: 32 };
/** The maximum number of protected paths per sandbox. If there are more, the folders around them are protected as a whole. */
const maxHeld = 256;
/** In a large root, a search this recent is reused for the next command, unless a command has ended since it began. */
const freshMs = 1_000;
/** After a command. */
const searchAfterMs = 20;
/** This few folders are checked again within a millisecond or two. */
const fewFolders = 500;
/** Package and cache folders are large and created by tools: they are searched completely once, and then occasionally in the background. */
const packageFolders = new Set(["node_modules", "__pycache__", ".venv", ".cache"]);
const packagesAgainMs = 120_000;
/** Folders visited before yielding to the event loop. */
const foldersPerYield = 128;
/** A folder of this size, or with this few entries, is read faster synchronously than in another thread. */
const smallBytes = 16 * 1024;
const smallEntries = 1_000;

/**
 * The content of a folder. Valid as long as the folder's timestamps are unchanged, which change whenever an entry is added, removed or
 * renamed.
 */
interface Listing {
  readonly sign: string;
  /** Full paths of what must stay unchanged. */
  readonly held: readonly string[];
  readonly folders: readonly string[];
}
type Listings = Map<string, Listing>;

interface Search {
  readonly startedAt: number;
  readonly done: Promise<void>;
}

interface RootState {
  /** The result of the last search; undefined before the first one. */
  found: { readonly held: readonly string[] } | { readonly refused: string } | undefined;
  startedAt: number;
  running: Search | undefined;
  listings: Listings;
  packages: PackageState;
  /** When a command in the root last ended. */
  leftAt: number;
  /** Number of commands running in the root. */
  live: number;
}

interface PackageState {
  /** The outermost package folders that were searched. */
  tops: ReadonlySet<string>;
  /** What was found in them, and those that were too large to search completely. */
  held: readonly string[];
  searchedAt: number;
  running: Promise<void> | undefined;
}

export class NestedRepositories {
  readonly #roots = new Map<string, RootState>();

  /** Waits for a search that is valid for a command that starts now. Returns why the root cannot be protected. */
  async prepare(root: string): Promise<{ readonly refused: string } | undefined> {
    const state = this.#state(root);
    const now = performance.now();
    const counts = (startedAt: number): boolean =>
      startedAt >= now || (state.listings.size > fewFolders && startedAt > state.leftAt && now - startedAt < freshMs);
    if (state.found === undefined || !counts(state.startedAt)) {
      if (state.running !== undefined) await state.running.done;
      if (state.found === undefined || !counts(state.startedAt)) await this.#search(root, state).done;
    }
    return state.found !== undefined && "refused" in state.found ? state.found : undefined;
  }

  /** Returns what was found in the root; call this when a command is about to run there. */
  enter(root: string): readonly string[] {
    const state = this.#state(root);
    state.live++;
    return state.found !== undefined && "held" in state.found ? state.found.held : [];
  }

  leave(root: string): void {
    const state = this.#state(root);
    state.live--;
    state.leftAt = performance.now();
    // Search soon, while nothing waits for it, so that the result is ready for a later command: one that follows at once searches itself.
    if (state.live > 0) return;
    const { leftAt } = state;
    setTimeout(() => {
      if (state.leftAt === leftAt && state.live === 0 && (state.running?.startedAt ?? state.startedAt) < leftAt)
        void this.#search(root, state).done;
    }, searchAfterMs).unref();
  }

  #state(root: string): RootState {
    let state = this.#roots.get(root);
    if (state === undefined) {
      const packages = { tops: new Set<string>(), held: [], searchedAt: 0, running: undefined };
      state = { found: undefined, startedAt: 0, running: undefined, listings: new Map(), packages, leftAt: 0, live: 0 };
      this.#roots.set(root, state);
    }
    return state;
  }

  #search(root: string, state: RootState): Search {
    if (state.running !== undefined && state.running.startedAt > state.leftAt) return state.running;
    const before = state.running?.done;
    const startedAt = performance.now();
    const search = async (): Promise<void> => {
      await before;
      const seen: Listings = new Map();
      const look = (folder: string): Promise<Listing> | Listing =>
        listingOf(folder, { known: state.listings, seen, isTop: folder === root });
      const swept = await sweep(root, { look, limit: limits.folders, enters: (folder) => !packageFolders.has(path.basename(folder)) });
      state.listings = seen;
      const { packages } = state;
      if (swept.left.some((top) => !packages.tops.has(top))) {
        await packages.running;
        await searchPackages(packages, swept.left);
      } else if (startedAt - packages.searchedAt > packagesAgainMs) void searchPackages(packages, swept.left);
      state.found = swept.isWhole ? collapsed(root, [...swept.held, ...packages.held]) : tooLarge(root);
      state.startedAt = startedAt;
      if (state.running === running) state.running = undefined;
    };
    const running = { startedAt, done: search() };
    state.running = running;
    return running;
  }
}

/** Listings of single folders are not cached, because there are too many. */
function searchPackages(packages: PackageState, tops: readonly string[]): Promise<void> {
  const search = async (): Promise<void> => {
    const searchedAt = performance.now();
    const held: string[] = [];
    let limit = limits.packageFolders;
    for (const top of tops) {
      const swept = await sweep(top, { look: (folder) => listingOf(folder), limit, enters: () => true });
      limit -= swept.visited;
      // What was not searched completely is protected as a whole.
      if (swept.isWhole) held.push(...swept.held);
      else held.push(top);
    }
    Object.assign(packages, { tops: new Set(tops), held, searchedAt, running: undefined });
  };
  packages.running ??= search();
  return packages.running;
}

interface Sweeping {
  look(folder: string): Promise<Listing> | Listing;
  enters(folder: string): boolean;
  readonly limit: number;
}

interface Swept {
  readonly held: readonly string[];
  /** Folders that were not entered. */
  readonly left: readonly string[];
  readonly visited: number;
  readonly isWhole: boolean;
}

/** Breadth first; symlinks are not followed. */
async function sweep(top: string, { look, enters, limit }: Sweeping): Promise<Swept> {
  const held: string[] = [];
  const left: string[] = [];
  let visited = 0;
  let rest = foldersPerYield;
  for (let level = [top]; level.length > 0; ) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += limits.atOnce) {
      if (visited >= limit) return { held, left, visited, isWhole: false };
      const lists = await Promise.all(level.slice(at, at + limits.atOnce).map(look));
      visited += lists.length;
      if (visited >= rest) {
        rest += foldersPerYield;
        await immediate();
      }
      for (const list of lists) {
        for (const each of list.held) held.push(each);
        for (const folder of list.folders) (enters(folder) ? next : left).push(folder);
      }
    }
    level = next;
  }
  return { held, left, visited, isWhole: true };
}

const tooLarge = (root: string): { readonly refused: string } => ({
  refused: `No sandbox: ${root} holds more than ${limits.folders} folders, too many to find the repositories and settings in it that commands must not change. Work in a smaller folder, or use the read-only or danger-full-access mode`,
});

/** Reduces the paths to what one sandbox can protect: where too many are close together, their parent folder replaces them. */
function collapsed(root: string, paths: readonly string[]): { readonly held: readonly string[] } | { readonly refused: string } {
  let held = [...new Set(paths)];
  while (held.length > maxHeld) {
    const groups = [...Map.groupBy(held, around)].filter(([folder]) => folder !== root && folder.startsWith(root));
    const largest = Math.max(...groups.map(([, inside]) => inside.length));
    // Start with the folder that contains most paths; if every folder contains only one, all are replaced by their parents.
    const chosen = groups.filter(([, inside]) => inside.length === largest).slice(0, largest > 1 ? 1 : undefined);
    if (chosen.length === 0)
      return {
        refused: `No sandbox: ${root} holds ${paths.length} repositories and folders named ${protectedNames.join(", ")}, too many to protect each of them. Work in one of its folders, or use the read-only or danger-full-access mode`,
      };
    const folders = chosen.map(([folder]) => folder);
    const gone = new Set(chosen.flatMap(([, inside]) => inside));
    held = [...new Set([...held.filter((each) => !gone.has(each) && !isInsideAny(each, largest > 1 ? folders : [])), ...folders])];
  }
  return { held };
}

/** The folder that contains a repository, or a folder with settings, next to others. */
const around = (held: string): string => path.dirname(isProtectedName(path.basename(held)) ? path.dirname(held) : held);

interface Looking {
  readonly known?: Listings;
  readonly seen?: Listings;
  /** The writable root itself, which cannot be protected as a whole. */
  readonly isTop?: boolean;
}

/** Cached if the folder is unchanged; otherwise read again. */
function listingOf(folder: string, { known, seen, isTop = false }: Looking = {}): Promise<Listing> | Listing {
  const found = findLstat(folder);
  if (found?.isDirectory() !== true) return nothing;
  const sign = `${found.dev}:${found.ino}:${found.mtimeMs}:${found.ctimeMs}`;
  const old = known?.get(folder);
  if (old?.sign === sign) {
    seen?.set(folder, old);
    return old;
  }
  // A change this recent may be followed by another one with the same timestamp.
  const isSettled = Date.now() - found.ctimeMs > settledAfterMs;
  const listed = (summary: Summary): Listing => {
    const listing = { sign, ...summary.of(folder, isTop) };
    if (isSettled) seen?.set(folder, listing);
    return listing;
  };
  const few = found.size <= smallBytes ? firstEntriesSync(folder, smallEntries) : undefined;
  if (few === undefined || few.isCut) return summarized(folder).then(listed);
  const summary = new Summary();
  for (const entry of few.entries) summary.add(entry);
  return listed(summary);
}

/** However many entries there are, only the relevant ones are kept. */
async function summarized(folder: string): Promise<Summary> {
  const summary = new Summary();
  for await (const entry of entriesOf(folder)) if (!summary.add(entry)) break;
  return summary;
}

const nothing: Listing = { sign: "", held: [], folders: [] };
const none: readonly string[] = [];
/** Not a set created at import: the names are in a part of the bundle that is not loaded at startup. */
const isProtectedName = (name: string): boolean => (protectedNames as readonly string[]).includes(name);

/** The relevant entries of a folder. */
class Summary {
  /** Names that must stay unchanged, and those that must in a repository. */
  readonly #held: string[] = [];
  readonly #decisive: string[] = [];
  readonly #folders: string[] = [];
  /** Entries that identify a bare repository, or a git folder with another name. */
  readonly #signs = new Set<string>();
  #hasGitLink = false;

  /** False if there are more folders than are ever searched: the rest makes no difference. */
  add(entry: Dirent): boolean {
    const { name } = entry;
    // On case-insensitive disks they are the same name.
    if (name.length < 8 && name.startsWith(".") && isProtectedName(name.toLowerCase())) {
      if (entry.isSymbolicLink() && name.toLowerCase() === ".git") this.#hasGitLink = true;
      this.#held.push(name);
      return true;
    }
    if (repositorySigns.has(name)) this.#signs.add(name);
    if (decisive.has(name)) this.#decisive.push(name);
    if (entry.isDirectory()) this.#folders.push(name);
    return this.#folders.length <= limits.folders;
  }

  /** `isTop`: the writable root itself, which cannot be protected as a whole. */
  of(folder: string, isTop: boolean): Pick<Listing, "held" | "folders"> {
    const isBare = this.#signs.size === repositorySigns.size;
    // Nothing can be mounted over a link: to keep a repository's link from being replaced, its whole folder is protected.
    if ((isBare || this.#hasGitLink) && !isTop) return { held: [folder], folders: none };
    const names = isBare ? [...this.#held, ...this.#decisive] : this.#held;
    const entered = isBare ? this.#folders.filter((name) => !decisive.has(name)) : this.#folders;
    const whole = (name: string): string => path.join(folder, name);
    // Most folders have neither: they share one empty list.
    return { held: names.length === 0 ? none : names.map(whole), folders: entered.length === 0 ? none : entered.map(whole) };
  }
}

/** Files in a repository that determine which programs git runs. */
const decisive: ReadonlySet<string> = new Set(["config", "config.worktree", "commondir", "hooks", "info"]);
const repositorySigns: ReadonlySet<string> = new Set(["HEAD", "objects", "refs"]);

const immediate = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

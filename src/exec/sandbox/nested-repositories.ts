/**
 * Finds what must stay as it is at any depth of a writable root, so that the sandbox can protect each of them: `.git`, `.codex` and `.agents`,
 * and repositories without a `.git`, which are known by HEAD, objects and refs. Looked for again before each command.
 */
import type { Dirent } from "node:fs";
import path from "node:path";
import { entriesOf, firstEntriesSync } from "../../lib/bounded-folder.ts";
import { findLstat, settledAfterMs } from "../../lib/file-status.ts";
import { isInsideAny } from "../../lib/paths.ts";
import { protectedNames } from "./protection.ts";

/** More than these and commands are refused: what was not looked at cannot be protected. */
const limits = { folders: 250_000, packageFolders: 500_000, atOnce: 32 };
/** How many paths one sandbox holds still. Where there are more, the folders around them are held as a whole. */
const maxHeld = 256;
/** In a large root a search this young counts for the next command, unless a command has ended since it began. */
const freshMs = 1_000;
/** So few folders are looked at again in a millisecond or two. */
const fewFolders = 500;
/** Folders of packages and caches are large and made by tools: they are searched whole once, and then now and then behind the scenes. */
const packageFolders = new Set(["node_modules", "__pycache__", ".venv", ".cache"]);
const packagesAgainMs = 120_000;
/** Folders that are looked at between two breaths. */
const breath = 128;
/** A folder of this size, or of so few entries, is read faster at once than it is handed to another thread. */
const smallBytes = 16 * 1024;
const smallEntries = 1_000;

/** What was seen in a folder. It holds as long as the folder's times do, which change with every entry that comes, goes or is renamed. */
interface Listing {
  readonly sign: string;
  /** Whole paths of what must stay as it is. */
  readonly held: readonly string[];
  readonly folders: readonly string[];
}
type Listings = Map<string, Listing>;

interface Search {
  readonly startedAt: number;
  readonly done: Promise<void>;
}

interface RootState {
  /** Of the last search; undefined before the first one. */
  found: { readonly held: readonly string[] } | { readonly refused: string } | undefined;
  startedAt: number;
  running: Search | undefined;
  listings: Listings;
  packages: PackageState;
  /** When a command in the root ended last. */
  leftAt: number;
  /** Commands that run in the root now. */
  live: number;
}

interface PackageState {
  /** The outermost folders of packages that were looked through. */
  tops: ReadonlySet<string>;
  /** What was found in them, and those that were too large to be looked through whole. */
  held: readonly string[];
  searchedAt: number;
  running: Promise<void> | undefined;
}

export class NestedRepositories {
  readonly #roots = new Map<string, RootState>();

  /** Waits for a search that counts for a command which starts now. Answers why the root cannot be protected. */
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

  /** What was found in the root; a command is about to run there. */
  enter(root: string): readonly string[] {
    const state = this.#state(root);
    state.live++;
    return state.found !== undefined && "held" in state.found ? state.found.held : [];
  }

  leave(root: string): void {
    const state = this.#state(root);
    state.live--;
    state.leftAt = performance.now();
    // While nobody waits: the next command then finds it done.
    if (state.live === 0) void this.#search(root, state).done;
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

/** Nothing is remembered of single folders, which are many. */
function searchPackages(packages: PackageState, tops: readonly string[]): Promise<void> {
  const search = async (): Promise<void> => {
    const searchedAt = performance.now();
    const held: string[] = [];
    let limit = limits.packageFolders;
    for (const top of tops) {
      const swept = await sweep(top, { look: (folder) => listingOf(folder), limit, enters: () => true });
      limit -= swept.visited;
      // What was not looked through stays as it is.
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
  let rest = breath;
  for (let level = [top]; level.length > 0; ) {
    const next: string[] = [];
    for (let at = 0; at < level.length; at += limits.atOnce) {
      if (visited >= limit) return { held, left, visited, isWhole: false };
      const lists = await Promise.all(level.slice(at, at + limits.atOnce).map(look));
      visited += lists.length;
      if (visited >= rest) {
        rest += breath;
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

/** As many paths as one sandbox can hold: where too many lie beside each other, the folder around them stands for them. */
function collapsed(root: string, paths: readonly string[]): { readonly held: readonly string[] } | { readonly refused: string } {
  let held = [...new Set(paths)];
  while (held.length > maxHeld) {
    const groups = [...Map.groupBy(held, around)].filter(([folder]) => folder !== root && folder.startsWith(root));
    const largest = Math.max(...groups.map(([, inside]) => inside.length));
    // The most crowded folder first; where none is, all of them give way to the folders around them.
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

/** The folder in which a repository, or a folder with settings, lies beside others. */
const around = (held: string): string => path.dirname(isProtectedName(path.basename(held)) ? path.dirname(held) : held);

interface Looking {
  readonly known?: Listings;
  readonly seen?: Listings;
  /** The writable root itself, which cannot be held as a whole. */
  readonly isTop?: boolean;
}

/** From memory where the folder is as it was; else read again. */
function listingOf(folder: string, { known, seen, isTop = false }: Looking = {}): Promise<Listing> | Listing {
  const found = findLstat(folder);
  if (found?.isDirectory() !== true) return nothing;
  const sign = `${found.dev}:${found.ino}:${found.mtimeMs}:${found.ctimeMs}`;
  const old = known?.get(folder);
  if (old?.sign === sign) {
    seen?.set(folder, old);
    return old;
  }
  // A change this young may be followed by another one under the same time.
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

/** However many entries there are, only those that matter are held. */
async function summarized(folder: string): Promise<Summary> {
  const summary = new Summary();
  for await (const entry of entriesOf(folder)) if (!summary.add(entry)) break;
  return summary;
}

const nothing: Listing = { sign: "", held: [], folders: [] };
const none: readonly string[] = [];
/** Not a set that is made at the import: the names lie in a part of the bundle that starts do not load. */
const isProtectedName = (name: string): boolean => (protectedNames as readonly string[]).includes(name);

/** What matters of a folder's entries. */
class Summary {
  /** Names that must stay as they are, and those that do in a repository. */
  readonly #held: string[] = [];
  readonly #decisive: string[] = [];
  readonly #folders: string[] = [];
  /** What a bare repository, or the git folder of another under a name of its own, is known by. */
  readonly #signs = new Set<string>();
  #hasGitLink = false;

  /** False when there are more folders than are ever looked at: the rest changes nothing. */
  add(entry: Dirent): boolean {
    const { name } = entry;
    // Disks that do not tell cases apart take one for the other.
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

  /** `isTop`: the writable root itself, which cannot be held as a whole. */
  of(folder: string, isTop: boolean): Pick<Listing, "held" | "folders"> {
    const isBare = this.#signs.size === repositorySigns.size;
    // Nothing can lie over a link: to keep a repository's from being replaced, the folder that it is in stays as it is.
    if ((isBare || this.#hasGitLink) && !isTop) return { held: [folder], folders: none };
    const names = isBare ? [...this.#held, ...this.#decisive] : this.#held;
    const entered = isBare ? this.#folders.filter((name) => !decisive.has(name)) : this.#folders;
    const whole = (name: string): string => path.join(folder, name);
    // Most folders have neither: one empty list for all of them.
    return { held: names.length === 0 ? none : names.map(whole), folders: entered.length === 0 ? none : entered.map(whole) };
  }
}

/** What decides in a repository which programs git runs. */
const decisive: ReadonlySet<string> = new Set(["config", "config.worktree", "commondir", "hooks", "info"]);
const repositorySigns: ReadonlySet<string> = new Set(["HEAD", "objects", "refs"]);

const immediate = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

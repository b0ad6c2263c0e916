/**
 * The last known state of the files of a large repository. What is as git stored it is described by the index alone and its content stays in
 * the repository's objects; only what differs is kept. Watches on every folder say what was touched, so that a look costs as much as what
 * has changed, not as much as there is.
 */
import { statfsSync } from "node:fs";
import path from "node:path";
import type { Snapshot } from "../core/ports/snapshots.ts";
import { absent } from "../core/ports/workspace.ts";
import { errorMessage } from "../lib/error-text.ts";
import { findLstat } from "../lib/file-status.ts";
import { createPace } from "../lib/pace.ts";
import { withSlashes } from "../lib/paths.ts";
import { type Earlier, type FilesMemory, type Kept, OpenSnapshot, SharedScan } from "./files-memory.ts";
import { FolderWatches } from "./folder-watches.ts";
import type { IndexEntry } from "./git-index.ts";
import { GitFailed, type GitOptions } from "./git-run.ts";
import { isNeverListed } from "./ignore-rules.ts";
import { wasIgnored } from "./old-rules.ts";
import { PrivateRepository } from "./private-repository.ts";
import { type Found, findNow, type Known, RepositoryFiles } from "./repository-files.ts";
import { type TreeRules, Unwatchable, watchTree } from "./watch-tree.ts";
import type { SnapshotLimits } from "./workspace-memory.ts";

/** The undo store keeps no larger file. */
const maxFileBytes = 16 * 1024 * 1024;
const mostFolders = 60_000;
/** Of touched files; beyond that, looking at everything costs less. */
const mostTouched = 50_000;
/** Work between two pauses: a large repository must not delay other streams. */
const stretchMs = 2;
/** ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs. Elsewhere (NFS, FUSE …) files may change without a notification. */
const watchedSystems = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e];

/** What is known at one time, and how it is kept up to date. */
interface Base {
  readonly git: PrivateRepository;
  readonly watches: FolderWatches;
  readonly files: RepositoryFiles;
  /** Reading it again would not make room. */
  readonly wasFull: boolean;
}

export class RepositoryMemory implements FilesMemory {
  readonly #root: string;
  readonly #limits: SnapshotLimits;
  readonly #options: GitOptions;
  readonly #open = new Set<OpenSnapshot>();
  readonly #scan = new SharedScan(() => this.#look());
  #base: Base | undefined;
  /** The rule files that have changed since everything was last read, with their earlier texts, by folder. */
  #oldRules = new Map<string, string>();
  #isOutdated = false;
  #isClosed = false;
  /** Why it cannot be remembered. */
  reason: string | undefined;

  /** `root` is a resolved path in a repository. */
  constructor(root: string, limits: SnapshotLimits, options: GitOptions) {
    this.#root = root;
    this.#limits = limits;
    this.#options = options;
  }

  get isTooLarge(): boolean {
    return this.reason !== undefined;
  }
  get isInUse(): boolean {
    return this.#open.size > 0 || this.#scan.isRunning;
  }
  /** Looking again costs next to nothing, unless it has failed. */
  get ageMs(): number {
    return this.reason === undefined ? Number.POSITIVE_INFINITY : this.#scan.ageMs;
  }

  refresh(): Promise<void> {
    return this.#scan.refresh();
  }

  open(): Snapshot {
    const opened = new OpenSnapshot({
      refresh: async () => {
        await this.refresh();
        if (this.reason !== undefined) throw new Error(`the workspace can no longer be followed: ${this.reason}`);
      },
      now: (file) => findNow(file, maxFileBytes).state,
      close: (snapshot) => this.#open.delete(snapshot),
    });
    this.#open.add(opened);
    return opened;
  }

  close(): void {
    this.#isClosed = true;
    this.#release(this.#base);
    this.#base = undefined;
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    const found = findLstat(this.#root);
    const base = found !== undefined && this.#base?.watches.isSame(this.#root, found) === true ? this.#base : undefined;
    try {
      const touched = this.#isOutdated ? undefined : await base?.watches.drain();
      if (base === undefined || touched === undefined || touched.size > mostTouched) await this.#readAll();
      else await this.#apply(base, touched);
    } catch (error) {
      this.reason = error instanceof GitFailed ? `${error.message}, or takes too long` : errorMessage(error);
      this.#release(this.#base);
      this.#base = undefined;
    }
    if (this.#isClosed) this.close();
  }

  /** Reads everything anew; what was known before is compared with it, in case notifications were lost. */
  async #readAll(): Promise<void> {
    const older = this.#base;
    const base = await this.#load();
    const rules = this.#oldRules;
    this.#oldRules = new Map();
    this.#base = base;
    this.#isOutdated = false;
    this.reason = undefined;
    if (older !== undefined) await this.#compare(older.files, base, rules);
    this.#release(older);
    // What happened while it was read.
    const touched = await base.watches.drain();
    if (touched === undefined) this.#isOutdated = true;
    else await this.#apply(base, touched);
  }

  async #load(): Promise<Base> {
    if (!watchedSystems.includes(statfsSync(this.#root).type)) throw new Unwatchable("its file system does not notify of every change");
    const git = await PrivateRepository.open(this.#root, this.#options);
    if (git === undefined) throw new Unwatchable("it is not in a git repository, or there is no git");
    const watches = new FolderWatches(mostFolders);
    try {
      const { repository, rules } = git;
      const pace = createPace(stretchMs, 4);
      const early = await git.index();
      // Meanwhile: what changes after it was compared has another timestamp then, and is compared again.
      const refreshed = git.refresh();
      refreshed.catch(() => undefined); // reported below, unless something else fails first
      await watchTree([this.#root], { watches, rules: this.#treeRules(git, (name) => early.hasFolder(name)), pace });
      await refreshed;
      const { index, differing, untracked } = await git.compare(nameIn(repository.root, this.#root));
      if (differing.length + untracked.length > this.#limits.files)
        throw new Unwatchable(`more than ${this.#limits.files} of its files are not as git has stored them`);
      const files = new RepositoryFiles(index, rules, this.#limits);
      const learn = async (name: string): Promise<void> => {
        const whole = path.join(repository.root, name);
        // Only what is in a watched folder can be kept up to date.
        if (watches.has(path.dirname(whole))) files.learn(name, findNow(whole, this.#limits.fileBytes));
        await pace();
      };
      for (const name of differing) await learn(name);
      for (const name of untracked) await learn(name);
      for (const { path: name } of index.unsure()) await learn(name);
      git.warm();
      return { git, watches, files, wasFull: files.isFull };
    } catch (error) {
      this.#release({ git, watches });
      throw error;
    }
  }

  async #compare(older: RepositoryFiles, base: Base, rules: ReadonlyMap<string, string>): Promise<void> {
    if (this.#open.size === 0) return;
    const pace = createPace(stretchMs, 16);
    for (const name of new Set(base.files.differencesFrom(older))) {
      await pace();
      const [before, now] = [older.known(name), base.files.known(name)];
      if (before === undefined ? now === undefined : base.files.isSame(before, now ?? nothing)) continue;
      const whole = path.join(base.git.repository.root, name);
      if (before !== undefined) this.#note(whole, this.#earlier(before, whole));
      else if (!(await wasIgnored(whole, base.git.repository.root, rules))) this.#note(whole, absent);
    }
  }

  async #apply(base: Base, touched: ReadonlySet<string>): Promise<void> {
    const { git, files } = base;
    const top = git.repository.root;
    const names = await this.#namesOf(base, touched);
    const unknown: { readonly name: string; readonly whole: string; readonly now: Found }[] = [];
    const pace = createPace(stretchMs, 4);
    for (const name of names) {
      await pace();
      const whole = path.join(top, name);
      const [before, now] = [files.known(name), findNow(whole, maxFileBytes)];
      if (before === undefined) {
        if (isFileOrLink(now.state)) unknown.push({ name, whole, now });
      } else if (!files.isSame(before, now)) {
        const earlier = this.#earlier(before, whole);
        if (path.basename(name) === ".gitignore") await this.#rulesChanged(path.dirname(whole), earlier, git);
        this.#note(whole, earlier);
        files.learn(name, now);
      }
    }
    for (const { name, whole } of unknown)
      if (path.basename(name) === ".gitignore") await this.#rulesChanged(path.dirname(whole), absent, git);
    const ignored = await git.ignored(unknown.map(({ name }) => name));
    this.#isOutdated ||= ignored === undefined || (files.isFull && !base.wasFull);
    for (const { name, whole, now } of unknown) {
      if (ignored?.has(name) !== false) continue;
      this.#note(whole, this.#oldRules.size > 0 && (await wasIgnored(whole, top, this.#oldRules)) ? "notKept" : absent);
      files.learn(name, now);
    }
  }

  /** The files that may have changed: those that were touched, and all in folders that came, went or were replaced. */
  async #namesOf({ git, watches, files }: Base, touched: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    const top = git.repository.root;
    const fresh: string[] = [];
    // A folder that is gone comes before what was in it, and takes its watches along.
    for (const whole of [...touched].sort((a, b) => a.length - b.length)) {
      if (isNeverListed(path.basename(whole))) continue;
      const found = findLstat(whole);
      const isFolder = found?.isDirectory() === true;
      if (isFolder && watches.isSame(whole, found)) continue;
      const name = nameIn(top, whole);
      names.add(name);
      if (watches.has(whole)) {
        watches.drop(whole);
        for (const below of files.below(name)) names.add(below);
      }
      if (isFolder) fresh.push(whole);
    }
    if (fresh.length > 0) {
      const rules = this.#treeRules(git, (name) => files.index.hasFolder(name));
      await watchTree(fresh, { watches, rules, pace: createPace(stretchMs, 4), onFile: (file) => names.add(nameIn(top, file)) });
    }
    return names;
  }

  /** git has to read them again, and what they no longer ignore was not kept. */
  async #rulesChanged(folder: string, earlier: Earlier, git: PrivateRepository): Promise<void> {
    const before = typeof earlier === "function" ? await earlier() : earlier;
    if (!this.#oldRules.has(folder))
      this.#oldRules.set(folder, before !== "notKept" && before.kind === "file" ? Buffer.from(before.bytes).toString("utf8") : "");
    git.forgetRules();
    this.#isOutdated = true;
  }

  #note(whole: string, before: Earlier): void {
    for (const snapshot of this.#open) snapshot.note(whole, before);
  }

  #earlier(known: Known, whole: string): Earlier {
    return "entry" in known ? () => stored(known.entry, whole, this.#base?.git) : known.state;
  }

  #treeRules(git: PrivateRepository, hasFolder: (name: string) => boolean): TreeRules {
    const top = git.repository.root;
    return {
      tops: [top, this.#root],
      isTracked: (folder) => folder === top || hasFolder(nameIn(top, folder)),
      async ignored(folders) {
        const found = await git.ignored(folders.map((folder) => nameIn(top, folder)));
        return found === undefined ? undefined : new Set([...found].map((name) => path.join(top, name)));
      },
    };
  }

  #release(base: Pick<Base, "git" | "watches"> | undefined): void {
    base?.watches.close();
    base?.git.close().catch(() => undefined); // what is left is removed by the next server
  }
}

/** What git has stored. If it is not as long as the file was, git had changed it on the way. */
async function stored(entry: IndexEntry, whole: string, git: PrivateRepository | undefined): Promise<Kept> {
  const bytes = await git?.blob(entry.oid, maxFileBytes);
  if (git === undefined || bytes === undefined || bytes.length !== entry.size) return "notKept";
  if (entry.kind === "link") return { kind: "link", target: bytes.toString("utf8") };
  // git knows only whether a file may be executed: the other permissions are those of the file that is there now.
  const found = findLstat(whole);
  const mode = found?.isFile() === true ? found.mode & 0o7777 : 0o644;
  return { kind: "file", bytes, mode: entry.isExecutable ? mode | 0o111 : git.rules.hasModes ? mode & ~0o111 : mode };
}

const nothing: Found = { state: absent, sign: "" };
const isFileOrLink = (state: Kept): boolean => state === "notKept" || state.kind === "file" || state.kind === "link";
const nameIn = (top: string, whole: string): string => withSlashes(path.relative(top, whole));

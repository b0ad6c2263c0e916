/** The ThreadStore on the local disk: rollouts that Codex can read too, and an index of our own. */
import { mkdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type {
  Lease,
  RecentRecords,
  StoredThread,
  ThreadHits,
  ThreadMeta,
  ThreadQuery,
  ThreadRecord,
  ThreadStore,
} from "../core/ports/thread-store.ts";
import { UnfitFile } from "../lib/bounded-read.ts";
import { replaceFile } from "../lib/durable-write.ts";
import { isInside } from "../lib/paths.ts";
import { invalidRequest } from "../protocol/errors.ts";
import { renameInCodex } from "./index/codex-names.ts";
import { currentFile, type FoundFile, foundFile, locateThread } from "./index/folders.ts";
import { HeadReader } from "./index/head.ts";
import { Names } from "./index/names.ts";
import { ThreadIndex } from "./index/thread-index.ts";
import { type RowSources, rowOfFile, threadOfRow } from "./index/thread-row.ts";
import { searchThreads } from "./index/thread-search.ts";
import { archivedPath, earliestCreation, isThreadId, rolloutPath, unarchivedPath } from "./layout.ts";
import { questionFile } from "./question-log.ts";
import { RecordCache } from "./record-cache.ts";
import { lastModel } from "./rollout/last-model.ts";
import { parseLine } from "./rollout/line-records.ts";
import { contentOf, readFirstLine } from "./rollout/read-lines.ts";
import { readRecentRollout } from "./rollout/read-recent.ts";
import { type FindSegment, readRollout, recordsOfLines } from "./rollout/rollout.ts";
import { gitToDisk } from "./rollout/session-meta.ts";
import { type Disk, reasonOf, systemDisk } from "./writing/disk.ts";
import { Leases, type OfferedSocket } from "./writing/leases.ts";
import { Writers } from "./writing/writers.ts";

export interface LocalStoreOptions {
  readonly home: string;
  readonly now?: () => number;
  readonly disk?: Disk;
  /** fsync at the end of each turn. */
  readonly syncTurns?: () => boolean;
  /** Named in the leases, for other processes on this home. */
  readonly socket?: OfferedSocket;
}

export function createLocalStore(options: LocalStoreOptions): ThreadStore {
  return new LocalStore(options);
}

class LocalStore implements ThreadStore {
  readonly #home: string;
  readonly #now: () => number;
  readonly #names: Names;
  readonly #index: ThreadIndex;
  readonly #leases: Leases;
  readonly #writers: Writers;
  readonly #cache = new RecordCache<readonly ThreadRecord[]>();
  readonly #recent = new RecordCache<RecentRecords | undefined>();
  readonly #deleted = new Set<string>();
  /** The last known paths of threads; a path that is no longer right is looked up again. */
  readonly #paths = new Map<string, string>();
  onTrouble: (message: string) => void = () => {};
  onNotice: (message: string) => void = () => {};

  constructor(options: LocalStoreOptions) {
    this.#home = options.home;
    this.#now = options.now ?? Date.now;
    this.#names = new Names(options.home);
    this.#index = new ThreadIndex({
      home: options.home,
      names: this.#names,
      now: this.#now,
      report: (message) => this.onNotice(message),
    });
    this.#leases = new Leases(options.home, options.socket);
    this.#writers = new Writers({
      disk: options.disk ?? systemDisk,
      now: this.#now,
      syncTurns: options.syncTurns ?? (() => false),
      locate: async (id) => unpacked(await this.#require(id)),
      onWritten: (file) => {
        if (isInside(file, this.#home)) this.#index.touch(file);
      },
      report: (message) => this.onTrouble(message),
    });
  }

  pathFor(id: string, createdAtMs: number): string {
    return this.#paths.get(id) ?? rolloutPath(this.#home, id, createdAtMs);
  }

  append(threadId: string, records: readonly ThreadRecord[]): Promise<void> {
    if (this.#deleted.has(threadId)) return Promise.reject(new Error(`thread ${threadId} was deleted`));
    if (!isThreadId(threadId)) return Promise.reject(new Error(`not a thread id: ${threadId}`));
    const first = records[0];
    if (first?.type === "meta" && !this.#paths.has(threadId))
      this.#paths.set(threadId, rolloutPath(this.#home, threadId, first.meta.createdAtMs));
    return this.#writers.of(threadId).append(records);
  }

  async read(threadId: string): Promise<readonly ThreadRecord[]> {
    if (!isThreadId(threadId)) return [];
    await this.#writers.settle(threadId);
    const file = await this.#find(threadId);
    const unstored = this.#writers.unstored(threadId);
    const find: FindSegment = async (segment) => this.#segmentFile(segment)?.path;
    if (unstored === undefined) return file === undefined ? [] : this.#cache.read(threadId, file, () => readable(readRollout(file, find)));
    const stored = file === undefined ? recordsOfLines(unstored.lines) : await readable(readRollout(file, find, unstored));
    return [...stored, ...unstored.records];
  }

  async readRecent(threadId: string): Promise<RecentRecords | undefined> {
    if (!isThreadId(threadId)) return undefined;
    await this.#writers.settle(threadId);
    const file = await this.#find(threadId);
    if (file === undefined || this.#writers.unstored(threadId) !== undefined) return undefined;
    return await this.#recent.read(threadId, file, () => readable(readRecentRollout(file)));
  }

  async adopt(named: string): Promise<string> {
    const refuse = (why: string): Error => invalidRequest(`failed to load rollout \`${named}\`: ${why}`);
    const { id } = foundFile(path.resolve(named), this.#home);
    if (!isThreadId(id)) throw refuse("its name is not that of a thread's file (rollout-TIME-ID.jsonl)");
    const file = realFile(named);
    const known = await this.#find(id);
    // A path that the thread had before it was moved still identifies it.
    if (known !== undefined && (file === undefined || realFile(known) === file)) return id;
    if (file === undefined) throw invalidRequest(`failed to resolve rollout path \`${named}\`: file does not exist`);
    if (known !== undefined) throw refuse(`this thread is already known from ${known}`);
    const first = parseLine(await readable(readFirstLine(file)));
    if (first?.type !== "session_meta" || first.payload["id"] !== id) throw refuse("its first line is not that of this thread");
    this.#deleted.delete(id);
    this.#paths.set(id, file);
    return id;
  }

  async find(threadId: string): Promise<StoredThread | undefined> {
    if (!isThreadId(threadId) || this.#deleted.has(threadId)) return undefined;
    await this.#writers.settle(threadId);
    const file = await this.#find(threadId);
    if (file === undefined) return undefined;
    const row = (await this.#index.known(file)) ?? rowOfFile(foundFile(file, this.#home), this.#sources);
    this.#names.refresh();
    return row === undefined ? undefined : threadOfRow(row, this.#names);
  }

  async lastModel(threadId: string): ReturnType<ThreadStore["lastModel"]> {
    await this.#writers.settle(threadId);
    const file = isThreadId(threadId) ? await this.#find(threadId) : undefined;
    return file === undefined ? { model: null, effort: null } : await readable(lastModel(file));
  }

  list(query: ThreadQuery): ReturnType<ThreadStore["list"]> {
    return this.#index.list(query);
  }

  search(term: string, limit: number, among: Partial<ThreadQuery> = {}): Promise<ThreadHits> {
    return searchThreads(this.#index, term, limit, among);
  }

  async rename(threadId: string, name: string): Promise<void> {
    await refusable("the name cannot be stored", this.#home, () => this.#names.set(threadId, name));
    try {
      await renameInCodex(this.#home, threadId, name);
    } catch (error) {
      this.onNotice(
        `Codex may keep showing the old name of thread ${threadId}: its database could not be written (${reasonOf(error, this.#home)})`,
      );
    }
  }

  /**
   * Like Codex: the first line is repeated with the new facts, and the last one wins. In its paginated files such a line would lose the
   * whole history, so there the facts are kept only in the index, as Codex keeps them in its own.
   */
  async updateGit(threadId: string, git: ThreadMeta["git"]): Promise<void> {
    const file = await this.#require(threadId);
    await this.#writers.settle(threadId);
    const first = parseLine(await readFirstLine(file));
    if (first?.type === "session_meta" && first.payload["history_mode"] !== "paginated") {
      const payload = { ...first.payload, git: git == null ? undefined : gitToDisk(git) };
      await this.#writers.of(threadId).appendRaw({ timestamp: new Date(this.#now()).toISOString(), type: "session_meta", payload });
    }
    await this.#index.setFacts(threadId, [file], (facts) => ({ ...facts, git }));
  }

  archive(threadId: string): Promise<void> {
    return this.#move(threadId, (file) => archivedPath(this.#home, file));
  }
  unarchive(threadId: string): Promise<void> {
    return this.#move(threadId, (file) => unarchivedPath(this.#home, file));
  }
  async refuseForked(threadId: string): Promise<void> {
    const files = this.#filesOf(threadId);
    if (files.length === 0) return;
    const segments = files.map((file) => file.segment);
    const madeMs = Math.min(...files.map(earliestCreation)) - clockStepMs;
    const forks = await this.#index.basedOn([...new Set([threadId, ...segments])], threadId, madeMs);
    const distinct = [...new Map(forks.map((fork) => [fork.id, fork])).values()];
    if (distinct.length > 0) throw invalidRequest(stillReferenced(threadId, distinct));
  }

  async delete(threadId: string): Promise<void> {
    await this.refuseForked(threadId);
    const files = this.#filesOf(threadId);
    this.#deleted.add(threadId);
    await this.#writers.drop(threadId);
    for (const file of files) {
      await refusable("the thread cannot be deleted", file.path, () => rmSync(file.path, { force: true }));
      this.#index.touch(file.path);
    }
    if (isThreadId(threadId)) rmSync(questionFile(this.#home, threadId), { force: true });
    this.#paths.delete(threadId);
    this.#cache.forget(threadId);
    this.#recent.forget(threadId);
  }

  async #move(threadId: string, target: (file: string) => string): Promise<void> {
    const files = this.#filesOf(threadId);
    const before = await this.find(threadId);
    await this.#writers.rest(threadId);
    const moved = files.map((file) => target(file.path));
    for (const file of files) {
      const to = target(file.path);
      if (to === file.path) continue;
      await refusable("the thread cannot be moved", to, () => {
        mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
        renameSync(file.path, to);
      });
      this.#index.touch(file.path);
      this.#index.touch(to);
    }
    this.#paths.delete(threadId);
    // The new row is built from the file's head, which lacks facts that were learned later.
    if (before !== undefined) await this.#index.setFacts(threadId, moved, (facts) => ({ ...facts, git: before.git }));
  }

  socketOf(threadId: string): string | undefined {
    return isThreadId(threadId) ? this.#leases.socketOf(threadId) : undefined;
  }
  lease(threadId: string, client: string): Promise<Lease> {
    if (!isThreadId(threadId)) return Promise.reject(new Error(`not a thread id: ${threadId}`));
    return this.#leases.lease(threadId, client);
  }

  async close(): Promise<void> {
    await this.#writers.end();
    this.#leases.releaseAll();
    await this.#index.close();
  }

  #filesOf(threadId: string): readonly FoundFile[] {
    return isThreadId(threadId) ? locateThread(this.#home, (file) => file.id === threadId, threadId) : [];
  }

  /** The file to continue with; undefined if there is none on disk. */
  async #find(threadId: string): Promise<string | undefined> {
    const known = this.#paths.get(threadId);
    if (known !== undefined && statSync(known, { throwIfNoEntry: false }) !== undefined) return known;
    const file = currentFile(this.#filesOf(threadId))?.path;
    if (file !== undefined) this.#paths.set(threadId, file);
    return file;
  }
  async #require(threadId: string): Promise<string> {
    const known = this.#paths.get(threadId);
    const file = (await this.#find(threadId)) ?? known;
    if (file === undefined) throw new Error(`thread ${threadId} has no file and no first record`);
    return file;
  }

  get #sources(): RowSources {
    return { heads: new HeadReader(), pathOfSegment: (segment) => this.#segmentFile(segment)?.path };
  }
  #segmentFile(segment: string): FoundFile | undefined {
    return isThreadId(segment) ? locateThread(this.#home, (file) => file.segment === segment, segment)[0] : undefined;
  }
}

const namedForks = 10;
/** A clock may have been set back by this much between the creation of a thread and that of its fork, which then looks older. */
const clockStepMs = 2 * 86_400_000;

/** The same message as Codex, with the forks by id and title, so that the reader can open them. */
function stillReferenced(id: string, forks: readonly StoredThread[]): string {
  const titles = forks.slice(0, namedForks).map((fork) => `${fork.id} (${oneLine(fork.name ?? fork.preview)})`);
  const more = forks.length > namedForks ? `, and ${forks.length - namedForks} more` : "";
  return `cannot delete thread ${id}: forked history still references it: ${titles.join(", ")}${more}. Delete these first, or archive the thread instead.`;
}
const oneLine = (text: string): string => (text.replaceAll(/[\p{C}\s]+/gu, " ").trim() || "untitled").slice(0, 60);

/** Runs an operation that the disk may refuse; the client then gets a plain error. */
async function refusable(what: string, file: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw invalidRequest(`${what}: ${reasonOf(error, file)}`);
  }
}

/** Codex compresses files that have not been used for long; one that is written to again must be plain. */
async function unpacked(file: string): Promise<string> {
  if (!file.endsWith(".zst")) return file;
  const plain = file.slice(0, -".zst".length);
  await replaceFile(plain, contentOf(file));
  rmSync(file, { force: true });
  return plain;
}

/** Without links; undefined where there is no such file. */
function realFile(file: string): string | undefined {
  try {
    return realpathSync(path.resolve(file));
  } catch {
    return undefined;
  }
}

/** Gives the client a plain error if a thread's file is not a regular file. */
async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof UnfitFile ? invalidRequest(`the thread cannot be read: ${error.message}`) : error;
  }
}

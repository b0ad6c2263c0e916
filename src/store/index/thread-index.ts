/**
 * All threads, sorted and filtered, for lists. Built from the rollouts in the background and kept in SQLite; a page that is requested
 * earlier reads only those files that can be on it. Files of other programs are noticed by their folders' timestamps.
 */
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { StoredThread, ThreadPage, ThreadQuery } from "../../core/ports/thread-store.ts";
import { hasPassed } from "../../lib/passed.ts";
import { isBusy, isDatabaseError, removeDatabase } from "../database.ts";
import { archiveFolder, ownFolder } from "../layout.ts";
import { type Json, objectOf } from "../rollout/shapes.ts";
import { Backlog } from "./backlog.ts";
import { type Cursor, certainRows, endsOf, movedCursor, type RowsOfPage, readCursor, writeCursor } from "./cursor.ts";
import { dayFolders, type FoundFile, filesInSlices, foundFile, mtimeOf, NumberedFolders, settledMs } from "./folders.ts";
import { HeadReader } from "./head.ts";
import { hasChanged, LastChanges } from "./last-changes.ts";
import type { Names } from "./names.ts";
import { NextLists } from "./next-lists.ts";
import { isDamage, isTakenOver, openIndex } from "./open-index.ts";
import { ReadAhead } from "./read-ahead.ts";
import { SeenFiles } from "./seen-files.ts";
import type { IndexRow, SqliteIndex } from "./sqlite-index.ts";
import { TextBuilder } from "./text-builder.ts";
import type { Narrowing } from "./text-index.ts";
import { type FactsOfPage, type RowSources, rowOfFile, threadOfRow } from "./thread-row.ts";
import { type PagePlace, UnseenFolders } from "./unseen-folders.ts";

const sliceMs = 6;
/** In the background this many files are read at a time, with pauses for other work. */
const portion = 60;
const restMs = 6;
/** New threads appear in the newest folders; the others are checked less often. */
const hotFolders = 32;
/** Threads that are being written to change all the time. */
const maxRechecks = 3;
const busyTries = 25;
const lookEveryMs = 10_000;
/** This few files are read at once, which keeps pages exact even for files with a wrong time in their names. */
const readAllBelow = 600;
/** A page's first round reads this many files more than it shows: some are not listed. */
const sparePortion = 10;
/** No page waits for more files than this, however many there are: it then returns what it has found, with a cursor to continue from. */
export const mostReadForPage = 2_000;

/** What a page begins after, and what was learned for it: folders and files that need no further look for this request. */
interface PageState {
  readonly cursor: Cursor | undefined;
  readonly narrowing: Narrowing | undefined;
  readonly seenFolders: Set<string>;
  readonly seenFiles: SeenFiles;
}

export class ThreadIndex {
  readonly #home: string;
  readonly #names: Names;
  readonly #now: () => number;
  /** Undefined keeps the index in memory. */
  #file: string | undefined;
  #opening: Promise<SqliteIndex> | undefined;
  #db: SqliteIndex | undefined;
  readonly #heads = new HeadReader();
  /** When they were changed last, of those whose files are known; undefined of those that were not there. */
  #folders = new Map<string, number | undefined>();
  readonly #days = new NumberedFolders();
  #backlog = new Backlog();
  readonly #unseen = new UnseenFolders();
  readonly #changes: LastChanges;
  readonly #ahead = new ReadAhead();
  readonly #nextLists: NextLists;
  #touched = new Set<string>();
  /** Of the last pages; `version` is that of the names. */
  readonly #threads = new WeakMap<readonly IndexRow[], { readonly threads: readonly StoredThread[]; readonly version: number }>();
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();
  #building: Promise<void> | undefined;
  /** Made when it is needed: a start does not load it. */
  #texts: TextBuilder | undefined;
  #flushTimer: NodeJS.Timeout | undefined;
  #hasAnnouncedBuilding = false;
  #closed = false;

  readonly #report: (message: string) => void;

  constructor(options: {
    readonly home: string;
    readonly names: Names;
    readonly now: () => number;
    readonly report?: (message: string) => void;
  }) {
    this.#home = options.home;
    this.#file = path.join(ownFolder(options.home), "index.sqlite");
    this.#names = options.names;
    this.#now = options.now;
    this.#report = options.report ?? (() => {});
    this.#changes = new LastChanges({
      now: options.now,
      onChanged: (file) => this.#touched.add(file),
      flush: (db) => this.#flush(db),
    });
    this.#nextLists = new NextLists(this.#changes, (rows, limit) => this.#threadsOf(rows, limit, true));
  }

  /** Throws RpcError for a cursor that is not ours. */
  async list(query: ThreadQuery, narrowing?: Narrowing): Promise<ThreadPage> {
    const cursor = query.cursor === null ? undefined : readCursor(query.cursor);
    return await this.#safely(async (db) => await this.#list(db, query, cursor, narrowing));
  }

  /** Which threads have to be read to find the text in their messages, by what is known of them now. */
  async narrow(text: string): Promise<Narrowing> {
    this.#names.refresh();
    return await this.#safely(async (db) => {
      await this.#changes.check(db);
      return await this.#narrow(db, text);
    });
  }
  mayContain(id: string, narrowing: Narrowing): boolean {
    try {
      return narrowing.kind !== "many" || this.#db?.texts?.mayContain(id, narrowing.match) !== false;
    } catch {
      return true; // closed or broken in the meantime
    }
  }

  async #safely<T>(work: (db: SqliteIndex) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#open());
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      // A damaged file is rebuilt; one that cannot be written now is left alone, and the list is built in memory.
      await this.#startAnew(isDamage(error));
      return await work(await this.#open());
    }
  }

  /** A file that another program has changed counts as unknown once that was noticed. */
  async #narrow(db: SqliteIndex, text: string): Promise<Narrowing> {
    await this.#flush(db);
    return (await db.texts?.narrow(text, this.#names.matching(text))) ?? { kind: "unknown" };
  }

  async #list(db: SqliteIndex, query: ThreadQuery, cursor: Cursor | undefined, narrowing?: Narrowing): Promise<ThreadPage> {
    this.#changes.requested();
    this.#ahead.cancel();
    const seenFolders = await this.#look(db);
    await this.#flush(db);
    const checked = query.sortKey === "created_at" ? [] : await this.#changes.check(db);
    // The page is mostly among the first of them. To look at others once more is less than to remember all.
    const seenFiles = new SeenFiles(checked.slice(0, 2 * query.limit));
    this.#names.refresh();
    // The previews, which a list searches, are in the full-text index too.
    const found = narrowing ?? (query.searchTerm ? await this.#narrow(db, query.searchTerm) : undefined);
    const state = { cursor: movedCursor(cursor, query), narrowing: found, seenFolders, seenFiles };
    const { rows, goOn, isKept } = await this.#rowsFor(db, query, state);
    this.#build(db);
    const { next, backwardsCursor } = endsOf(query, rows, goOn);
    if (found === undefined) this.#ahead.plan(this.#nextLists.stepsAfter(db, query, cursor, next));
    const threads = this.#threadsOf(rows, query.limit, isKept);
    return { threads, isKept, nextCursor: next === undefined ? null : writeCursor(next), backwardsCursor };
  }

  /** The same threads for the same rows, while no name changes. */
  #threadsOf(rows: readonly IndexRow[], limit: number, isKept: boolean | undefined): readonly StoredThread[] {
    const { version } = this.#names;
    const known = this.#threads.get(rows);
    if (known?.version === version) return known.threads;
    const read: FactsOfPage = new Map();
    const threads = rows.slice(0, limit).map((row) => threadOfRow(row, this.#names, read));
    if (isKept) this.#threads.set(rows, { threads, version });
    return threads;
  }

  /**
   * The rows of the page, after reading every file that might be on it and checking every row on disk. If that would be too many files,
   * returns the rows that are certain so far, and where to continue.
   */
  async #rowsFor(db: SqliteIndex, query: ThreadQuery, { cursor, narrowing, seenFolders, seenFiles }: PageState): Promise<RowsOfPage> {
    const named = query.searchTerm === null ? [] : this.#names.matching(query.searchTerm);
    let [left, leftNames] = [mostReadForPage, mostReadForPage];
    // Each further round reads more files at a time, so that a filter that matches few threads needs few rounds.
    for (let rechecks = 0, portion = query.limit + sparePortion; ; ) {
      if (this.#backlog.size <= readAllBelow && this.#unseen.size === 0) await this.#readFiles(db, this.#backlog.all());
      if (query.sortKey !== "created_at") await this.#backlog.learnTimes(mostReadForPage);
      const { rows, isKept } = db.page(query, { after: cursor, named, narrowing });
      // In the order of a section, any unread file may come first.
      const border = rows.length > query.limit && query.sortKey !== "section_position" ? rows.at(-1) : undefined;
      if (await this.#lookNear(db, { query, cursor, border }, seenFolders)) continue;
      const missing = this.#backlog.neededFor(query, border, portion);
      const folder = this.#unseen.neededFor(query, border);
      if (missing.length > 0) {
        if (left <= 0) return this.#certain(query, cursor, rows);
        await this.#readFiles(db, missing);
        for (const file of missing) seenFiles.add(file.path);
        left -= missing.length;
        portion *= 4;
      } else if (folder !== undefined) {
        if (leftNames <= 0) return this.#certain(query, cursor, rows);
        leftNames -= await this.#lookInto(db, folder, false);
      } else if (rechecks++ === maxRechecks || !(await this.#recheck(db, rows, seenFiles))) return { rows, isKept };
    }
  }

  /** The page when no more files are read for it. */
  #certain(query: ThreadQuery, cursor: Cursor | undefined, rows: readonly IndexRow[]): RowsOfPage {
    if (!this.#hasAnnouncedBuilding)
      this.#report(
        `the list of threads is being built (${this.#backlog.size} files and ${this.#unseen.size} folders are still to be read); until then it may lack old threads`,
      );
    this.#hasAnnouncedBuilding = true;
    const borders = [this.#backlog.frontier(query), this.#unseen.frontier(query)].filter((ms) => ms !== undefined);
    return certainRows(query, cursor, { rows, borders });
  }

  /** Whether a row was gone or had changed on disk, so that the page must be built again. Each file is looked at once. */
  async #recheck(db: SqliteIndex, rows: readonly IndexRow[], seen: SeenFiles): Promise<boolean> {
    const unseen = rows.filter((row) => !seen.has(row.path));
    const changed = unseen.filter(hasChanged);
    if (changed.length === 0) return false;
    for (const row of unseen) seen.add(row.path);
    for (const row of changed) this.#touched.add(row.path);
    await this.#flush(db);
    return true;
  }

  /**
   * Threads whose history is based on one of the segments of this thread. All files that may have been created at `sinceMs` or later are read
   * before answering, and no others.
   */
  async basedOn(segments: readonly string[], id: string, sinceMs: number): Promise<StoredThread[]> {
    return await this.#safely(async (db) => {
      this.#lookedAtMs = Number.NEGATIVE_INFINITY;
      await this.#look(db);
      await this.#flush(db);
      for (let folder = this.#unseen.newestSince(sinceMs); folder !== undefined; folder = this.#unseen.newestSince(sinceMs))
        await this.#lookInto(db, folder, false);
      await this.#readFiles(db, this.#backlog.since(sinceMs));
      this.#names.refresh();
      const rows = db.basedOn(segments, id).filter((row) => existsSync(row.path));
      return rows.map((row) => threadOfRow(row, this.#names));
    });
  }

  /** What the index knows about a file with a user message, with its current size and time. Nothing is built for this. */
  async known(file: string): Promise<IndexRow | undefined> {
    try {
      if (this.#opening === undefined && (this.#file === undefined || !existsSync(this.#file))) return undefined;
      const row = (await this.#open()).byPath(file);
      const stats = statSync(file, { throwIfNoEntry: false });
      return row?.hasUser === true && stats !== undefined ? { ...row, updatedMs: stats.mtimeMs, size: stats.size } : undefined;
    } catch {
      return undefined; // the next list repairs it
    }
  }

  /** Call this when this process has written, created, moved or removed a file. */
  touch(file: string): void {
    this.#touched.add(file);
    if (this.#opening === undefined || this.#closed) return;
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      void this.#opening?.then((db) => this.#flush(db)).catch(() => {});
    }, 1000).unref();
  }

  /** Changes the facts about a thread that are not in its files. */
  async setFacts(id: string, files: readonly string[], change: (facts: Json) => Json): Promise<void> {
    const db = await this.#open();
    for (const file of files) this.#touched.add(file);
    await this.#flush(db);
    const row = db.byId(id);
    if (row !== undefined) await this.#write(db, () => db.setFacts(row.path, JSON.stringify(change(objectOf(JSON.parse(row.facts))))));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#ahead.cancel();
    clearTimeout(this.#flushTimer);
    const db = await this.#opening?.catch(() => undefined);
    await Promise.all([this.#building, this.#changes.end(), this.#texts?.end(), this.#looking]);
    if (db === undefined) return;
    await this.#flush(db).catch(() => {});
    db.close();
    this.#opening = undefined;
  }

  #open(): Promise<SqliteIndex> {
    this.#opening ??= openIndex(this.#file, this.#report).then((db) => {
      this.#db = db;
      this.#folders = db.folders();
      return db;
    });
    return this.#opening;
  }

  async #startAnew(onDisk: boolean): Promise<void> {
    const old = await this.#opening?.catch(() => undefined);
    this.#ahead.cancel();
    try {
      const isOurs = old !== undefined && !isTakenOver(old);
      old?.close();
      if (onDisk && isOurs && old.file !== undefined) removeDatabase(old.file);
    } catch {}
    if (!onDisk) this.#file = undefined;
    this.#opening = undefined;
    this.#backlog = new Backlog();
    this.#unseen.replace([]);
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    this.#changes.forget();
  }

  /**
   * Notices added and removed files in all folders, now and then. Once there are more new files than a page can need, the other folders wait
   * until a page or the background work gets to them. Returns the folders that were looked at.
   */
  #look(db: SqliteIndex): Promise<Set<string>> {
    return this.#inTurn(async () => {
      const archive = archiveFolder(this.#home);
      await this.#lookInto(db, archive, true);
      const everywhere = hasPassed(this.#lookedAtMs, lookEveryMs, this.#now());
      return everywhere ? await this.#lookEverywhere(db, archive) : new Set([archive]);
    });
  }
  async #lookEverywhere(db: SqliteIndex, archive: string): Promise<Set<string>> {
    this.#lookedAtMs = this.#now();
    const seen = new Set<string>([archive]);
    const waiting: string[] = [];
    let started = performance.now();
    for (const folder of dayFolders(this.#home, this.#days.inside)) {
      seen.add(folder);
      if (this.#folders.get(folder) !== mtimeOf(folder)) {
        if (this.#backlog.size <= readAllBelow) await this.#lookInto(db, folder, false);
        else waiting.push(folder);
      }
      if (performance.now() - started < sliceMs) continue;
      await setImmediate();
      started = performance.now();
    }
    this.#unseen.replace(waiting);
    for (const folder of [...this.#folders.keys()]) if (!seen.has(folder)) await this.#lookInto(db, folder, false);
    return seen;
  }
  /** The same in the newest folders every time, where one of their threads can be on the page. Whether there were new files. */
  #lookNear(db: SqliteIndex, place: PagePlace, seen: Set<string>): Promise<boolean> {
    return this.#inTurn(async () => {
      let [left, found] = [hotFolders, 0];
      for (const folder of place.query.archived ? [] : dayFolders(this.#home, this.#days.inside)) {
        if (left-- === 0 || this.#unseen.isBehind(folder, place)) break;
        if (seen.has(folder) || this.#unseen.has(folder) || this.#unseen.isAhead(folder, place)) continue;
        seen.add(folder);
        if (this.#folders.get(folder) !== mtimeOf(folder)) found += await this.#lookInto(db, folder, false);
      }
      return found > 0;
    });
  }
  /** One at a time: a concurrent list must not mistake what is known so far for everything. */
  #inTurn<T>(look: () => Promise<T>): Promise<T> {
    const turn = this.#looking.then(look);
    this.#looking = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  /** Returns how many of its files were unknown. */
  async #lookInto(db: SqliteIndex, folder: string, archived: boolean): Promise<number> {
    const mtimeMs = mtimeOf(folder);
    const isKnown = this.#folders.has(folder) && this.#folders.get(folder) === mtimeMs;
    const files = mtimeMs === undefined || isKnown ? [] : await filesInSlices(folder, archived);
    this.#unseen.drop(folder); // only after its files are in the backlog: a concurrent list must find them in one of the two
    if (isKnown) return 0;
    const known = new Map(db.statesIn(folder).map((state) => [state.path, state]));
    const fresh = files.filter((file) => !known.delete(file.path) && !this.#backlog.has(file.path));
    for (const gone of known.keys()) this.#touched.add(gone);
    this.#backlog.add(fresh);
    if (mtimeMs === undefined || Date.now() - mtimeMs > settledMs) this.#folders.set(folder, mtimeMs);
    else if (this.#folders.get(folder) === undefined) this.#folders.delete(folder);
    if (mtimeMs === undefined || fresh.length === 0) this.#keepFolder(db, folder);
    return fresh.length;
  }

  /** Stored only when all its files are in the index, so that nothing is missing if the process dies in between. */
  #keepFolder(db: SqliteIndex, folder: string): void {
    if (this.#backlog.holds(folder)) return;
    this.#quietly(() => db.setFolder(folder, this.#folders.get(folder)));
  }

  /** Reads the pending files, newest first, in slices. */
  #build(db: SqliteIndex): void {
    if (this.#building !== undefined) return;
    if (this.#backlog.size === 0 && this.#unseen.size === 0) return this.#textBuilder().schedule(db);
    const work = async (): Promise<void> => {
      while ((this.#backlog.size > 0 || this.#unseen.size > 0) && !this.#closed) {
        await sleep(restMs);
        const folder = this.#unseen.newest();
        if (this.#backlog.size < portion && folder !== undefined) await this.#lookInto(db, folder, false);
        await this.#readFiles(db, this.#backlog.newest(portion));
      }
    };
    this.#building = work()
      .catch(() => {})
      .finally(() => {
        this.#building = undefined;
      });
  }

  #textBuilder(): TextBuilder {
    this.#texts ??= new TextBuilder({ write: (db, work) => this.#write(db, work), now: this.#now });
    return this.#texts;
  }
  /** Resolves when all messages that have settled are in the full-text index. */
  async completeTexts(): Promise<void> {
    await this.#textBuilder().complete(await this.#open());
  }

  async #readFiles(db: SqliteIndex, files: readonly FoundFile[]): Promise<void> {
    let read: { readonly file: FoundFile; readonly row: IndexRow | undefined }[] = [];
    const store = async (): Promise<void> => {
      const batch = read;
      read = [];
      await this.#write(db, () => {
        for (const { row } of batch) if (row !== undefined) db.put(row);
      });
      for (const { file } of batch) this.#backlog.drop(file.path);
    };
    let started = performance.now();
    for (const file of files) {
      if (!this.#backlog.has(file.path)) continue; // a list has read it already
      read.push({ file, row: rowOfFile(file, this.#sources(db)) });
      if (performance.now() - started < sliceMs) continue;
      await store();
      await setImmediate();
      started = performance.now();
    }
    if (read.length > 0) await store();
    for (const folder of new Set(files.map((file) => file.folder))) this.#keepFolder(db, folder);
  }

  #sources(db: SqliteIndex): RowSources {
    return { heads: this.#heads, pathOfSegment: (segment) => db.pathOfSegment(segment) ?? this.#backlog.pathOfSegment(segment) };
  }

  /** Another process may be writing for a moment. */
  async #write(db: SqliteIndex, work: () => void): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        db.transaction(work);
        return;
      } catch (error) {
        if (!isBusy(error) || attempt >= busyTries) throw error;
      }
      await sleep(20);
    }
  }

  /** Writes what is known to have changed. */
  async #flush(db: SqliteIndex): Promise<void> {
    if (this.#touched.size === 0) return;
    const files = [...this.#touched];
    this.#touched.clear();
    try {
      await this.#write(db, () => {
        for (const file of files) this.#refreshFile(db, file);
      });
    } catch (error) {
      for (const file of files) this.#touched.add(file);
      throw error;
    }
  }

  #refreshFile(db: SqliteIndex, file: string): void {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      db.remove(file);
      return;
    }
    const state = db.stateOf(file);
    if (state?.hasUser === true) {
      db.touch(file, stats.mtimeMs, stats.size);
      return;
    }
    const row = rowOfFile(foundFile(file, this.#home), this.#sources(db));
    if (row !== undefined) db.put(row);
    this.#backlog.drop(file);
  }

  #quietly(work: () => void): void {
    try {
      work();
    } catch {}
  }
}

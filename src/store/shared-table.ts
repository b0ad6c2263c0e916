/**
 * A table that Codex keeps in a database of its own. Where Codex has made that file, it is used, so that both programs see the same rows. Where it
 * has not, the rows are in a file of the same form in Parley's folder; they move into Codex's file when that appears. Codex would refuse a file
 * that it has not made itself, so Parley never makes it. A damaged file of Codex's is left alone, and an own one moved aside.
 */
import { statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { columnsOf, inDatabase, inTransaction, isDamage, makeFile, moveAside, removeIfUnwritten } from "./database.ts";
import { ownFolder } from "./layout.ts";

export interface TableForm {
  /** The name of Codex's file in the home. */
  readonly file: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** Other tables without which the file is of a version that is not understood. */
  readonly alsoNeeds?: readonly string[];
  /** Makes the table in Parley's own file. */
  readonly create: string;
  /** In which order rows move into Codex's file. */
  readonly order: string;
  /** Adds such a row, unless it is there already. */
  moveIn(db: DatabaseSync, row: Readonly<Record<string, SQLOutputValue>>): void;
}

export class SharedTable {
  readonly #form: TableForm;
  readonly #theirs: string;
  readonly #own: string;
  /** Codex's file, by its inode, when it was found damaged. */
  #damaged: number | undefined;
  /** Codex's file was found fit, or unfit, in this state. */
  #judged: { readonly inode: number; readonly fits: boolean } | undefined;

  /** The own file's state when its rows had moved into Codex's. */
  #moved: string | undefined;
  readonly #report: (message: string) => void;

  /** `report`: for people, what happened to a damaged file. */
  constructor(home: string, form: TableForm, report: (message: string) => void) {
    this.#form = form;
    this.#report = report;
    this.#theirs = path.join(home, form.file);
    this.#own = path.join(ownFolder(home), form.file);
  }

  /** undefined when nothing was ever stored: reading makes no file. */
  async read<T>(work: (db: DatabaseSync) => T): Promise<T | undefined> {
    if (!isFile(this.#own) && !isFile(this.#theirs)) return undefined; // in most homes, at the end of every turn
    return await this.#aroundDamage(async () => {
      const file = await this.#file();
      return file === undefined ? undefined : await inDatabase(file, work);
    });
  }

  async write<T>(work: (db: DatabaseSync) => T): Promise<T> {
    return await this.#aroundDamage(async () => {
      const file = (await this.#file()) ?? (await this.#make());
      return await inDatabase(file, (db) => {
        db.exec("PRAGMA synchronous = NORMAL"); // as safe as the threads' own files: a crash of the process loses nothing
        return inTransaction(db, () => work(db));
      });
    });
  }

  /** Changes whenever a process writes; undefined while there is no file. */
  async state(): Promise<string | undefined> {
    const file = await this.#aroundDamage(() => this.#file());
    return file === undefined ? undefined : stateOf(file);
  }

  /** Once more without the file that is damaged: first without Codex's, then with a new one of our own. */
  async #aroundDamage<T>(work: () => Promise<T>): Promise<T> {
    for (let left = 2; ; left--)
      try {
        return await work();
      } catch (error) {
        if (left === 0 || !isDamage(error)) throw error;
        await this.#leaveOut();
      }
  }
  async #leaveOut(): Promise<void> {
    const theirs = statSync(this.#theirs, { throwIfNoEntry: false });
    if (theirs?.isFile() === true && this.#damaged !== theirs.ino) {
      if (await isSound(this.#theirs)) return this.#moveAside();
      this.#damaged = theirs.ino;
      this.#report(`${this.#theirs} is damaged and not used; what it holds is for Codex to repair`);
    } else this.#moveAside();
  }
  #moveAside(): void {
    if (!isFile(this.#own)) return;
    const aside = moveAside(this.#own, Date.now());
    this.#report(`${this.#own} could not be read; it is kept as ${aside}, and a new one begins empty`);
  }

  async #file(): Promise<string | undefined> {
    const own = isFile(this.#own);
    if (!(await this.#theirsFits())) return own ? this.#own : undefined;
    if (own && this.#moved !== stateOf(this.#own)) await this.#moveIn();
    return this.#theirs;
  }

  async #theirsFits(): Promise<boolean> {
    const found = statSync(this.#theirs, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.ino === this.#damaged) return false;
    if (this.#judged?.inode === found.ino && this.#judged.fits) return true;
    const { table, columns, alsoNeeds = [] } = this.#form;
    const fits = await inDatabase(this.#theirs, (db) => {
      const has = columnsOf(db, table);
      return columns.every((column) => has.has(column)) && alsoNeeds.every((other) => columnsOf(db, other).size > 0);
    });
    this.#judged = { inode: found.ino, fits };
    return fits;
  }

  async #make(): Promise<string> {
    makeFile(this.#own);
    try {
      await inDatabase(this.#own, (db) => {
        db.exec("PRAGMA journal_mode = WAL");
        // Another process may have made it in the meantime.
        inTransaction(db, () => (columnsOf(db, this.#form.table).size === 0 ? db.exec(this.#form.create) : undefined));
      });
    } catch (error) {
      removeIfUnwritten(this.#own, error);
      throw error;
    }
    return this.#own;
  }

  /** The own file stays, empty: another process may be about to write to it. */
  async #moveIn(): Promise<void> {
    const { table, order, moveIn } = this.#form;
    await inDatabase(this.#own, (own) =>
      inTransaction(own, () => {
        const rows = columnsOf(own, table).size === 0 ? [] : own.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).all();
        if (rows.length === 0) return;
        const theirs = new (own.constructor as typeof DatabaseSync)(this.#theirs, { timeout: busyMs });
        try {
          inTransaction(theirs, () => {
            for (const row of rows) moveIn(theirs, row);
          });
        } finally {
          theirs.close();
        }
        own.exec(`DELETE FROM ${table}`);
      }),
    );
    this.#moved = stateOf(this.#own);
  }
}

/** Once in the life of a home: it may block the process for a moment. */
const busyMs = 1000;

function stateOf(file: string): string {
  const parts = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false }));
  return [file, ...parts.map((part) => `${part?.mtimeMs}:${part?.size}`)].join(" ");
}
const isSound = (file: string): Promise<boolean> =>
  inDatabase(file, (db) => db.prepare("PRAGMA quick_check(1)").get()?.["quick_check"] === "ok").catch((error: unknown) => {
    if (isDamage(error)) return false;
    throw error;
  });
const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** The SQLite file of sections, projects, attachments and read marks. Unlike the index it cannot be rebuilt: a damaged one is moved aside, never deleted. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { errorMessage } from "../../lib/error-text.ts";
import { internalError } from "../../protocol/errors.ts";
import { inTransaction, isBusy, isDamage, makeFile, moveAside, removeIfUnwritten } from "../database.ts";
import { ownFolder } from "../layout.ts";
import { codexDatabase, takeOver } from "./take-over.ts";

const version = 1;
const schema = `
  CREATE TABLE sections (id TEXT PRIMARY KEY, name TEXT NOT NULL, appearance TEXT);
  CREATE TABLE threads (
    id TEXT PRIMARY KEY, section_id TEXT, position REAL, entered_ms REAL, project_id TEXT, used_ms REAL, attached_to TEXT
  );
  CREATE INDEX by_section ON threads (section_id, position) WHERE section_id IS NOT NULL;
  CREATE INDEX by_project ON threads (project_id) WHERE project_id IS NOT NULL;
  CREATE INDEX by_attached ON threads (attached_to) WHERE attached_to IS NOT NULL;
  CREATE TABLE projects (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, roots TEXT NOT NULL, metadata TEXT NOT NULL, position INTEGER NOT NULL,
    created_ms REAL NOT NULL, updated_ms REAL NOT NULL
  );
  CREATE TABLE project_keys (key TEXT PRIMARY KEY, project_id TEXT NOT NULL, created_ms REAL NOT NULL);
  CREATE TABLE attachments (
    id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, type TEXT NOT NULL, key TEXT NOT NULL, payload TEXT NOT NULL, created_ms REAL NOT NULL,
    UNIQUE (thread_id, type, key)
  );
  CREATE INDEX by_owner ON attachments (type, key);
  CREATE TABLE read_marks (thread_id TEXT PRIMARY KEY, first_unread TEXT, revision TEXT NOT NULL);
  PRAGMA user_version = ${version};
`;

export type Row = Readonly<Record<string, SQLOutputValue>>;
export const text = (value: SQLOutputValue | undefined): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: SQLOutputValue | undefined): string | null => (typeof value === "string" ? value : null);

/** Waiting inside SQLite blocks the whole server, so writes of other processes are waited for between attempts. */
const tries = 80;
const betweenMs = 25;

export interface DatabaseOptions {
  readonly home: string;
  readonly now: () => number;
  /** For people: what happened to the file. */
  readonly report: (message: string) => void;
}

export class ListsDatabase {
  readonly #options: DatabaseOptions;
  readonly #file: string;
  #opening: Promise<DatabaseSync> | undefined;
  #db: DatabaseSync | undefined;
  readonly #statements = new Map<string, StatementSync>();
  /** For whoever asks in the same moment. */
  #isMissing: boolean | undefined;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#file = path.join(ownFolder(options.home), "lists.sqlite");
  }

  get now(): number {
    return this.#options.now();
  }

  /** Changes that are made together or not at all. Throws RpcError when another process writes for too long. */
  async write<T>(work: () => T): Promise<T> {
    return await this.#attempt((db) => inTransaction(db, work));
  }

  /** Nothing is created for reading: `otherwise` is the result in a home without a file. */
  async read<T>(otherwise: T, work: () => T): Promise<T> {
    if (this.#opening === undefined && this.#isNowhere()) return otherwise;
    return await this.#attempt(work);
  }
  #isNowhere(): boolean {
    if (this.#isMissing !== undefined) return this.#isMissing;
    this.#isMissing = !existsSync(this.#file) && !existsSync(codexDatabase(this.#options.home));
    queueMicrotask(() => {
      this.#isMissing = undefined;
    });
    return this.#isMissing;
  }

  /** Writes at once, without waiting for anything; undefined if that is not possible. */
  writeNow<T>(work: () => T): T | undefined {
    if (this.#db === undefined) return undefined;
    try {
      return inTransaction(this.#db, work);
    } catch (error) {
      if (!isBusy(error)) this.#options.report(`read marks could not be stored: ${errorMessage(error)}`);
      return undefined;
    }
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values);
  }
  one(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }
  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }
  count(table: "sections" | "projects" | "project_keys"): number {
    return Number(this.one(`SELECT count(*) AS n FROM ${table}`)?.["n"]);
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#db === undefined) throw new Error("the lists are not open");
    const fresh = this.#db.prepare(sql);
    this.#statements.set(sql, fresh);
    return fresh;
  }

  prepare(): void {
    this.#open().catch((error: unknown) => this.#options.report(`the lists of threads cannot be opened: ${errorMessage(error)}`));
  }
  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = undefined;
    this.#opening = undefined;
  }

  async #attempt<T>(work: (db: DatabaseSync) => T): Promise<T> {
    for (let left = tries; ; left--) {
      try {
        return work(await this.#open());
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (left === 0) throw internalError("the lists of threads are being written by another process; try again");
        await pause(betweenMs);
      }
    }
  }

  #open(): Promise<DatabaseSync> {
    this.#opening ??= this.#opened().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
  async #opened(): Promise<DatabaseSync> {
    const { DatabaseSync } = await import("node:sqlite");
    for (let isMoved = false; ; isMoved = true) {
      makeFile(this.#file);
      const db = new DatabaseSync(this.#file, { timeout: 0 });
      try {
        this.#prepareTables(db, DatabaseSync);
        this.#db = db;
        return db;
      } catch (error) {
        db.close();
        removeIfUnwritten(this.#file, error);
        if (isMoved || !isDamage(error)) throw error;
        this.#moveAside();
      }
    }
  }

  #prepareTables(db: DatabaseSync, Database: typeof DatabaseSync): void {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    const found = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (found > version) throw internalError(`${this.#file} belongs to a newer version of Parley`);
    if (found === version) return;
    inTransaction(db, () => {
      // Another process may have created them in the meantime.
      if (Number(db.prepare("PRAGMA user_version").get()?.["user_version"]) === version) return;
      db.exec(schema);
      takeOver(db, Database, this.#options);
    });
  }

  #moveAside(): void {
    const aside = moveAside(this.#file, this.#options.now());
    this.#options.report(`the sections, projects and read marks could not be read; the file is kept as ${aside}, and new ones begin empty`);
  }
}

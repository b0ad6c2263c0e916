/** The SQLite tables behind thread lists. All their data comes from the rollouts. */
import path from "node:path";
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { parseRolloutName } from "../layout.ts";
import { LastPages } from "./last-pages.ts";
import { columns, type PageOptions, stateColumns, statementOf, upTo } from "./page-query.ts";
import { Prepared } from "./read-ahead.ts";
import { Statements } from "./statements.ts";
import type { TextIndex } from "./text-index.ts";

/** One rollout file. A thread has one, or several if Codex has reverted it; then `isCurrent` marks the one to continue with. */
export interface IndexRow {
  readonly path: string;
  readonly id: string;
  readonly segment: string;
  readonly archived: boolean;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly size: number;
  readonly hasUser: boolean;
  readonly preview: string;
  readonly cwd: string;
  readonly provider: string;
  readonly sourceKind: string;
  /** The other facts that lists show, as JSON: those that many threads have in common, and the thread's own. */
  readonly sharedFacts: string;
  readonly facts: string;
}
export interface FileState {
  readonly path: string;
  readonly updatedMs: number;
  readonly size: number;
  readonly hasUser: boolean;
}

/** What many threads have in common. */
type Shared = Pick<IndexRow, "cwd" | "provider" | "sourceKind" | "sharedFacts">;

/** Of a row: `stateColumns` or `columns`. */
type Columns = readonly SQLOutputValue[];

const inPlaces = "files CROSS JOIN places ON places.key = files.place";
/** More are looked up again. */
const mostKept = 10_000;
const atPath = "place = (SELECT key FROM places WHERE path = ?) AND name = ? AND id = ?";

export class SqliteIndex {
  readonly database: DatabaseSync;
  /** Undefined for an in-memory index. */
  readonly file: string | undefined;
  /** Undefined where SQLite lacks full-text search. */
  readonly texts: TextIndex | undefined;
  readonly #sql: Statements;
  /** The pages that were read last, for as long as nothing is written. */
  readonly #pages = new LastPages();
  readonly #nextPage = new Prepared<readonly IndexRow[]>();
  readonly #newest = new Prepared<readonly FileState[]>();
  /** By their keys, which are never given to others. */
  readonly #places = new Map<number, string>();
  readonly #shared = new Map<number, Shared>();

  constructor(db: DatabaseSync, file: string | undefined, texts: TextIndex | undefined) {
    this.database = db;
    this.#sql = new Statements(db);
    this.file = file;
    this.texts = texts;
  }

  /** All or nothing. Throws if another process writes for too long. */
  transaction(work: () => void): void {
    this.database.exec("BEGIN IMMEDIATE");
    this.#forgetRead();
    try {
      work();
      this.database.exec("COMMIT");
    } catch (error) {
      if (this.database.isTransaction) this.database.exec("ROLLBACK"); // some errors end it by themselves
      this.#places.clear(); // keys of this transaction may be given again
      this.#shared.clear();
      throw error;
    }
  }

  /** What was read before a write does not count after it. */
  #forgetRead(): void {
    this.#pages.clear();
    this.#nextPage.clear();
    this.#newest.clear();
  }

  put(row: IndexRow): void {
    const others = this.#sql.of("SELECT key FROM files WHERE id = ? LIMIT 1").get(row.id);
    const key = this.#keyOf(row.path, row.id);
    const shared = this.#keyOfShared(row);
    const values = [
      ...[row.segment === row.id ? null : row.segment, Number(row.archived), row.createdMs, row.updatedMs, row.size, Number(row.hasUser)],
      ...[row.preview, shared, row.facts],
    ];
    const changed = "segment, archived, created_ms, updated_ms, size, has_user, preview, shared, facts";
    if (key !== undefined)
      this.#sql.run(`UPDATE files SET (${changed}, in_texts) = (?, ?, ?, ?, ?, ?, ?, ?, ?, 0) WHERE key = ?`, ...values, key);
    else
      this.#sql.run(
        `INSERT INTO files (place, name, id, ${changed}, is_current, in_texts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0)`,
        ...[this.#keyOfPlace(path.dirname(row.path)), shortName(path.basename(row.path), row.id), row.id, ...values],
      );
    if (others !== undefined) this.#markCurrent(row.id);
  }
  touch(file: string, updatedMs: number, size: number): void {
    const key = this.#keyOf(file);
    if (key === undefined) return;
    this.#sql.run(
      "UPDATE files SET updated_ms = ?1, size = ?2, in_texts = 0 WHERE key = ?3 AND (updated_ms <> ?1 OR size <> ?2)",
      updatedMs,
      size,
      key,
    );
  }
  setFacts(file: string, facts: string): void {
    const key = this.#keyOf(file);
    if (key !== undefined) this.#sql.run("UPDATE files SET facts = ? WHERE key = ?", facts, key);
  }
  remove(file: string): void {
    const key = this.#keyOf(file);
    if (key === undefined) return;
    const row = this.#sql.of("DELETE FROM files WHERE key = ? RETURNING id").get(key);
    this.texts?.remove(key);
    this.#markCurrent(text(row?.["id"]));
  }

  #keyOf(file: string, id = idIn(file)): number | undefined {
    const name = path.basename(file);
    const found = this.#sql.of(`SELECT key FROM files WHERE ${atPath}`).get(path.dirname(file), shortName(name, id), id);
    return found === undefined ? undefined : Number(found["key"]);
  }
  #keyOfPlace(folder: string): number {
    const known = this.#sql.of("SELECT key FROM places WHERE path = ?").get(folder);
    return Number((known ?? this.#sql.of("INSERT INTO places (path) VALUES (?) RETURNING key").get(folder))?.["key"]);
  }
  #keyOfShared({ cwd, provider, sourceKind, sharedFacts }: IndexRow): number {
    const values = [cwd, provider, sourceKind, sharedFacts];
    const known = this.#sql.of("SELECT key FROM shared WHERE (cwd, provider, source_kind, facts) = (?, ?, ?, ?)").get(...values);
    const added = "INSERT INTO shared (cwd, provider, source_kind, facts) VALUES (?, ?, ?, ?) RETURNING key";
    return Number((known ?? this.#sql.of(added).get(...values))?.["key"]);
  }

  /** Of several files of one thread the newest segment is current, and files outside the archive come before archived ones. */
  #markCurrent(id: string): void {
    const files = this.#sql
      .of(
        `SELECT files.key AS key FROM ${inPlaces} WHERE id = ?
       ORDER BY archived, segment IS NULL, segment DESC, name LIKE '%.zst', places.path DESC, name DESC`,
      )
      .all(id);
    for (const [i, { key }] of files.entries())
      this.#sql.run("UPDATE files SET is_current = ? WHERE key = ?", Number(i === 0), key ?? null);
  }

  byId(id: string): IndexRow | undefined {
    return this.#rows(`SELECT ${columns} FROM files WHERE id = ? AND is_current = 1`, id)[0];
  }
  byPath(file: string): IndexRow | undefined {
    const key = this.#keyOf(file);
    return key === undefined ? undefined : this.#rows(`SELECT ${columns} FROM files WHERE key = ?`, key)[0];
  }
  pathOfSegment(segment: string): string | undefined {
    const select = `SELECT ${stateColumns} FROM files WHERE`;
    const [main] = this.#states(`${select} id = ? AND segment IS NULL ORDER BY archived LIMIT 1`, segment);
    const found = main ?? this.#states(`${select} segment = ? ORDER BY archived LIMIT 1`, segment)[0];
    return found?.path;
  }
  /** Files of other threads whose history is based on one of these segments. */
  basedOn(segments: readonly string[], id: string): IndexRow[] {
    const marks = segments.map(() => "?").join(", ");
    return this.#rows(`SELECT ${columns} FROM files WHERE id <> ? AND json_extract(facts, '$.base') IN (${marks})`, id, ...segments);
  }
  stateOf(file: string): FileState | undefined {
    const key = this.#keyOf(file);
    return key === undefined ? undefined : this.#states(`SELECT ${stateColumns} FROM files WHERE key = ?`, key)[0];
  }
  statesIn(folder: string): FileState[] {
    return this.#states(`SELECT ${stateColumns} FROM files WHERE place = (SELECT key FROM places WHERE path = ?)`, folder);
  }
  /** The states of files in the order in which they became known, with the key to go on after. */
  statesAfter(after: number, limit: number): { readonly states: FileState[]; readonly last: number } {
    const rows = this.#sql.rows(`SELECT ${stateColumns}, key FROM files WHERE key > ? ORDER BY key ${upTo}`, after, limit);
    return { states: rows.map((row) => this.#stateFrom(row)), last: Number(rows.at(-1)?.at(-1) ?? after) };
  }
  /** The states of listed threads, last changed first. */
  newestStates(limit: number): readonly FileState[] {
    return this.#newest.take(String(limit), this.#version()) ?? this.#readNewest(limit);
  }
  /** For the next call of `newestStates`, while nothing is written. */
  prepareNewest(limit: number): void {
    this.#newest.keep(String(limit), this.#version(), this.#readNewest(limit));
  }
  #readNewest(limit: number): FileState[] {
    // Their paths are made by SQLite, since these are the first rows that a process reads: our own code is slow then.
    const file = `(SELECT path FROM places WHERE places.key = place) || '${path.sep}' || replace(name, '*', id)`;
    const listed = `SELECT ${file}, updated_ms, size FROM files WHERE has_user = 1 AND is_current = 1`;
    return this.#sql
      .rows(`${listed} ORDER BY updated_ms DESC, id DESC ${upTo}`, limit)
      .map((row) => ({ path: text(row[0]), updatedMs: Number(row[1]), size: Number(row[2]), hasUser: true }));
  }
  folders(): Map<string, number> {
    return new Map(
      this.#sql
        .of("SELECT path, mtime_ms FROM folders")
        .all()
        .map((row) => [text(row["path"]), Number(row["mtime_ms"])]),
    );
  }
  setFolder(folder: string, mtimeMs: number | undefined): void {
    if (mtimeMs === undefined) this.#sql.run("DELETE FROM folders WHERE path = ?", folder);
    else this.#sql.run("INSERT OR REPLACE INTO folders VALUES (?, ?)", folder, mtimeMs);
  }

  /**
   * Returns one row more than requested, which shows whether there is a next page. `named` are threads whose name contains the search term;
   * `narrowing` leaves out threads without the text that is searched for.
   */
  page(query: ThreadQuery, options: PageOptions): ReturnType<LastPages["of"]> {
    const { sql, values, key } = statementOf(query, options);
    const version = this.#version();
    const prepared = this.#nextPage.take(key, version);
    const isExpected = prepared !== undefined && options.after === undefined;
    return this.#pages.of({ key, isExpected }, version, () => prepared ?? this.#rows(sql, ...values));
  }
  /** The rows that the same call of `page` returns next, while nothing is written. */
  preparePage(query: ThreadQuery, options: PageOptions): readonly IndexRow[] {
    const { sql, values, key } = statementOf(query, options);
    return this.#nextPage.keep(key, this.#version(), this.#rows(sql, ...values));
  }
  #version(): number {
    return Number(this.#sql.rows("PRAGMA data_version")[0]?.[0]);
  }
  #rows(sql: string, ...values: readonly SQLInputValue[]): IndexRow[] {
    return this.#sql.rows(sql, ...values).map((row) => this.#rowFrom(row));
  }
  #states(sql: string, ...values: readonly SQLInputValue[]): FileState[] {
    return this.#sql.rows(sql, ...values).map((row) => this.#stateFrom(row));
  }
  // Columns by their numbers: to take an array apart makes an object for each of its values until V8 has compiled it to fast code.
  #stateFrom(row: Columns): FileState {
    return { path: this.#pathFrom(row), updatedMs: Number(row[3]), size: Number(row[4]), hasUser: row[5] === 1 };
  }
  #rowFrom(row: Columns): IndexRow {
    const shared = this.#sharedOf(Number(row[10]));
    return {
      path: this.#pathFrom(row),
      updatedMs: Number(row[3]),
      size: Number(row[4]),
      hasUser: row[5] === 1,
      id: text(row[2]),
      segment: text(row[6]) || text(row[2]),
      archived: row[7] === 1,
      createdMs: Number(row[8]),
      preview: text(row[9]),
      cwd: shared.cwd,
      provider: shared.provider,
      sourceKind: shared.sourceKind,
      sharedFacts: shared.sharedFacts,
      facts: text(row[11]),
    };
  }
  #pathFrom(row: Columns): string {
    return `${this.#placeOf(Number(row[0]))}${path.sep}${text(row[1]).replace("*", text(row[2]))}`;
  }
  #placeOf(key: number): string {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const found = text(this.#sql.of("SELECT path FROM places WHERE key = ?").get(key)?.["path"]);
    if (this.#places.size >= mostKept) this.#places.clear();
    this.#places.set(key, found);
    return found;
  }
  #sharedOf(key: number): Shared {
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    const row = this.#sql.of("SELECT cwd, provider, source_kind, facts FROM shared WHERE key = ?").get(key) ?? {};
    const found = {
      cwd: text(row["cwd"]),
      provider: text(row["provider"]),
      sourceKind: text(row["source_kind"]),
      sharedFacts: text(row["facts"]),
    };
    if (this.#shared.size >= mostKept) this.#shared.clear();
    this.#shared.set(key, found);
    return found;
  }

  close(): void {
    this.#sql.clear();
    this.database.close();
  }
}

/** A file's name without the id that is in it, and back. */
const shortName = (name: string, id: string): string => (id === "" ? name : name.replace(id, "*"));
const idIn = (file: string): string => parseRolloutName(path.basename(file))?.id ?? "";

const text = (value: SQLOutputValue | undefined): string => (typeof value === "string" ? value : "");

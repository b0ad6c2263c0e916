/** The SQLite table behind thread lists. All its data comes from the rollouts; a file that is broken or of another version is rebuilt. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { isBusy, makeFile, removeDatabase, removeIfUnwritten, resultCode } from "../database.ts";
import type { Cursor } from "./cursor.ts";

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
  /** The other facts that lists show, as JSON. */
  readonly facts: string;
}
export interface FileState {
  readonly path: string;
  readonly updatedMs: number;
  readonly size: number;
  readonly hasUser: boolean;
}
const version = 4;
const schema = `
  CREATE TABLE files (
    path TEXT NOT NULL UNIQUE, id TEXT NOT NULL, segment TEXT NOT NULL, archived INTEGER NOT NULL,
    created_ms REAL NOT NULL, updated_ms REAL NOT NULL, size INTEGER NOT NULL, has_user INTEGER NOT NULL, is_current INTEGER NOT NULL,
    preview TEXT NOT NULL, cwd TEXT NOT NULL, provider TEXT NOT NULL, source_kind TEXT NOT NULL, facts TEXT NOT NULL
  );
  CREATE INDEX by_created ON files (created_ms, id) WHERE has_user = 1 AND is_current = 1;
  CREATE INDEX by_updated ON files (updated_ms, id) WHERE has_user = 1 AND is_current = 1;
  CREATE INDEX by_id ON files (id);
  CREATE INDEX by_segment ON files (segment) WHERE segment <> id;
  CREATE TABLE folders (path TEXT PRIMARY KEY, mtime_ms REAL NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = ${version};
`;
const columns = "path, id, segment, archived, created_ms, updated_ms, size, has_user, preview, cwd, provider, source_kind, facts";

/**
 * Opens the index, in memory if the file cannot be used at all: then it lasts as long as the process. A file of an older version is
 * rebuilt; one of a newer version is left alone, and a second file next to it is used. `report` is called when either happens for the first
 * time.
 */
export async function openIndex(file: string | undefined, report: (message: string) => void = () => {}): Promise<SqliteIndex> {
  const { DatabaseSync } = await import("node:sqlite");
  if (file === undefined) return prepare(new DatabaseSync(":memory:"), undefined);
  for (let isRemoved = false, waits = 0; ; ) {
    try {
      return openFile(DatabaseSync, file, report);
    } catch (error) {
      if (isRemoved || waits >= busyTries) {
        removeIfUnwritten(file, error);
        return prepare(new DatabaseSync(":memory:"), undefined);
      }
      if (isBusy(error)) {
        waits++;
        await sleep(busyMs / 2); // another process is writing to it: no reason to delete it
        continue;
      }
      isRemoved = true;
      tryRemove(file);
    }
  }
}

function openFile(Database: typeof DatabaseSync, file: string, report: (message: string) => void): SqliteIndex {
  const db = openDatabase(Database, file);
  const found = Number(versionOf(db));
  if (found <= version) {
    if (found !== 0 && found !== version)
      report("the list of threads is built anew for this version; threads and settings are as they were");
    return prepare(db, file);
  }
  db.close();
  const beside = file.replace(/(?=\.sqlite$)/, `-${version}`);
  const own = openDatabase(Database, beside);
  if (versionOf(own) !== version) report("the list of threads belongs to a newer version; this one keeps its own beside it");
  return prepare(own, beside);
}

function openDatabase(Database: typeof DatabaseSync, file: string): DatabaseSync {
  makeFile(file);
  return new Database(file, { timeout: busyMs });
}

/** Waiting for another process's write blocks this whole process, and such writes are short. */
const busyMs = 100;
const busyTries = 10;

function tryRemove(file: string): void {
  try {
    removeDatabase(file);
  } catch {} // then the next attempt fails too
}

function prepare(db: DatabaseSync, file: string | undefined): SqliteIndex {
  try {
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 4000;");
    if (versionOf(db) !== version) {
      db.exec("BEGIN IMMEDIATE");
      // Another process may have created it in the meantime.
      if (versionOf(db) !== version) db.exec(`DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS folders; ${schema}`);
      db.exec("COMMIT");
    }
    return new SqliteIndex(db, file);
  } catch (error) {
    db.close();
    throw error;
  }
}

const versionOf = (db: DatabaseSync): unknown => db.prepare("PRAGMA user_version").get()?.["user_version"];

/** Whether the file itself is broken (corrupt, not a database, without our tables), so that only a new one helps. */
export const isDamage = (error: unknown): boolean => [1, 11, 26].includes(resultCode(error) ?? 0);

export class SqliteIndex {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Undefined for an in-memory index. */
  readonly file: string | undefined;

  constructor(db: DatabaseSync, file: string | undefined) {
    this.#db = db;
    this.file = file;
  }

  /** Whether a newer version has taken over the file since: then missing tables are not damage. */
  get isTakenOver(): boolean {
    try {
      return Number(versionOf(this.#db)) > version;
    } catch {
      return false;
    }
  }

  #sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const fresh = this.#db.prepare(text);
    this.#statements.set(text, fresh);
    return fresh;
  }

  /** All or nothing. Throws if another process writes for too long. */
  transaction(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK"); // some errors end it by themselves
      throw error;
    }
  }

  put(row: IndexRow): void {
    const others = this.#sql("SELECT path FROM files WHERE id = ? AND path <> ? LIMIT 1").get(row.id, row.path);
    this.#sql(`INSERT OR REPLACE INTO files (${columns}, is_current) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`).run(
      ...[row.path, row.id, row.segment, Number(row.archived), row.createdMs, row.updatedMs, row.size, Number(row.hasUser)],
      ...[row.preview, row.cwd, row.provider, row.sourceKind, row.facts],
    );
    if (others !== undefined) this.#markCurrent(row.id);
  }
  touch(file: string, updatedMs: number, size: number): void {
    this.#sql("UPDATE files SET updated_ms = ?, size = ? WHERE path = ?").run(updatedMs, size, file);
  }
  setFacts(file: string, facts: string): void {
    this.#sql("UPDATE files SET facts = ? WHERE path = ?").run(facts, file);
  }
  remove(file: string): void {
    const row = this.#sql("SELECT id FROM files WHERE path = ?").get(file);
    this.#sql("DELETE FROM files WHERE path = ?").run(file);
    if (typeof row?.["id"] === "string") this.#markCurrent(row["id"]);
  }

  /** Of several files of one thread the newest segment is current, and files outside the archive come before archived ones. */
  #markCurrent(id: string): void {
    const files = this.#sql(
      "SELECT path FROM files WHERE id = ? ORDER BY archived, segment = id, segment DESC, path LIKE '%.zst', path DESC",
    ).all(id);
    for (const [i, { path: file }] of files.entries())
      this.#sql("UPDATE files SET is_current = ? WHERE path = ?").run(Number(i === 0), file ?? "");
  }

  byId(id: string): IndexRow | undefined {
    const row = this.#sql(`SELECT ${columns} FROM files WHERE id = ? AND is_current = 1`).get(id);
    return row && rowFrom(row);
  }
  byPath(file: string): IndexRow | undefined {
    const row = this.#sql(`SELECT ${columns} FROM files WHERE path = ?`).get(file);
    return row && rowFrom(row);
  }
  pathOfSegment(segment: string): string | undefined {
    const main = "SELECT path FROM files WHERE id = ? AND segment = id ORDER BY archived LIMIT 1";
    const later = "SELECT path FROM files WHERE segment = ? AND segment <> id ORDER BY archived LIMIT 1";
    const found = (this.#sql(main).get(segment) ?? this.#sql(later).get(segment))?.["path"];
    return typeof found === "string" ? found : undefined;
  }
  /** Files of other threads whose history is based on one of these segments. */
  basedOn(segments: readonly string[], id: string): IndexRow[] {
    const marks = segments.map(() => "?").join(", ");
    return this.#sql(`SELECT ${columns} FROM files WHERE id <> ? AND json_extract(facts, '$.base') IN (${marks})`)
      .all(id, ...segments)
      .map(rowFrom);
  }
  stateOf(file: string): FileState | undefined {
    const row = this.#sql("SELECT path, updated_ms, size, has_user FROM files WHERE path = ?").get(file);
    return row && stateFrom(row);
  }
  statesIn(folder: string): FileState[] {
    const within = "SELECT path, updated_ms, size, has_user FROM files WHERE path > ? AND path < ?";
    return this.#sql(within).all(`${folder}/`, `${folder}0`).map(stateFrom); // "0" follows "/"
  }
  /** The states of files in path order, starting after `after`. */
  statesAfter(after: string, limit: number): FileState[] {
    return this.#sql("SELECT path, updated_ms, size, has_user FROM files WHERE path > ? ORDER BY path LIMIT ?")
      .all(after, limit)
      .map(stateFrom);
  }
  /** The states of listed threads, last changed first. */
  newestStates(limit: number): FileState[] {
    const listed = "SELECT path, updated_ms, size, has_user FROM files WHERE has_user = 1 AND is_current = 1";
    return this.#sql(`${listed} ORDER BY updated_ms DESC, id DESC LIMIT ?`).all(limit).map(stateFrom);
  }
  folders(): Map<string, number> {
    return new Map(
      this.#sql("SELECT path, mtime_ms FROM folders")
        .all()
        .map((row) => [text(row["path"]), Number(row["mtime_ms"])]),
    );
  }
  setFolder(folder: string, mtimeMs: number | undefined): void {
    if (mtimeMs === undefined) this.#sql("DELETE FROM folders WHERE path = ?").run(folder);
    else this.#sql("INSERT OR REPLACE INTO folders VALUES (?, ?)").run(folder, mtimeMs);
  }

  /** Returns one row more than requested, which shows whether there is a next page. */
  page(query: ThreadQuery, after: Cursor | undefined, named: readonly string[]): IndexRow[] {
    const byPlace = query.sortKey === "section_position";
    const key = byPlace ? "place" : query.sortKey === "created_at" ? "created_ms" : "updated_ms";
    const [order, beyond] = query.sortDirection === "asc" ? ["ASC", ">"] : ["DESC", "<"];
    // json_each has columns with the names of ours
    const places = " JOIN (SELECT key AS place, value AS placed FROM json_each(?)) ON placed = id";
    const from = byPlace ? `files${places}` : "files";
    const values: SQLInputValue[] = [...(byPlace ? [JSON.stringify(query.ids ?? [])] : []), Number(query.archived)];
    const where = ["archived = ? AND has_user = 1 AND is_current = 1"];
    const among = (column: string, choices: readonly string[]): void => {
      if (choices.length === 0) return;
      where.push(`${column} IN (SELECT value FROM json_each(?))`);
      values.push(JSON.stringify(choices));
    };
    among("provider", query.modelProviders);
    among("source_kind", sourceKinds(query.sourceKinds));
    among("cwd", query.cwds);
    if (query.searchTerm !== null && query.searchTerm !== "") {
      where.push("(preview LIKE ? ESCAPE '\\' OR id IN (SELECT value FROM json_each(?)))");
      values.push(`%${query.searchTerm.replace(/[\\%_]/g, "\\$&")}%`, JSON.stringify(named));
    }
    among("json_extract(facts, '$.originator')", query.originators ?? []);
    if (query.excludedIds !== undefined && query.excludedIds.length > 0) {
      where.push("id NOT IN (SELECT value FROM json_each(?))");
      values.push(JSON.stringify(query.excludedIds));
    }
    if (query.ids !== undefined && !byPlace) {
      where.push("id IN (SELECT value FROM json_each(?))");
      values.push(JSON.stringify(query.ids));
    }
    if (query.parentId !== undefined) {
      where.push(`${parentColumn} = ?`);
      values.push(query.parentId);
    }
    if (query.ancestorId !== undefined) {
      where.push(`id IN (${descendants})`);
      values.push(query.ancestorId);
    }
    if (after !== undefined) {
      where.push(`(${key}, id) ${beyond} (?, ?)`);
      values.push(after.ms, after.id);
    }
    const sql = `SELECT ${columns} FROM ${from} WHERE ${where.join(" AND ")} ORDER BY ${key} ${order}, id ${order} LIMIT ?`;
    return this.#sql(sql)
      .all(...values, query.limit + 1)
      .map(rowFrom);
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}

const parentColumn = "json_extract(facts, '$.parentThreadId')";
const descendants = `WITH RECURSIVE below(id) AS (
    SELECT id FROM files WHERE ${parentColumn} = ?
    UNION SELECT files.id FROM files JOIN below ON ${parentColumn} = below.id
  ) SELECT id FROM below`;

/** "subAgent" includes all its kinds. */
const sourceKinds = (kinds: readonly string[]): readonly string[] =>
  kinds.includes("subAgent") ? [...kinds, "subAgentReview", "subAgentCompact", "subAgentThreadSpawn", "subAgentOther"] : kinds;

type Columns = Record<string, SQLOutputValue>;
const text = (value: SQLOutputValue | undefined): string => (typeof value === "string" ? value : "");
const stateFrom = (row: Columns): FileState => ({
  path: text(row["path"]),
  updatedMs: Number(row["updated_ms"]),
  size: Number(row["size"]),
  hasUser: row["has_user"] === 1,
});
const rowFrom = (row: Columns): IndexRow => ({
  ...stateFrom(row),
  id: text(row["id"]),
  segment: text(row["segment"]),
  archived: row["archived"] === 1,
  createdMs: Number(row["created_ms"]),
  preview: text(row["preview"]),
  cwd: text(row["cwd"]),
  provider: text(row["provider"]),
  sourceKind: text(row["source_kind"]),
  facts: text(row["facts"]),
});

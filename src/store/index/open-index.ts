/** Opens the index's file, or another one where that cannot be used. All its data comes from the rollouts, so that it can always be rebuilt. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy, makeFile, removeDatabase, removeIfUnwritten, resultCode } from "../database.ts";
import { SqliteIndex } from "./sqlite-index.ts";
import { openTexts } from "./text-index.ts";

const version = 5;
/**
 * What many threads have in common (`shared`) and the folders of their files (`places`) are stored once, and of a file's name only what is
 * not in its id: the index of a large home is a small part of its size.
 */
const schema = `
  CREATE TABLE files (
    key INTEGER PRIMARY KEY, place INTEGER NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, segment TEXT, archived INTEGER NOT NULL,
    created_ms REAL NOT NULL, updated_ms REAL NOT NULL, size INTEGER NOT NULL, has_user INTEGER NOT NULL, is_current INTEGER NOT NULL,
    in_texts INTEGER NOT NULL, preview TEXT NOT NULL, shared INTEGER NOT NULL, facts TEXT NOT NULL
  );
  CREATE INDEX by_created ON files (created_ms, id) WHERE has_user = 1 AND is_current = 1;
  CREATE INDEX by_updated ON files (updated_ms, id) WHERE has_user = 1 AND is_current = 1;
  CREATE INDEX by_id ON files (id);
  CREATE INDEX by_place ON files (place);
  CREATE INDEX by_segment ON files (segment) WHERE segment IS NOT NULL;
  CREATE INDEX not_in_texts ON files (updated_ms) WHERE in_texts = 0 AND has_user = 1 AND is_current = 1;
  CREATE TABLE places (key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
  CREATE TABLE shared (
    key INTEGER PRIMARY KEY, cwd TEXT NOT NULL, provider TEXT NOT NULL, source_kind TEXT NOT NULL, facts TEXT NOT NULL,
    UNIQUE (cwd, provider, source_kind, facts)
  );
  CREATE TABLE folders (path TEXT PRIMARY KEY, mtime_ms REAL NOT NULL) WITHOUT ROWID;
  PRAGMA user_version = ${version};
`;
const tables = ["files", "folders", "places", "shared", "texts"];

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
    // Nobody waits for the disk while an empty file gets its tables: after a crash it is empty, or damaged, and made anew.
    db.exec(versionOf(db) === 0 ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = NORMAL");
    db.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 4000;");
    if (versionOf(db) !== version) {
      db.exec("BEGIN IMMEDIATE");
      // Another process may have created it in the meantime.
      if (versionOf(db) !== version) db.exec(tables.map((name) => `DROP TABLE IF EXISTS ${name};`).join("") + schema);
      db.exec("COMMIT");
    }
    db.exec("PRAGMA synchronous = NORMAL");
    return new SqliteIndex(db, file, openTexts(db));
  } catch (error) {
    db.close();
    throw error;
  }
}

const versionOf = (db: DatabaseSync): unknown => db.prepare("PRAGMA user_version").get()?.["user_version"];

/** Whether a newer version has taken over the file since: then missing tables are not damage. */
export function isTakenOver(index: SqliteIndex): boolean {
  try {
    return Number(versionOf(index.database)) > version;
  } catch {
    return false;
  }
}

/** Whether the file itself is broken (corrupt, not a database, without our tables), so that only a new one helps. */
export const isDamage = (error: unknown): boolean => [1, 11, 26].includes(resultCode(error) ?? 0);

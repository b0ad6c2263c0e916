/** Opens SQLite files that other processes use too, Codex among them. Each use opens the file anew: nothing is kept open between them. */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

/** Writes of other processes last milliseconds. Waiting inside SQLite would block the whole server, so we wait between attempts. */
const tries = 40;
const betweenMs = 25;

/** SQLite's primary result code; undefined for other errors. */
export const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
export const isDatabaseError = (error: unknown): boolean => resultCode(error) !== undefined;
/** SQLITE_BUSY and SQLITE_LOCKED, with or without their extended codes. */
export const isBusy = (error: unknown): boolean => [5, 6].includes(resultCode(error) ?? 0);

/** The file is corrupt, or is no database. */
export const isDamage = (error: unknown): boolean => [11, 26].includes(resultCode(error) ?? 0);

export function removeDatabase(file: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
}

/** Keeps a damaged file under another name, which is returned. */
export function moveAside(file: string, nowMs: number): string {
  const aside = file.replace(/(?=\.sqlite$)/, `-damaged-${nowMs}`);
  for (const suffix of ["", "-wal", "-shm"]) if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  return aside;
}

/** Runs `work` on an existing file, which is never created, even if it is removed right now. What was not committed is rolled back. */
export async function inDatabase<T>(file: string, work: (db: DatabaseSync) => T): Promise<T> {
  const { DatabaseSync } = await import("node:sqlite");
  const place = pathToFileURL(file);
  place.searchParams.set("mode", "rw");
  for (let left = tries; ; left--) {
    try {
      const db = new DatabaseSync(place, { timeout: 0 });
      try {
        return work(db);
      } finally {
        db.close();
      }
    } catch (error) {
      if (left === 0 || !isBusy(error)) throw error;
      await pause(betweenMs);
    }
  }
}

/** Makes the file, readable only by its owner, unless it is there. SQLite itself would make it readable for others. */
export function makeFile(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, "a", 0o600));
}
/** Call with the error of the first write: on a full disk no empty file stays behind. */
export function removeIfUnwritten(file: string, error: unknown): void {
  const isDiskError = [10, 13].includes(resultCode(error) ?? 0); // SQLITE_IOERR and SQLITE_FULL; a busy file is being written
  if (isDiskError && statSync(file, { throwIfNoEntry: false })?.size === 0) removeDatabase(file);
}

/** Runs `work` in a transaction that no other process can come between. */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    db.exec("COMMIT");
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK"); // some errors end it by themselves
    throw error;
  }
}

export const columnsOf = (db: DatabaseSync, table: string): ReadonlySet<unknown> =>
  new Set(
    db
      .prepare("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map((column) => column["name"]),
  );

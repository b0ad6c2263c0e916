/** Opens SQLite files that other processes use too, Codex among them. Each use opens the file anew: nothing is kept open between them. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isBusy } from "./index/sqlite-index.ts";

/** Writes of other processes last milliseconds. Waiting inside SQLite would block the whole server, so we wait between attempts. */
const tries = 40;
const betweenMs = 25;

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

/**
 * Thread names in Codex's own database. Codex reads names from it before the shared file for every thread that it knows, so a rename is
 * written there too.
 */
import { statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { isBusy } from "./sqlite-index.ts";

/** Codex's writes last milliseconds. Waiting inside SQLite would block the whole server, so we wait between attempts. */
const tries = 40;
const betweenMs = 25;

/** Writes the name where Codex looks for it. Without its database, or with one of another version, this does and creates nothing. */
export async function renameInCodex(home: string, threadId: string, name: string): Promise<void> {
  const file = path.join(home, "state_5.sqlite");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  const { DatabaseSync } = await import("node:sqlite");
  const place = pathToFileURL(file);
  place.searchParams.set("mode", "rw"); // never created, even if it is removed right now
  for (let left = tries; ; left--) {
    try {
      return write(new DatabaseSync(place, { timeout: 0 }), threadId, name);
    } catch (error) {
      if (left === 0 || !isBusy(error)) throw error;
      await pause(betweenMs);
    }
  }
}

/** Threads with a paged history have their own name column; for older ones Codex uses a title that differs from the first message. */
function write(db: DatabaseSync, threadId: string, name: string): void {
  try {
    const columns = new Set(
      db
        .prepare("SELECT name FROM pragma_table_info('threads')")
        .all()
        .map((column) => column["name"]),
    );
    if (!columns.has("id")) return;
    const paged = columns.has("name") && columns.has("history_mode");
    const inMode = (mode: string): string => (paged ? ` AND history_mode = '${mode}'` : "");
    db.exec("BEGIN IMMEDIATE");
    if (paged) db.prepare(`UPDATE threads SET name = ? WHERE id = ?${inMode("paginated")}`).run(name, threadId);
    if (columns.has("title")) db.prepare(`UPDATE threads SET title = ? WHERE id = ?${inMode("legacy")}`).run(name, threadId);
    db.exec("COMMIT");
  } finally {
    db.close(); // rolls back what was not committed
  }
}

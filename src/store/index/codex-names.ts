/**
 * Thread names in Codex's own database. Codex reads names from it before the shared file for every thread that it knows, so a rename is
 * written there too.
 */
import { statSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { columnsOf, inDatabase, inTransaction } from "../database.ts";

/** Writes the name where Codex looks for it. Without its database, or with one of another version, this does and creates nothing. */
export async function renameInCodex(home: string, threadId: string, name: string): Promise<void> {
  const file = path.join(home, "state_5.sqlite");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  await inDatabase(file, (db) => write(db, threadId, name));
}

/** Threads with a paged history have their own name column; for older ones Codex uses a title that differs from the first message. */
function write(db: DatabaseSync, threadId: string, name: string): void {
  const columns = columnsOf(db, "threads");
  if (!columns.has("id")) return;
  const paged = columns.has("name") && columns.has("history_mode");
  const inMode = (mode: string): string => (paged ? ` AND history_mode = '${mode}'` : "");
  inTransaction(db, () => {
    if (paged) db.prepare(`UPDATE threads SET name = ? WHERE id = ?${inMode("paginated")}`).run(name, threadId);
    if (columns.has("title")) db.prepare(`UPDATE threads SET title = ? WHERE id = ?${inMode("legacy")}`).run(name, threadId);
  });
}

/** A rename reaches Codex's own database if there is a matching one, and never creates, changes or waits on one that does not match. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { deletedWith } from "../../../test/support/ending.ts";
import { renameInCodex } from "./codex-names.ts";

function codexHome(t: TestContext, columns?: string): { home: string; file: string; rows: () => unknown[] } {
  const home = mkdtempSync(path.join(os.tmpdir(), "codex-names-"));
  deletedWith(t, home);
  const file = path.join(home, "state_5.sqlite");
  if (columns !== undefined) {
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA journal_mode = WAL; CREATE TABLE threads (${columns})`);
    db.close();
  }
  const rows = (): unknown[] => {
    const db = new DatabaseSync(file);
    const all = db.prepare("SELECT * FROM threads ORDER BY 1").all();
    db.close();
    return all.map((row) => ({ ...row }));
  };
  return { home, file, rows };
}
const insert = (file: string, sql: string): void => {
  const db = new DatabaseSync(file);
  db.exec(`INSERT INTO threads ${sql}`);
  db.close();
};
const today = "id TEXT PRIMARY KEY, title TEXT NOT NULL, name TEXT, history_mode TEXT NOT NULL";

test("a thread with a paged history gets a name, an older one a title, and the others stay unchanged", async (t) => {
  const { home, file, rows } = codexHome(t, today);
  insert(file, "VALUES ('a', 'first', NULL, 'paginated'), ('b', 'first', NULL, 'legacy'), ('c', 'first', 'kept', 'paginated')");
  await renameInCodex(home, "a", 'it\'s "named"; --');
  await renameInCodex(home, "b", "named too");
  await renameInCodex(home, "unknown", "nobody");
  assert.deepEqual(rows(), [
    { id: "a", title: "first", name: 'it\'s "named"; --', history_mode: "paginated" },
    { id: "b", title: "named too", name: null, history_mode: "legacy" },
    { id: "c", title: "first", name: "kept", history_mode: "paginated" },
  ]);
});

test("a database from before names existed gets the title", async (t) => {
  const { home, file, rows } = codexHome(t, "id TEXT PRIMARY KEY, title TEXT NOT NULL");
  insert(file, "VALUES ('a', 'first')");
  await renameInCodex(home, "a", "named");
  assert.deepEqual(rows(), [{ id: "a", title: "named" }]);
});

test("nothing is created if Codex has no database, or one without such a table", async (t) => {
  const none = codexHome(t);
  await renameInCodex(none.home, "a", "named");
  assert.deepEqual(readdirSync(none.home), []);
  const other = codexHome(t, "something TEXT");
  await renameInCodex(other.home, "a", "named");
  assert.deepEqual(other.rows(), []);
});

test("while Codex writes, the rename waits and the server keeps running; a broken file is an error and stays unchanged", async (t) => {
  const { home, file, rows } = codexHome(t, today);
  insert(file, "VALUES ('a', 'first', NULL, 'paginated')");
  const codex = new DatabaseSync(file);
  codex.exec("BEGIN IMMEDIATE");
  const renamed = renameInCodex(home, "a", "named");
  await new Promise((resolve) => setImmediate(resolve));
  codex.exec("COMMIT");
  codex.close();
  await renamed;
  assert.deepEqual(rows(), [{ id: "a", title: "first", name: "named", history_mode: "paginated" }]);

  const broken = codexHome(t);
  writeFileSync(broken.file, "not a database at all, whatever its name says");
  await assert.rejects(renameInCodex(broken.home, "a", "named"), /not a database/);
  assert.ok(existsSync(broken.file));
});

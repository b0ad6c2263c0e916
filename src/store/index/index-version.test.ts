/** Upgrades and downgrades of the index: no user data is lost, and each event is reported once. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { createLocalStore } from "../local.ts";
import { openIndex } from "./open-index.ts";

const id = "019a6d3c-b000-7000-8000-000000000001";
const query: ThreadQuery = {
  ...{ cursor: null, limit: 10, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
};

async function listed(home: string): Promise<{ ids: string[]; notices: string[] }> {
  const notices: string[] = [];
  const store = createLocalStore({ home });
  store.onNotice = (message) => notices.push(message);
  const page = await store.list(query);
  await store.close();
  return { ids: page.threads.map((thread) => thread.id), notices };
}

async function makeThread(home: string): Promise<void> {
  const store = createLocalStore({ home });
  const createdAtMs = Date.parse("2026-11-10T12:00:00.000Z");
  const facts = { id, createdAtMs, cwd: "/ws", originator: "t", cliVersion: "1", modelProvider: "mock", baseInstructions: undefined };
  const times = { startedAtMs: createdAtMs, completedAtMs: createdAtMs };
  await store.append(id, [
    { type: "meta", meta: { ...facts, source: "cli" } },
    { type: "item", turnId: "t", ...times, item: { type: "userMessage", id: "u", content: [{ type: "text", text: "hello" }] } },
  ]);
  await store.close();
}

test("an index that another process writes to is waited for, and is not taken away", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "parley-index-"));
  try {
    await makeThread(home);
    await listed(home);
    const file = path.join(home, "parley", "index.sqlite");
    const { ino } = statSync(file);
    const other = new DatabaseSync(file);
    other.exec("PRAGMA user_version = 1; BEGIN EXCLUSIVE");
    const listing = listed(home);
    setTimeout(() => other.exec("COMMIT"), 150); // longer than one attempt
    assert.deepEqual((await listing).ids, [id]);
    assert.equal(statSync(file).ino, ino);
    other.close();
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("an index of an older version is rebuilt and that is reported once; a newer one is left unchanged", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "parley-index-"));
  const file = path.join(home, "parley", "index.sqlite");
  const setVersion = (version: number): void => {
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA user_version = ${version}`);
    db.close();
  };
  try {
    await makeThread(home);
    assert.deepEqual(await listed(home), { ids: [id], notices: [] });
    setVersion(1);
    const upgraded = await listed(home);
    assert.deepEqual(upgraded.ids, [id]);
    assert.match(upgraded.notices.join(), /built anew for this version; threads and settings are as they were/);
    assert.deepEqual(await listed(home), { ids: [id], notices: [] });

    setVersion(99);
    const before = readFileSync(file);
    const older = await listed(home);
    assert.deepEqual(older.ids, [id]);
    assert.match(older.notices.join(), /belongs to a newer version/);
    assert.deepEqual(await listed(home), { ids: [id], notices: [] });
    assert.deepEqual(readFileSync(file), before);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("only an empty file gets its tables without waiting for the disk", async () => {
  const home = mkdtempSync(path.join(tmpdir(), "parley-index-"));
  try {
    for (const _ of ["made", "opened again"]) {
      const index = await openIndex(path.join(home, "index.sqlite"));
      assert.equal(index.database.prepare("PRAGMA synchronous").get()?.["synchronous"], 1);
      assert.equal(index.database.prepare("PRAGMA journal_mode").get()?.["journal_mode"], "wal");
      index.close();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

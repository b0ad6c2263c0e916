/** The queue on disk: Codex's own file where it has made one, and what happens when it makes one later. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { deletedWith } from "../../test/support/ending.ts";
import { timedUuid } from "../lib/random.ts";
import { createQueueStore } from "./queue.ts";

const threadId = "0199a3f0-0000-7000-8000-000000000001";

function homeOf(t: TestContext): { home: string; store: () => ReturnType<typeof createQueueStore> } {
  const home = mkdtempSync(path.join(tmpdir(), "parley-queue-"));
  deletedWith(t, home);
  return { home, store: () => createQueueStore({ home, report: assert.fail, now: Date.now, newId: timedUuid }) };
}

/** A file as Codex 0.166 makes it. */
function codexFile(home: string, ...payloads: readonly string[]): void {
  const db = new DatabaseSync(path.join(home, "queue_1.sqlite"));
  db.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE queued_items (id TEXT PRIMARY KEY NOT NULL, thread_id TEXT NOT NULL, payload_json TEXT NOT NULL,
      queue_order INTEGER NOT NULL, created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL);
    CREATE UNIQUE INDEX queued_items_thread_order_idx ON queued_items(thread_id, queue_order);
    CREATE TABLE queued_thread_revisions (revision INTEGER PRIMARY KEY AUTOINCREMENT, thread_id TEXT NOT NULL UNIQUE);`);
  const insert = db.prepare("INSERT INTO queued_items VALUES (?, ?, ?, ?, 1, 1)");
  for (const [i, payload] of payloads.entries()) insert.run(`codex-${i}`, threadId, payload, i);
  db.close();
}
const payload = (text: string): string =>
  JSON.stringify({
    UserInput: {
      content: [
        { type: "text", text, text_elements: [] },
        { type: "image", image_url: "data:x" },
      ],
      client_id: text,
    },
  });
const submission = (text: string) => ({ input: [{ type: "text" as const, text, text_elements: [] }], clientUserMessageId: text });
const idsOf = async (store: ReturnType<typeof createQueueStore>): Promise<string[]> =>
  (await store.list(threadId)).map(({ clientUserMessageId }) => clientUserMessageId);

test("Codex's file is read and written in place, and rows that are not understood stay in it", async (t) => {
  const { home, store } = homeOf(t);
  codexFile(home, payload("theirs"), '{"Other":{}}');
  const queue = store();
  assert.deepEqual(await queue.list(threadId), [
    {
      id: "codex-0",
      input: [
        { type: "text", text: "theirs", text_elements: [] },
        { type: "image", url: "data:x", detail: null },
      ],
      clientUserMessageId: "theirs",
    },
  ]);
  const added = await queue.add(threadId, submission("ours"), 100);
  assert.equal(await queue.reorder(threadId, [added?.id ?? "", "codex-0"]), true);
  assert.deepEqual(await idsOf(queue), ["ours", "theirs"]);
  const db = new DatabaseSync(path.join(home, "queue_1.sqlite"));
  const rows = db.prepare("SELECT payload_json FROM queued_items ORDER BY queue_order").all();
  db.close();
  assert.deepEqual(
    rows.map((row) => row["payload_json"]),
    ['{"Other":{}}', '{"UserInput":{"content":[{"type":"text","text":"ours","text_elements":[]}],"client_id":"ours"}}', payload("theirs")],
  );
  assert.equal(existsSync(path.join(home, "parley")), false, "no second file");
});

test("without Codex's file an own one is made on the first write, and moves in when Codex makes its own", async (t) => {
  const { home, store } = homeOf(t);
  const queue = store();
  assert.deepEqual(await queue.list(threadId), []);
  assert.equal(await queue.remove(threadId, "none"), false);
  assert.equal(existsSync(path.join(home, "parley")), false, "reading and removing make no file");
  await queue.add(threadId, submission("one"), 100);
  await queue.add(threadId, submission("two"), 100);
  assert.equal(await queue.add(threadId, submission("three"), 2), undefined, "full");
  assert.equal(statSync(path.join(home, "parley", "queue_1.sqlite")).mode & 0o077, 0, "for the user alone");
  codexFile(home, payload("theirs"));
  assert.deepEqual(await idsOf(queue), ["theirs", "one", "two"]);
  assert.deepEqual(await idsOf(store()), ["theirs", "one", "two"], "moved once");
  await queue.clear(threadId);
  assert.deepEqual(await idsOf(store()), []);
});

test("a file of another version is left alone", async (t) => {
  const { home, store } = homeOf(t);
  const db = new DatabaseSync(path.join(home, "queue_1.sqlite"));
  db.exec("CREATE TABLE queued_items (id TEXT)");
  db.close();
  await store().add(threadId, submission("one"), 100);
  assert.deepEqual(await idsOf(store()), ["one"]);
});

test("a process learns of what others did, and not of what it did itself", async (t) => {
  const { store } = homeOf(t);
  const [mine, other] = [store(), store()];
  assert.deepEqual(await mine.changedByOthers(), []);
  await other.add(threadId, submission("one"), 100);
  assert.deepEqual(await mine.changedByOthers(), [threadId]);
  await mine.add(threadId, submission("two"), 100);
  assert.deepEqual(await mine.changedByOthers(), []);
  for (const text of ["three", "four"]) {
    await other.add(threadId, submission(text), 100);
    assert.deepEqual(await mine.changedByOthers(), [threadId], "each time");
  }
  await Promise.all([other.clear(threadId), mine.add("0199a3f0-0000-7000-8000-000000000002", submission("x"), 100)]);
  assert.deepEqual(await mine.changedByOthers(), [threadId]);
});

test("a damaged file of ours is moved aside and reported, one of Codex's is left alone", async (t) => {
  const { home } = homeOf(t);
  const reports: string[] = [];
  const store = createQueueStore({ home, report: (message) => reports.push(message), now: Date.now, newId: timedUuid });
  const add = (words: string) => store.add(threadId, submission(words), 100);
  await add("lost");
  const own = path.join(home, "parley/queue_1.sqlite");
  for (const suffix of ["-wal", "-shm"]) rmSync(own + suffix, { force: true });
  writeFileSync(own, "garbage".repeat(2000));
  await add("new");
  assert.deepEqual(await idsOf(store), ["new"]);
  assert.match(reports.join(), /could not be read; it is kept as .*queue_1-damaged-\d+\.sqlite/);
  const theirs = path.join(home, "queue_1.sqlite");
  writeFileSync(theirs, "garbage".repeat(2000));
  await add("newer");
  assert.equal((await store.list(threadId)).length, 2);
  assert.match(reports.at(-1) ?? "", /is damaged and not used/);
  assert.equal(reports.length, 2, "said once");
  assert.equal(readFileSync(theirs, "utf8"), "garbage".repeat(2000));
});

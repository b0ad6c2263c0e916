/** Homes of many threads without an index: the cost of a page depends on the page, not on the home. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { createLocalStore } from "../local.ts";
import { mostReadForPage } from "./thread-index.ts";

const count = 5_000;
const perDay = 100;
const start = Date.UTC(2025, 0, 1, 6);
const dayMs = 86_400_000;
const timeOf = (n: number): number => start + Math.floor(n / perDay) * dayMs + (n % perDay) * 1000;
const idOf = (n: number): string => {
  const hex = timeOf(n).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
};
const two = (n: number): string => String(n).padStart(2, "0");

function writeThread(home: string, n: number): string {
  const date = new Date(timeOf(n));
  const folder = path.join(home, "sessions", String(date.getFullYear()), two(date.getMonth() + 1), two(date.getDate()));
  if (n % perDay === 0) mkdirSync(folder, { recursive: true });
  const time = `${two(date.getHours())}-${two(date.getMinutes())}-${two(date.getSeconds())}`;
  const file = path.join(
    folder,
    `rollout-${path.relative(path.join(home, "sessions"), folder).replaceAll("/", "-")}T${time}-${idOf(n)}.jsonl`,
  );
  const timestamp = date.toISOString();
  const meta = { id: idOf(n), timestamp, cwd: `/p/${n % 50}`, originator: "x", cli_version: "1", source: "cli", model_provider: "p" };
  const message = { type: "user_message", message: n === 7 ? "the needle" : `question ${n}` };
  writeFileSync(
    file,
    [
      { timestamp, type: "session_meta", payload: meta },
      { timestamp, type: "event_msg", payload: message },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(""),
  );
  utimesSync(file, date, date);
  return file;
}

const query = (part: Partial<ThreadQuery> = {}): ThreadQuery => ({
  ...{ cursor: null, limit: 25, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [], ...part },
});

describe("a home of thousands of threads without an index", () => {
  let home = "";
  before(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-large-home-"));
    for (let n = 0; n < count; n++) writeThread(home, n);
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  /** The response for the first page, and how many files were read for it: background work starts only afterwards. */
  async function first(part: Partial<ThreadQuery>) {
    rmSync(path.join(home, "parley"), { recursive: true, force: true });
    const notices: string[] = [];
    const store = createLocalStore({ home });
    store.onNotice = (message) => notices.push(message);
    const page = await store.list(query(part));
    const db = new DatabaseSync(path.join(home, "parley", "index.sqlite"), { readOnly: true });
    const read = Number(db.prepare("SELECT count(*) AS n FROM files").get()?.["n"]);
    db.close();
    return { store, page, read, notices };
  }

  test("the first page by creation reads about as many files as it shows, from either end", async () => {
    for (const [sortDirection, newest] of [
      ["desc", count - 1],
      ["asc", 0],
    ] as const) {
      const { store, page, read } = await first({ sortDirection });
      const step = sortDirection === "desc" ? -1 : 1;
      assert.deepEqual(
        page.threads.map(({ id }) => id),
        Array.from({ length: 25 }, (_, i) => idOf(newest + step * i)),
      );
      assert.ok(read <= 600, `${read} files were read`);
      await store.close();
    }
  });

  test("a filter that fits few threads is answered after so many files, and its cursors lead to every thread, once", async () => {
    const { store, page, read, notices } = await first({ cwds: ["/p/13"] });
    assert.ok(read <= mostReadForPage + 200, `${read} files were read`);
    assert.equal(notices.length, page.threads.length < 25 ? 1 : 0);
    const found = page.threads.map(({ id }) => id);
    for (let cursor = page.nextCursor; cursor !== null; ) {
      const next = await store.list(query({ cwds: ["/p/13"], cursor }));
      found.push(...next.threads.map(({ id }) => id));
      cursor = next.nextCursor;
    }
    const wanted = Array.from({ length: count }, (_, n) => count - 1 - n).filter((n) => n % 50 === 13);
    assert.deepEqual(found, wanted.map(idOf));
    await store.close();
  });

  test("deleting a young thread reads the files that are as young, and finds its forks among them", async () => {
    const forked = writeThread(home, count - 60);
    const fork = writeThread(home, count - 10);
    const [meta = "", ...rest] = readFileSync(fork, "utf8").split("\n");
    const line = JSON.parse(meta);
    const base = { thread_id: idOf(count - 60), segment_id: idOf(count - 60) };
    writeFileSync(fork, [JSON.stringify({ ...line, payload: { ...line.payload, history_base: base } }), ...rest].join("\n"));
    rmSync(path.join(home, "parley"), { recursive: true, force: true });
    const store = createLocalStore({ home });
    await store.delete(idOf(count - 1));
    const db = new DatabaseSync(path.join(home, "parley", "index.sqlite"), { readOnly: true });
    const read = Number(db.prepare("SELECT count(*) AS n FROM files").get()?.["n"]);
    db.close();
    assert.ok(read <= 600, `${read} files were read`);
    await assert.rejects(store.delete(idOf(count - 60)), /still/);
    await store.close();
    assert.ok(existsSync(forked));
    for (const n of [count - 1, count - 10]) writeThread(home, n);
  });

  test("a fork that was made after the clock was set back a day is found before its parent is deleted", async () => {
    const fork = writeThread(home, count - 150);
    const [meta = "", ...rest] = readFileSync(fork, "utf8").split("\n");
    const line = JSON.parse(meta);
    const base = { thread_id: idOf(count - 5), segment_id: idOf(count - 5) };
    writeFileSync(fork, [JSON.stringify({ ...line, payload: { ...line.payload, history_base: base } }), ...rest].join("\n"));
    rmSync(path.join(home, "parley"), { recursive: true, force: true });
    const store = createLocalStore({ home });
    await assert.rejects(store.delete(idOf(count - 5)), /still/);
    await store.close();
    writeThread(home, count - 150);
  });

  test("nothing matches: an empty page with a cursor, and an end", async () => {
    for (const sortKey of ["created_at", "updated_at"] as const) {
      const { store, page, read, notices } = await first({ cwds: ["/none"], sortKey });
      assert.deepEqual(page.threads, []);
      assert.ok(page.nextCursor !== null && read <= mostReadForPage + 200, `${read} files were read`);
      assert.match(notices.join(), /being built .* still to be read/);
      let rounds = 0;
      for (let cursor: string | null = page.nextCursor; cursor !== null; rounds++) {
        const next = await store.list(query({ cwds: ["/none"], sortKey, cursor }));
        assert.deepEqual(next.threads, []);
        cursor = next.nextCursor;
      }
      assert.ok(rounds <= 10, `${rounds} rounds`);
      await store.close();
    }
  });

  test("by the last change the first page is bounded, and complete once all is read", async () => {
    const old = writeThread(home, 7);
    const now = new Date();
    utimesSync(old, now, now);
    const { store, read } = await first({ sortKey: "updated_at" });
    assert.ok(read <= mostReadForPage + 200, `${read} files were read`);
    for (;;) {
      const { threads } = await store.list(query({ sortKey: "updated_at" }));
      if (threads[0]?.id === idOf(7)) break;
      await new Promise((resolve) => setTimeout(resolve, 20)); // the background keeps reading
    }
    await store.close();
  });

  test("a search goes on from its cursor until the oldest thread", async () => {
    const { store } = await first({});
    const hits: string[] = [];
    let rounds = 0;
    // Without the full-text index, which is built meanwhile, it would take three.
    for (let cursor: string | null = null; ; rounds++) {
      const found: Awaited<ReturnType<typeof store.search>> = await store.search("needle", 25, { cursor });
      hits.push(...found.hits.map(({ thread }) => thread.id));
      cursor = found.nextCursor;
      if (cursor === null) break;
    }
    assert.deepEqual(hits, [idOf(7)]);
    assert.ok(rounds >= 1 && rounds < 60, `${rounds} rounds`);
    await store.close();
  });

  test("a thread is deleted only after every file was seen", async () => {
    const { store } = await first({});
    await store.refuseForked(idOf(3));
    const db = new DatabaseSync(path.join(home, "parley", "index.sqlite"), { readOnly: true });
    assert.equal(Number(db.prepare("SELECT count(*) AS n FROM files").get()?.["n"]), count);
    db.close();
    assert.ok(readFileSync(writeThread(home, 3), "utf8").includes("question 3"));
    await store.close();
  });
});

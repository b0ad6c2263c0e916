/** Pages that are asked for again, and folders that a page does not look into: what has changed on disk is shown all the same. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { StoredThread, ThreadPage, ThreadQuery, ThreadStore } from "../../core/ports/thread-store.ts";
import { rolloutPath } from "../layout.ts";
import { createLocalStore } from "../local.ts";

const days = 40;
const perDay = 4;
const start = Date.UTC(2026, 0, 1, 6);
const timeOf = (n: number): number => start + Math.floor(n / perDay) * 86_400_000 + (n % perDay) * 60_000;
const idOf = (n: number, ms = timeOf(n)): string => {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
};

function writeThread(home: string, n: number, ms = timeOf(n)): string {
  const file = rolloutPath(home, idOf(n, ms), ms);
  mkdirSync(path.dirname(file), { recursive: true });
  const timestamp = new Date(ms).toISOString();
  const meta = { id: idOf(n, ms), timestamp, cwd: "/p", originator: "x", cli_version: "1", source: "cli", model_provider: "p" };
  const lines = [
    { timestamp, type: "session_meta", payload: meta },
    { timestamp, type: "event_msg", payload: { type: "user_message", message: `question ${n}` } },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  utimesSync(file, ms / 1000, ms / 1000);
  return file;
}

const query = (part: Partial<ThreadQuery> = {}): ThreadQuery => ({
  ...{ cursor: null, limit: 10, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [], ...part },
});
const idsOf = (page: ThreadPage): string[] => page.threads.map(({ id }) => id);

async function allOf(store: ThreadStore, part: Partial<ThreadQuery> = {}): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: ThreadPage = await store.list(query({ ...part, cursor }));
    found.push(...idsOf(page));
    if (page.nextCursor === null) return found;
    cursor = page.nextCursor;
  }
}

/** As a process answers it that has read nothing yet. */
async function createdAnew(home: string, asked: ThreadQuery): Promise<ThreadPage> {
  const fresh = createLocalStore({ home });
  try {
    return await fresh.list(asked);
  } finally {
    await fresh.close();
  }
}
async function turnsOfTheLoop(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await setImmediate();
}

describe("pages of threads", () => {
  let home = "";
  let store: ThreadStore;
  let count = 0;
  before(async () => {
    home = mkdtempSync(path.join(tmpdir(), "parley-pages-"));
    for (; count < days * perDay; count++) writeThread(home, count);
    store = createLocalStore({ home });
    await store.list(query());
  });
  after(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  test("a file that another program adds among the newest days is on the page where it belongs, at once", async () => {
    for (const sortDirection of ["desc", "asc"] as const) {
      const before = await allOf(store, { sortDirection });
      const ms = timeOf((days - 20) * perDay) + (sortDirection === "desc" ? 600_000 : 700_000);
      const added = idOf(count, ms);
      writeThread(home, count++, ms);
      const now = await allOf(store, { sortDirection });
      assert.deepEqual(now.toSorted(), [...before, added].toSorted());
      assert.deepEqual(
        now,
        now.toSorted((a, b) => (sortDirection === "desc" ? b.localeCompare(a) : a.localeCompare(b))),
      );
    }
  });

  test("a page that is asked for again shows what another program has written: a thread, its growth, its end and its name", async () => {
    await store.list(query());
    const first = await store.list(query());
    assert.equal(await store.list(query()).then((page) => page.threads), first.threads, "nothing has changed, nothing is made anew");
    const ms = timeOf(days * perDay) + 900_000;
    const id = idOf(count, ms);
    const file = writeThread(home, count++, ms);
    assert.deepEqual(idsOf(await store.list(query())).slice(0, 2), [id, idsOf(first)[0]]);
    appendFileSync(file, "{}\n");
    utimesSync(file, ms / 1000 + 60, ms / 1000 + 60);
    assert.equal((await store.list(query())).threads[0]?.updatedAtMs, ms + 60_000);
    appendFileSync(path.join(home, "session_index.jsonl"), `${JSON.stringify({ id, thread_name: "renamed", updated_at: "" })}\n`);
    assert.equal((await store.list(query())).threads[0]?.name, "renamed");
    rmSync(file);
    assert.deepEqual(idsOf(await store.list(query())), idsOf(first));
  });

  test("the first list by last change, which was read while the client looked at the list before, shows what has changed since", async () => {
    const names = path.join(home, "session_index.jsonl");
    const rename = (id: string): void => appendFileSync(names, `${JSON.stringify({ id, thread_name: "meanwhile", updated_at: "" })}\n`);
    const changes: ((thread: StoredThread) => void)[] = [
      () => {},
      ({ path: file }) => appendFileSync(file, "{}\n"),
      ({ id }) => rename(id),
      ({ path: file }) => rmSync(file),
      () => writeThread(home, count++, timeOf(days * perDay) + 1_200_000),
    ];
    for (const [n, change] of changes.entries()) {
      const fresh = createLocalStore({ home });
      try {
        const ahead: (readonly StoredThread[])[] = [];
        const listed = await fresh.list(query({ onAhead: (threads) => ahead.push(threads) }));
        await turnsOfTheLoop(6);
        assert.equal(ahead.length, 1);
        const [, , third] = ahead[0] ?? [];
        if (third === undefined) throw new Error("nothing was read ahead");
        change(third);
        const byChange = await fresh.list(query({ sortKey: "updated_at" }));
        assert.equal(byChange.threads === ahead[0], n === 0, "the same list only if nothing has changed");
        const { isKept: _kept, ...rest } = byChange;
        const { isKept: _none, ...expected } = await createdAnew(home, query({ sortKey: "updated_at" }));
        assert.deepEqual(rest, expected);
        if (n === 0) assert.equal((await fresh.list(query({ sortKey: "updated_at" }))).threads, byChange.threads, "it is kept at once");
        assert.notEqual(listed.threads, byChange.threads);
        await turnsOfTheLoop(6);
        assert.equal(ahead.length, 1, "once in a process");
      } finally {
        await fresh.close();
      }
    }
  });

  test("a next page, whose rows were read while the client looked at the one before, shows what has changed since", async () => {
    const names = path.join(home, "session_index.jsonl");
    const other = createLocalStore({ home });
    /** What changes a thread, and what is to be seen of it. */
    const changes: [what: string, change: (thread: StoredThread) => void | Promise<void>, seen: (thread: StoredThread) => unknown][] = [
      ["it grew", ({ path: file }) => appendFileSync(file, "{}\n"), (thread) => thread.updatedAtMs > Date.now() - 60_000],
      [
        "its name",
        ({ id }) => appendFileSync(names, `${JSON.stringify({ id, thread_name: "later", updated_at: "" })}\n`),
        (thread) => thread.name === "later",
      ],
      [
        "another process wrote to the index",
        ({ id }) => other.updateGit(id, { sha: "abc", branch: "later", originUrl: null }),
        (thread) => thread.git?.branch === "later",
      ],
      [
        "this process wrote to the index",
        ({ id }) => store.updateGit(id, { sha: "abc", branch: "ours", originUrl: null }),
        (thread) => thread.git?.branch === "ours",
      ],
      ["it was removed", ({ path: file }) => rmSync(file), () => false],
    ];
    for (const sortKey of ["created_at", "updated_at"] as const)
      for (const [what, change, seen] of changes) {
        const part = { sortKey, sortDirection: "asc" as const };
        const first = await store.list(query(part));
        const second = await store.list(query({ ...part, cursor: first.nextCursor }));
        const expected = await createdAnew(home, query({ ...part, cursor: second.nextCursor }));
        const changed = expected.threads[3];
        if (changed === undefined) throw new Error("no third page");
        await turnsOfTheLoop(4);
        await change(changed);
        const third = await store.list(query({ ...part, cursor: second.nextCursor }));
        const now = await createdAnew(home, query({ ...part, cursor: second.nextCursor }));
        assert.deepEqual(idsOf(third), idsOf(now), `${sortKey}: ${what}`);
        const found = third.threads.find(({ id }) => id === changed.id);
        // What has grown is the last one by its last change.
        const stays = what !== "it was removed" && (sortKey === "created_at" || what === "its name");
        if (stays) assert.ok(found !== undefined && seen(found), `${sortKey}: ${what}`);
      }
    await other.close();
  });

  test("the first list by last change, for which the index was read after another list, shows what has changed since", async () => {
    const byChange = query({ sortKey: "updated_at" });
    let ms = Date.now() + 3_600_000;
    for (const isIndexed of [false, true]) {
      const fresh = createLocalStore({ home });
      const [, , { path: file, id } = { path: "", id: "" }] = (await fresh.list(query())).threads;
      await turnsOfTheLoop(4);
      ms += 10_000;
      appendFileSync(file, "{}\n");
      utimesSync(file, ms / 1000, ms / 1000);
      if (isIndexed) await createdAnew(home, byChange); // another process puts it into the index
      const [first] = (await fresh.list(byChange)).threads;
      assert.deepEqual([first?.id, first?.updatedAtMs], [id, ms]);
      await fresh.close();
    }
  });

  test("an archive that another program makes, fills and removes is shown as it is, by a process that had found none", async () => {
    const archived = query({ archived: true });
    const folder = path.join(home, "archived_sessions");
    for (const round of [1, 2]) {
      for (let i = 0; i < 2; i++) assert.deepEqual(idsOf(await store.list(archived)), [], `round ${round}`);
      const [thread] = (await store.list(query())).threads;
      if (thread === undefined) throw new Error("no thread");
      mkdirSync(folder);
      renameSync(thread.path, path.join(folder, path.basename(thread.path)));
      assert.notEqual(idsOf(await store.list(query()))[0], thread.id);
      assert.deepEqual(idsOf(await store.list(archived)), [thread.id], `round ${round}`);
      rmSync(folder, { recursive: true });
    }
    assert.deepEqual(idsOf(await store.list(archived)), []);
  });

  test("what another process has put into the index is shown", async () => {
    const [id = ""] = idsOf(await store.list(query()));
    const other = createLocalStore({ home });
    await other.list(query());
    await other.updateGit(id, { sha: "abc", branch: "main", originUrl: null });
    await other.close();
    assert.equal((await store.list(query())).threads[0]?.git?.branch, "main");
  });
});

/** Pages that are asked for again, and folders that a page does not look into: what has changed on disk is shown all the same. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { ThreadPage, ThreadQuery, ThreadStore } from "../../core/ports/thread-store.ts";
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

  test("what another process has put into the index is shown", async () => {
    const [id = ""] = idsOf(await store.list(query()));
    const other = createLocalStore({ home });
    await other.list(query());
    await other.updateGit(id, { sha: "abc", branch: "main", originUrl: null });
    await other.close();
    assert.equal((await store.list(query())).threads[0]?.git?.branch, "main");
  });
});

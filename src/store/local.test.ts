/**
 * The local store as its callers see it: threads stored, found, listed in exact pages, renamed, archived, deleted; other programs' files
 * noticed.
 */
import assert from "node:assert/strict";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { replay } from "../core/context/replay.ts";
import type { StoredThread, ThreadQuery, ThreadRecord, ThreadStore } from "../core/ports/thread-store.ts";
import type { SessionSource } from "../protocol/policy.ts";
import { rolloutPath } from "./layout.ts";
import { createLocalStore } from "./local.ts";

let home = "";
let stores: ThreadStore[] = [];
describe("local", () => {
  beforeEach(() => {
    home = mkdtempSync(path.join(os.tmpdir(), "parley-store-"));
    stores = [];
  });
  afterEach(async () => {
    for (const store of stores) await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  const open = (): ThreadStore => {
    const store = createLocalStore({ home });
    stores.push(store);
    return store;
  };
  const start = Date.parse("2026-11-10T12:00:00.000Z");
  /** A UUIDv7 of the given time; `n` makes ids unique. */
  const idAt = (ms: number, n: number): string => {
    const time = ms.toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${n.toString(16).padStart(12, "0")}`;
  };
  interface Kind {
    readonly ms?: number;
    readonly provider?: string;
    readonly source?: SessionSource;
    readonly cwd?: string;
    readonly text?: string | null;
  }
  const userMessage = (turnId: string, text: string, ms = start): ThreadRecord => ({
    ...{ type: "item", turnId, startedAtMs: ms, completedAtMs: ms },
    item: { type: "userMessage", id: `u-${turnId}`, content: [{ type: "text", text }] },
  });
  const records = (id: string, { ms = start, provider = "mock", source = "vscode", cwd = "/ws", text = "hello" }: Kind): ThreadRecord[] => [
    {
      type: "meta",
      meta: {
        id,
        createdAtMs: ms,
        cwd,
        originator: "test",
        cliVersion: "1.2.3",
        source,
        modelProvider: provider,
        baseInstructions: "Be brief.",
      },
    },
    { type: "turnStarted", turnId: "t1", atMs: ms, contextWindow: undefined, mode: "default" },
    ...(text === null ? [] : [userMessage("t1", text, ms)]),
    { type: "turnEnded", turnId: "t1", status: "completed", error: null, lastAgentMessage: null, atMs: ms, durationMs: 5 },
  ];
  let made = 0;
  async function make(store: ThreadStore, kind: Kind = {}): Promise<string> {
    const id = idAt(kind.ms ?? start, ++made);
    await store.append(id, records(id, kind));
    return id;
  }
  /** As another program would write it. */
  function foreign(kind: {
    readonly ms: number;
    readonly id?: string;
    readonly text?: string;
    readonly mtimeMs?: number;
    readonly metaMs?: number;
  }): string {
    const id = kind.id ?? idAt(kind.ms, ++made);
    const file = rolloutPath(home, id, kind.ms);
    const timestamp = new Date(kind.metaMs ?? kind.ms).toISOString();
    const lines = [
      {
        timestamp,
        type: "session_meta",
        payload: {
          id,
          timestamp,
          cwd: "/ws",
          originator: "codex",
          cli_version: "0.92.0",
          source: "cli",
          model_provider: "mock",
          base_instructions: { text: "x".repeat(30_000) },
        },
      },
      { timestamp, type: "event_msg", payload: { type: "user_message", message: kind.text ?? "from outside", images: [] } },
    ];
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    utimesSync(file, (kind.mtimeMs ?? kind.ms) / 1000, (kind.mtimeMs ?? kind.ms) / 1000);
    return id;
  }
  const query = (change: Partial<ThreadQuery> = {}): ThreadQuery => ({
    ...{
      cursor: null,
      limit: 25,
      sortKey: "created_at",
      sortDirection: "desc",
      modelProviders: [],
      sourceKinds: [],
      archived: false,
      cwds: [],
      searchTerm: null,
    },
    ...change,
  });
  async function pages(store: ThreadStore, change: Partial<ThreadQuery>, between?: () => unknown): Promise<StoredThread[]> {
    const all: StoredThread[] = [];
    for (let cursor: string | null = null; ; ) {
      const page = await store.list(query({ ...change, cursor }));
      all.push(...page.threads);
      cursor = page.nextCursor;
      if (cursor === null) return all;
      assert.ok(all.length < 5000, "pages have no end");
      await between?.();
    }
  }
  const ids = (threads: readonly StoredThread[]): string[] => threads.map((thread) => thread.id);

  test("what is appended is read back, and the file is the owner's alone", async () => {
    const store = open();
    const id = idAt(start, 1);
    const [first, ...rest] = records(id, {});
    assert.ok(first);
    await store.append(id, [first]);
    await Promise.all(rest.map((record) => store.append(id, [record])));
    assert.deepEqual(await store.read(id), records(id, {}));
    const file = store.pathFor(id, start);
    assert.equal(file, rolloutPath(home, id, start));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(file)).mode & 0o777, 0o700);
    assert.deepEqual(await open().read(id), records(id, {}));
  });

  test("nothing is written before the first append, and a deleted thread accepts no more", async () => {
    const store = open();
    const id = idAt(start, 1);
    assert.ok(!existsSync(store.pathFor(id, start)));
    assert.equal(await store.find(id), undefined);
    assert.deepEqual(await store.read(id), []);
    await store.append(id, records(id, {}));
    await store.delete(id);
    assert.ok(!existsSync(store.pathFor(id, start)));
    assert.equal(await store.find(id), undefined);
    assert.deepEqual((await store.list(query())).threads, []);
    await assert.rejects(store.append(id, records(id, {})), /deleted/);
  });

  test("an id that is no UUID never gets near the disk", async () => {
    const store = open();
    for (const id of ["../../etc/passwd", "/etc/passwd", "*", "", "a\0b", "01a1de71"]) {
      assert.equal(await store.find(id), undefined);
      assert.deepEqual(await store.read(id), []);
      await assert.rejects(store.append(id, records(id, {})));
      await assert.rejects(store.lease(id, "x"));
      await store.delete(id);
      await store.archive(id);
    }
    assert.deepEqual(readdirSync(home), []);
  });

  test("a half line, NULs and a missing line end before an append cost only themselves", async () => {
    for (const damage of ['{"timestamp":"2026-', "\0".repeat(4096)]) {
      const store = open();
      const id = await make(store);
      const file = store.pathFor(id, start);
      await store.close();
      appendFileSync(file, damage);
      const again = open();
      await again.append(id, [{ type: "rolledBack", numTurns: 1 }]);
      assert.deepEqual((await again.read(id)).at(-1), { type: "rolledBack", numTurns: 1 });
      assert.equal((await again.read(id)).length, 5);
    }
  });

  test("find returns what lists show, in the archive too, and without an index", async () => {
    const store = open();
    const id = await make(store, { text: "what is this?", source: { subAgent: "review" }, cwd: "/elsewhere" });
    await store.rename(id, "My thread");
    const expected = {
      id,
      preview: "what is this?",
      name: "My thread",
      createdAtMs: start,
      cwd: "/elsewhere",
      cliVersion: "1.2.3",
      source: { subAgent: "review" },
      originator: "test",
      modelProvider: "mock",
      archived: false,
      hasUserMessage: true,
    };
    const found = await open().find(id);
    assert.deepEqual({ ...found, ...expected }, found);
    await store.archive(id);
    const archived = await open().find(id);
    assert.equal(archived?.archived, true);
    assert.equal(archived?.path, path.join(home, "archived_sessions", path.basename(found?.path ?? "")));
    assert.equal((await store.read(id)).length, 4);
    assert.deepEqual(ids((await store.list(query())).threads), []);
    assert.deepEqual(ids((await store.list(query({ archived: true }))).threads), [id]);
    await store.unarchive(id);
    assert.equal((await store.find(id))?.path, found?.path);
    assert.deepEqual(ids((await store.list(query())).threads), [id]);
  });

  test("a thread whose id does not contain its day is found as well", async () => {
    const id = "5c1f9f3e-8d1a-4b6e-9d3e-0123456789ab";
    foreign({ id, ms: Date.parse("2020-03-01T10:00:00Z") });
    assert.equal((await open().find(id))?.preview, "from outside");
  });

  test("lists filter by provider, source, folder and text, and leave out threads without a user message", async () => {
    const store = open();
    const a = await make(store, { ms: start + 1, provider: "one", text: "Alpha 100%" });
    const b = await make(store, { ms: start + 2, source: "exec", cwd: "/b" });
    const c = await make(store, { ms: start + 3, source: { subAgent: { other: "x" } } });
    await make(store, { ms: start + 4, text: null });
    await store.rename(b, "Beta name");
    const list = async (change: Partial<ThreadQuery>): Promise<string[]> => ids((await store.list(query(change))).threads);
    assert.deepEqual(await list({}), [c, b, a]);
    assert.deepEqual(await list({ modelProviders: ["one"] }), [a]);
    assert.deepEqual(await list({ sourceKinds: ["exec", "cli"] }), [b]);
    assert.deepEqual(await list({ sourceKinds: ["subAgent"] }), [c]);
    assert.deepEqual(await list({ cwds: ["/b", "/c"] }), [b]);
    assert.deepEqual(await list({ searchTerm: "alpha" }), [a]);
    assert.deepEqual(await list({ searchTerm: "100%" }), [a]);
    assert.deepEqual(await list({ searchTerm: "0%_" }), []);
    assert.deepEqual(await list({ searchTerm: "beta" }), [b]);
    assert.equal((await store.list(query({ cwds: ["/b"] }))).threads[0]?.name, "Beta name");
  });

  test("pages are exact in both directions, with equal times and while threads are added", async () => {
    for (let i = 0; i < 40; i++) foreign({ ms: start + Math.floor(i / 9) * 1000, mtimeMs: start + 5000 });
    const store = open();
    for (const sortKey of ["created_at", "updated_at", "recency_at"] as const)
      for (const sortDirection of ["asc", "desc"] as const)
        for (const limit of [1, 7, 9, 40, 41]) {
          const seen = await pages(store, { sortKey, sortDirection, limit });
          assert.equal(new Set(ids(seen)).size, 40);
          assert.equal(seen.length, 40);
          const times = seen.map((thread) => (sortKey === "created_at" ? thread.createdAtMs : thread.updatedAtMs));
          assert.deepEqual(
            times,
            times.toSorted((x, y) => (sortDirection === "asc" ? x - y : y - x)),
          );
        }
    let later = 0;
    const before = await pages(store, { limit: 6 }, () => foreign({ ms: start + 60_000 + later++ }));
    assert.equal(new Set(ids(before)).size, before.length);
    assert.equal(before.length, 40);
  });

  test("the backwards cursor leads back to the previous page", async () => {
    for (let i = 0; i < 6; i++) foreign({ ms: start + i });
    const store = open();
    const first = await store.list(query({ limit: 2 }));
    const second = await store.list(query({ limit: 2, cursor: first.nextCursor }));
    const back = await store.list(query({ limit: 2, cursor: second.backwardsCursor, sortDirection: "asc" }));
    assert.deepEqual(ids(back.threads), ids(first.threads).reverse());
    assert.equal((await store.list(query({ searchTerm: "nothing" }))).backwardsCursor, null);
  });

  test("a cursor that is not ours is refused, quoting it", async () => {
    for (const cursor of ["garbage", "", "W10", "eyJhIjoxfQ", "2026-11-15T06-55-11|x"])
      await assert.rejects(open().list(query({ cursor })), { code: -32600, message: `invalid cursor: ${cursor}` });
  });

  test("the first page of a large home is ready long before the index, and is the same as afterwards", async () => {
    for (let i = 0; i < 1500; i++) foreign({ ms: start - i * 60_000, mtimeMs: start + i });
    const store = open();
    const first = await store.list(query({ limit: 20 }));
    assert.equal(first.threads.length, 20);
    const all = await pages(store, { limit: 100 });
    assert.equal(new Set(ids(all)).size, 1500);
    assert.deepEqual(ids(first.threads), ids(all.slice(0, 20)));
    assert.equal((await pages(store, { limit: 500, sortKey: "updated_at" }))[0]?.updatedAtMs, start + 1499);
    const later = open();
    assert.equal((await pages(later, { limit: 500, sortDirection: "asc" })).length, 1500);
  });

  test("files that other programs add, change, move and remove are noticed", async () => {
    const store = open();
    const a = foreign({ ms: start, text: "first" });
    assert.deepEqual(ids((await store.list(query())).threads), [a]);
    const b = foreign({ ms: start + 1000 });
    assert.deepEqual(ids((await store.list(query())).threads), [b, a]);
    const file = store.pathFor(a, start);
    appendFileSync(rolloutPath(home, a, start), "{}\n");
    utimesSync(file, (start + 9000) / 1000, (start + 9000) / 1000);
    assert.equal((await store.list(query())).threads[1]?.updatedAtMs, start + 9000);
    rmSync(rolloutPath(home, b, start + 1000));
    assert.deepEqual(ids((await store.list(query())).threads), [a]);
    appendFileSync(path.join(home, "session_index.jsonl"), `${JSON.stringify({ id: a, thread_name: "Named by Codex", updated_at: "" })}\n`);
    assert.equal((await store.list(query())).threads[0]?.name, "Named by Codex");
  });

  test("a list by last change shows other programs' changes to recent threads at once, and to old ones soon", async () => {
    const made = Array.from({ length: 1000 }, (_, i) => foreign({ ms: start - i * 60_000, mtimeMs: start - i * 1000 }));
    const before = open();
    await pages(before, { limit: 500 });
    await before.close();
    const change = (index: number, ms: number): string => {
      const file = rolloutPath(home, made[index] ?? "", start - index * 60_000);
      appendFileSync(file, "{}\n");
      utimesSync(file, ms / 1000, ms / 1000);
      return made[index] ?? "";
    };
    const store = open();
    await store.list(query({ limit: 2 })); // nothing that it looks at may stand for the check
    const [recent, old] = [change(200, start + 1000), change(950, start + 2000)];
    const newest = async () => ids((await store.list(query({ limit: 2, sortKey: "updated_at" }))).threads);
    assert.ok((await newest()).includes(recent));
    for (const end = Date.now() + 60_000; !(await newest()).includes(old) && Date.now() < end; ) await new Promise(setImmediate);
    assert.deepEqual(await newest(), [old, recent]);
  });

  test("a thread appears once it gets its first user message", async () => {
    const store = open();
    const id = await make(store, { text: null });
    assert.deepEqual((await store.list(query())).threads, []);
    await store.append(id, [userMessage("t2", "late")]);
    assert.equal((await store.list(query())).threads[0]?.preview, "late");
  });

  test("an index that is broken, of another version or gone is rebuilt", async () => {
    const id = foreign({ ms: start });
    await open().list(query());
    const file = path.join(home, "parley", "index.sqlite");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const breakIt = [
      () => writeFileSync(file, "this is no database, but it is long enough to look like one".repeat(40)),
      () => rmSync(file, { force: true }),
      () => writeFileSync(file, ""),
    ];
    for (const harm of breakIt) {
      for (const store of stores.splice(0)) await store.close();
      for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
      harm();
      assert.deepEqual(ids((await open().list(query())).threads), [id]);
    }
  });

  test("two stores on one home see each other's threads", async () => {
    const [one, two] = [open(), open()];
    const a = await make(one, { ms: start });
    assert.deepEqual(ids((await two.list(query())).threads), [a]);
    const b = await make(two, { ms: start + 1000 });
    assert.deepEqual(ids((await one.list(query())).threads), [b, a]);
    await one.delete(a);
    assert.deepEqual(ids((await two.list(query())).threads), [b]);
  });

  test("a thread that Codex reverted is one thread, and its newest file is current", async () => {
    const id = foreign({ ms: start, text: "asked first" });
    const main = rolloutPath(home, id, start);
    const shared = statSync(main).size;
    appendFileSync(
      main,
      `${JSON.stringify({ timestamp: new Date(start).toISOString(), type: "event_msg", payload: { type: "user_message", message: "reverted" } })}\n`,
    );
    const segment = idAt(start + 5000, 77);
    const later = main.replace(".jsonl", `_${segment}.jsonl`);
    const timestamp = new Date(start + 5000).toISOString();
    const meta = {
      id,
      timestamp,
      cwd: "/ws",
      source: "cli",
      history_mode: "paginated",
      history_base: { thread_id: id, end_byte_offset: shared },
    };
    writeFileSync(later, `${JSON.stringify({ timestamp, ordinal: 2, type: "session_meta", payload: meta })}\n`);
    const store = open();
    const listed = (await store.list(query())).threads;
    assert.deepEqual(ids(listed), [id]);
    assert.deepEqual([listed[0]?.path, listed[0]?.preview, listed[0]?.createdAtMs], [later, "asked first", start]);
    assert.deepEqual(
      replay(await store.read(id)).turns.map((turn) => turn.items.length),
      [1],
    );
    await store.append(id, [{ type: "rolledBack", numTurns: 1 }]);
    const last = readFileSync(later, "utf8").trimEnd().split("\n").at(-1) ?? "";
    assert.equal(JSON.parse(last).ordinal, 3);
    await store.archive(id);
    assert.equal(readdirSync(path.join(home, "archived_sessions")).length, 2);
  });

  test("search finds names, previews and messages, but not the instructions", async () => {
    const store = open();
    const a = await make(store, { ms: start, text: "the preview" });
    await store.append(a, [
      {
        type: "item",
        turnId: "t1",
        startedAtMs: 1,
        completedAtMs: 1,
        item: { type: "agentMessage", id: "a", text: 'an answer with "Quotes"\nin it' },
      },
    ]);
    const b = await make(store, { ms: start + 1000, text: "other" });
    await store.rename(b, "Named thing");
    const search = async (term: string): Promise<[string, string][]> =>
      (await store.search(term, 10)).hits.map((hit) => [hit.thread.id, hit.snippet]);
    assert.deepEqual(await search('"quotes"\nin'), [[a, 'an answer with "Quotes" in it']]);
    assert.deepEqual(await search("named"), [[b, "Named thing"]]);
    assert.deepEqual(await search("Be brief"), []);
    const first = await store.search("e", 1);
    assert.deepEqual([first.hits.map((hit) => hit.thread.id), first.nextCursor === null], [[b], false]);
    const second = await store.search("e", 1, { cursor: first.nextCursor });
    assert.deepEqual([second.hits.map((hit) => hit.thread.id), second.nextCursor], [[a], null]);
  });

  test("git facts are changed as Codex changes them", async () => {
    const store = open();
    const id = await make(store);
    await store.list(query());
    await store.updateGit(id, { sha: "abc", branch: "main", originUrl: null });
    assert.deepEqual(replay(await store.read(id)).meta?.git, { sha: "abc", branch: "main", originUrl: null });
    assert.deepEqual((await store.list(query())).threads[0]?.git, { sha: "abc", branch: "main", originUrl: null });
    assert.deepEqual((await store.find(id))?.git, { sha: "abc", branch: "main", originUrl: null });
  });

  test("a compressed rollout is listed, read, and decompressed when it is written to", async () => {
    const { zstdCompressSync } = await import("node:zlib");
    const id = foreign({ ms: start, text: "packed away" });
    const plain = rolloutPath(home, id, start);
    writeFileSync(`${plain}.zst`, zstdCompressSync(readFileSync(plain)));
    rmSync(plain);
    const store = open();
    assert.equal((await store.list(query())).threads[0]?.preview, "packed away");
    assert.equal(replay(await store.read(id)).turns.length, 1);
    await store.append(id, [{ type: "rolledBack", numTurns: 1 }]);
    assert.ok(existsSync(plain) && !existsSync(`${plain}.zst`));
    assert.equal(replay(await store.read(id)).turns.length, 0);
  });

  test("many threads are written with a bounded number of open files", async () => {
    const store = open();
    const made = await Promise.all(Array.from({ length: 400 }, (_, i) => make(store, { ms: start + i })));
    await store.find(made[0] ?? "");
    const all = readdirSync("/proc/self/fd").map((fd) => `/proc/self/fd/${fd}`);
    const opened = all.filter((fd) => existsSync(fd) && readlinkSync(fd).startsWith(home)); // other tests of this process have their own
    assert.ok(opened.length > 0 && opened.length <= 256 + 10, `${opened.length} descriptors`);
    assert.equal((await pages(store, { limit: 60 })).length, 400);
  });

  test("git facts of a paginated thread are stored outside its file, since Codex would lose its history over them", async () => {
    const id = foreign({ ms: start });
    const file = rolloutPath(home, id, start);
    const [first = "", ...rest] = readFileSync(file, "utf8").split("\n");
    const meta = JSON.parse(first);
    writeFileSync(
      file,
      [JSON.stringify({ ...meta, ordinal: 0, payload: { ...meta.payload, history_mode: "paginated" } }), ...rest].join("\n"),
    );
    const before = readFileSync(file, "utf8");
    await open().updateGit(id, { sha: "abc", branch: null, originUrl: null });
    assert.equal(readFileSync(file, "utf8"), before);
    assert.equal((await open().find(id))?.git?.sha, "abc");
    assert.equal((await open().list(query())).threads[0]?.git?.sha, "abc");
  });

  test("disk errors are reported in plain language", async () => {
    const store = open();
    const id = await make(store);
    writeFileSync(path.join(home, "archived_sessions"), "a file where the folder should be");
    await assert.rejects(store.archive(id), { code: -32600, message: /^the thread cannot be moved: / });
    mkdirSync(path.join(home, "session_index.jsonl"));
    await assert.rejects(store.rename(id, "x"), { code: -32600, message: /^the name cannot be stored: / });
  });
});

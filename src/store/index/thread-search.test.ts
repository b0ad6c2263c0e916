/** Search over the full-text index finds what reading every file would find, whatever has happened to the files and to the index. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, afterEach, before, describe, test } from "node:test";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { Names } from "./names.ts";
import { ThreadIndex } from "./thread-index.ts";
import { searchThreads } from "./thread-search.ts";

const start = Date.UTC(2026, 0, 2, 6);
const idOf = (n: number): string => `0199aaaa-0000-7000-8000-${String(n).padStart(12, "0")}`;
const event = (type: string, message: string): string =>
  `${JSON.stringify({ timestamp: new Date(start).toISOString(), type: "event_msg", payload: { type, message } })}\n`;

const messages = [
  "The quick brown fox_jumps over theLazyDog at /usr/local/bin",
  'He said: "a+b->c", twice.\nAnd then 3.14159 ÷ 2',
  "検索の索引は小さい。ภาษาไทย",
  "Ünïcode İstanbul straße ΟΔΟΣ e\u0301clair 𐐀𐐁",
  `data ${"0123456789abcdef".repeat(8)} end`,
  "NEAR AND OR NOT * ^ () column: filter",
  "emoji 👩‍💻 between 🎉party",
  Array.from({ length: 21_000 }, (_, i) => `w${i}`).join(" "),
  "x",
];
const terms = [
  ...[
    "quick",
    "QUICK BROWN",
    "uick bro",
    "jumps over",
    "fox_j",
    "azydog",
    "lazyd",
    "/usr/loc",
    "r/local/b",
    "bin",
    "in",
    "n",
    "dog at",
    "dog  at",
  ],
  ...['said: "a+', "->", "+b->c", "twice.\nand", "3.14", "14159", "÷", ". ", "検索", "索引は", "小", "小さい。ภา", "ภาษา", "引"],
  ...["ünï", "istanbul", "stanbul", "İstanbul", "strasse", "straße", "οδος", "e\u0301", "clair", "\u0301cl", "𐐀𐐁", "\ud801", "\udc01x"],
  ...["data 0123", "cdef0123456789", "0123456789abcdef".repeat(8), "f end", "0".repeat(70), "near", "and or", "*", "(", '"', "column:"],
  ...[
    "👩",
    "💻 bet",
    "🎉party",
    "party",
    "w20999",
    "w2099",
    "w20998 w20999",
    "20999",
    "8 w20999",
    "x",
    "nothing",
    "nothing like this",
    "\ue000",
  ],
];

describe("search over the full-text index", () => {
  let home = "";
  const open = new Set<ThreadIndex>();
  const fileOf = (n: number): string => path.join(home, "sessions", "2026", "01", "02", `rollout-2026-01-02T06-00-00-${idOf(n)}.jsonl`);
  const write = (n: number, ...texts: readonly string[]): void => {
    const meta = { id: idOf(n), timestamp: new Date(start + n).toISOString(), cwd: "/p", originator: "x", cli_version: "1", source: "cli" };
    const head = `${JSON.stringify({ timestamp: meta.timestamp, type: "session_meta", payload: { ...meta, model_provider: "p" } })}\n`;
    writeFileSync(fileOf(n), head + event("user_message", `question ${n}`) + texts.map((text) => event("agent_message", text)).join(""));
  };
  /** Its clock is ahead, so that files count as settled. */
  const openIndex = (now = () => Date.now() + 60_000): ThreadIndex => {
    const index = new ThreadIndex({ home, names: new Names(home), now });
    open.add(index);
    return index;
  };
  const built = async (): Promise<ThreadIndex> => {
    const index = openIndex();
    await index.list({ ...everything });
    await index.completeTexts();
    return index;
  };
  const found = async (index: ThreadIndex, term: string, among: Partial<ThreadQuery> = {}): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page: Awaited<ReturnType<typeof searchThreads>> = await searchThreads(index, term, 25, { ...among, cursor });
      ids.push(...page.hits.map(({ thread }) => thread.id));
      cursor = page.nextCursor;
      if (cursor === null) return ids;
    }
  };
  const inDatabase = <T>(work: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(path.join(home, "parley", "index.sqlite"), { defensive: false });
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  const stored = (): number => inDatabase((db) => Number(db.prepare("SELECT count(*) AS n FROM files WHERE in_texts = 1").get()?.["n"]));

  before(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-search-"));
    mkdirSync(path.dirname(fileOf(0)), { recursive: true });
  });
  afterEach(async () => {
    for (const index of open) await index.close();
    open.clear();
    for (const folder of ["parley", "archived_sessions", "session_index.jsonl"])
      rmSync(path.join(home, folder), { recursive: true, force: true });
    for (let n = 0; n < 40; n++) rmSync(fileOf(n), { force: true });
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  test("finds parts of words, signs, every script and long data exactly where reading the files finds them", async () => {
    for (const [n, text] of messages.entries()) write(n, "an answer", text);
    const plain = openIndex();
    const expected = new Map<string, string[]>();
    for (const term of terms) expected.set(term, await found(plain, term));
    await plain.completeTexts();
    assert.equal(stored(), messages.length);
    for (const term of terms) assert.deepEqual(await found(plain, term), expected.get(term), JSON.stringify(term));
    assert.ok([...expected.values()].filter((ids) => ids.length === 1).length > 30, "most terms are in one message");
  });

  test("files without the text are not read", async () => {
    for (let n = 0; n < 30; n++) {
      write(n, n === 7 ? "the needle" : "hay");
      utimesSync(fileOf(n), new Date(start), new Date(start));
    }
    const index = await built();
    // The index knows them by size and time: what has changed without either is not noticed, which shows that nobody reads them.
    for (let n = 0; n < 30; n++) replaceUnnoticed(fileOf(n), n === 7 ? ["needle", "noodle"] : ["hay", "ned"]);
    assert.deepEqual(await found(index, "ned"), []);
    assert.deepEqual(await found(index, "needle"), [], "the file decides");
  });

  test("what was appended, rewritten, added, moved, renamed and deleted since is found where it is now", async () => {
    for (let n = 0; n < 4; n++) write(n, `common word${n}`);
    const index = await built();
    appendFileSync(fileOf(0), event("agent_message", "appended"));
    index.touch(fileOf(0));
    appendFileSync(fileOf(1), event("agent_message", "by another program"));
    write(9, "common newcomer");
    mkdirSync(path.join(home, "archived_sessions"));
    const archived = path.join(home, "archived_sessions", path.basename(fileOf(2)));
    renameSync(fileOf(2), archived);
    rmSync(fileOf(3));
    for (const file of [fileOf(2), archived, fileOf(3)]) index.touch(file);
    writeFileSync(path.join(home, "session_index.jsonl"), `${JSON.stringify({ id: idOf(1), thread_name: "Named so" })}\n`);
    const check = async (): Promise<void> => {
      assert.deepEqual(await found(index, "appended"), [idOf(0)]);
      assert.deepEqual(await found(index, "another prog"), [idOf(1)]);
      assert.deepEqual(await found(index, "named SO"), [idOf(1)]);
      assert.deepEqual(await found(index, "common"), [9, 1, 0].map(idOf));
      assert.deepEqual(await found(index, "word2", { archived: true }), [idOf(2)]);
      assert.deepEqual([await found(index, "word2"), await found(index, "word3")], [[], []]);
    };
    await check();
    await index.completeTexts();
    assert.equal(stored(), 4);
    await check();
    write(1, "rewritten shorter");
    assert.deepEqual([await found(index, "another prog"), await found(index, "shorter")], [[], [idOf(1)]]);
    const rows = inDatabase((db) => db.prepare("SELECT count(*) AS n FROM texts").get()?.["n"]);
    assert.equal(rows, 4, "nothing is left of those that are gone");
  });

  test("one process builds at a time; another goes on where a killed one stopped", async () => {
    for (let n = 0; n < 3; n++) write(n, `text ${n}`);
    const index = openIndex();
    await index.list({ ...everything });
    const claim = (untilMs: number): unknown =>
      inDatabase((db) => db.prepare("INSERT OR REPLACE INTO text_builder VALUES (1, 'another', ?)").run(untilMs));
    claim(Date.now() + 80_000);
    await index.completeTexts();
    assert.equal(stored(), 0);
    assert.deepEqual(await found(index, "ext 1"), [idOf(1)], "searches do not wait for it");
    claim(Date.now());
    await index.completeTexts();
    assert.equal(stored(), 3);
    claim(Date.now() + 9e9); // made before the clock was set back
    write(3, "text 3");
    await index.list({ ...everything });
    await index.completeTexts();
    assert.equal(stored(), 4);
  });

  test("a file that is being written is read by searches, and stored when it has settled", async () => {
    write(0, "still growing");
    const index = openIndex(Date.now);
    await index.list({ ...everything });
    await index.completeTexts();
    assert.equal(stored(), 0);
    assert.deepEqual(await found(index, "growing"), [idOf(0)]);
  });

  test("a full-text index that is damaged or gone is built anew, and searches are answered meanwhile", async () => {
    for (let n = 0; n < 3; n++) write(n, `sound ${n}`);
    for (const harm of [
      "DROP TABLE texts",
      `UPDATE texts_data SET block = x'${"ff".repeat(50)}'`,
      "DROP TABLE words",
      "DROP TABLE text_builder",
    ]) {
      await (await built()).close();
      inDatabase((db) => db.exec(harm));
      const index = openIndex();
      assert.deepEqual(await found(index, "ound 1"), [idOf(1)], harm);
      await index.list({ ...everything });
      await index.completeTexts();
      assert.deepEqual(await found(index, "ound 2"), [idOf(2)], harm);
      await index.close();
    }
  });

  test("where no index can be written, the files are read", async () => {
    write(0, "unwritable");
    writeFileSync(path.join(home, "parley"), "a file where the folder should be");
    const index = openIndex();
    await index.list({ ...everything });
    assert.deepEqual(await found(index, "unwrit"), [idOf(0)]);
  });
});

const everything: ThreadQuery = {
  ...{ cursor: null, limit: 25, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
};

/** Changes a file's content, and neither its size nor its time. */
function replaceUnnoticed(file: string, [from, to]: readonly [string, string]): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
  utimesSync(file, new Date(start), new Date(start));
}

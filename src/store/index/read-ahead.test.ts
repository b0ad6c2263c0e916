/** What was read ahead of a request counts only while nobody has written, and is not read while somebody waits. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { openIndex } from "./open-index.ts";
import { ReadAhead } from "./read-ahead.ts";
import type { IndexRow, SqliteIndex } from "./sqlite-index.ts";

const id = "0199aaaa-0000-7000-8000-000000000001";
const row: IndexRow = {
  ...{ path: `/s/rollout-2026-01-02T03-04-05-${id}.jsonl`, id, segment: id, archived: false, createdMs: 1, updatedMs: 2.5, size: 3 },
  ...{ hasUser: true, preview: "first", cwd: "/p", provider: "p", sourceKind: "cli", sharedFacts: "{}", facts: "{}" },
};
const query: ThreadQuery = {
  ...{ cursor: null, limit: 10, sortKey: "created_at", sortDirection: "desc", archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
};
/** Not the beginning of the list, which is kept at once. */
const options = { after: { ms: 2, id: "" }, named: [], narrowing: undefined };

describe("rows that were read ahead", () => {
  let home = "";
  let own: SqliteIndex;
  let other: SqliteIndex;
  before(async () => {
    home = mkdtempSync(path.join(tmpdir(), "parley-ahead-"));
    own = await openIndex(path.join(home, "index.sqlite"));
    other = await openIndex(path.join(home, "index.sqlite"));
    own.transaction(() => own.put(row));
  });
  after(() => {
    own.close();
    other.close();
    rmSync(home, { recursive: true, force: true });
  });
  const put = (db: SqliteIndex, changes: Partial<IndexRow>): void => db.transaction(() => db.put({ ...row, ...changes }));

  test("are those of the next request for the same page, once", () => {
    own.preparePage(query, options);
    own.database.exec("UPDATE files SET preview = 'unnoticed'"); // as nobody writes here: it shows what was read before
    const preview = (limit = query.limit): string | undefined => own.page({ ...query, limit }, options).rows[0]?.preview;
    assert.equal(preview(), "first");
    assert.equal(preview(), "unnoticed");
    own.preparePage(query, options);
    own.database.exec("UPDATE files SET preview = 'later'");
    assert.equal(preview(9), "later", "another page");
  });

  test("are read again after a write, by this process or another", () => {
    for (const db of [own, other]) {
      const preview = db === own ? "ours" : "another's";
      own.preparePage(query, options);
      put(db, { preview });
      assert.equal(own.page(query, options).rows[0]?.preview, preview);
      own.prepareNewest(5);
      put(db, { preview, size: preview.length });
      assert.equal(own.newestStates(5)[0]?.size, preview.length);
    }
    own.prepareNewest(5);
    assert.deepEqual(own.newestStates(5), [{ path: row.path, updatedMs: 2.5, size: "another's".length, hasUser: true }]);
  });
});

test("what is planned runs after answers have left, not when it was cancelled or replaced, and may fail", async () => {
  const ran: string[] = [];
  const ahead = new ReadAhead();
  const step = (name: string) => () => void ran.push(name);
  ahead.plan([step("replaced")]);
  ahead.plan([step("planned"), step("and its second step")]);
  const answered = setImmediate().then(() => ran.push("answered"));
  await answered;
  await setImmediate();
  assert.deepEqual(ran, ["answered", "planned"]);
  await setImmediate();
  const done = ["answered", "planned", "and its second step"];
  assert.deepEqual(ran, done);
  ahead.plan([step("cancelled")]);
  ahead.cancel();
  const fails = (): void => {
    throw new Error("locked");
  };
  ahead.plan([fails, step("after a failure")]);
  for (let i = 0; i < 4; i++) await setImmediate();
  assert.deepEqual(ran, done);
  ahead.plan([step("first"), ahead.cancel.bind(ahead), step("after a list came")]);
  for (let i = 0; i < 5; i++) await setImmediate();
  assert.deepEqual(ran, [...done, "first"]);
});

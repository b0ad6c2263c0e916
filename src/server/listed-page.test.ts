/** Rows of a list that are written as text: what threads have in common is written once, and what they have not is each one's own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoredThread } from "../core/ports/thread-store.ts";
import type { App } from "./app.ts";
import { listedPage, plainWriter } from "./listed-page.ts";
import { type CommonFacts, commonToWire, type OwnFacts, ownToWire } from "./stored-thread.ts";

const base: StoredThread = {
  ...{ id: "0199aaaa-0000-7000-8000-000000000001", path: "/p/1.jsonl", preview: 'first "one"', name: null, sessionId: null },
  ...{ createdAtMs: 1_500, updatedAtMs: 2_500, cwd: "/p", cliVersion: "1", source: "cli", originator: "x", modelProvider: "p" },
  ...{ archived: false, forkedFromId: null, parentThreadId: null, threadSource: null, historyMode: "legacy", git: null },
  hasUserMessage: true,
};
const other: Required<OwnFacts & CommonFacts> = {
  ...{ id: "0199aaaa-0000-7000-8000-000000000002", path: "/p/2.jsonl", preview: "second\n", name: "named", sessionId: "s" },
  ...{ createdAtMs: 3_500, updatedAtMs: 4_500, cwd: "/q", cliVersion: "2", source: "vscode", originator: "y", modelProvider: "q" },
  ...{ forkedFromId: "f", parentThreadId: "a", threadSource: "t", historyMode: "paginated" },
  git: { sha: "abc", branch: "main", originUrl: null },
};

test("a thread that differs from the one before in any single fact is written as if it were alone", () => {
  for (const key of Object.keys(other) as (keyof typeof other)[]) {
    const written = plainWriter();
    const differs = { ...base, [key]: other[key] };
    for (const stored of [base, differs, differs, base])
      assert.deepEqual(JSON.parse(written(stored)), JSON.parse(JSON.stringify({ ...ownToWire(stored), ...commonToWire(stored) })), key);
    assert.notEqual(written(differs), written(base), key);
  }
});

test("a page that is kept shows marks and places that came after it was written, and those that went", async () => {
  const [places, marks] = [new Map<string, object>(), new Map<string, object>()];
  const app = {
    ...{
      threadTexts: new WeakMap(),
      threads: { count: 0, find: () => undefined },
      relay: { hasElsewhere: false, statusElsewhere: () => undefined },
    },
    lists: { places: async () => places, readMarks: { of: async () => marks } },
  } as unknown as App;
  const threads = [base, { ...base, id: other.id }];
  const shown = async () => JSON.parse((await listedPage({ threads, isKept: true, nextCursor: "n", backwardsCursor: null }, app)).text);
  const plain = await shown();
  assert.deepEqual(Object.keys(plain.readStates), [base.id, other.id]);
  marks.set(other.id, { marked: true });
  assert.deepEqual(await shown(), { ...plain, readStates: { ...plain.readStates, [other.id]: { marked: true } } });
  marks.clear();
  places.set(base.id, { section: "s", sectionEnteredMs: 5_000, projectId: "p" });
  const placed = { ...plain.data[0], section: "s", sectionEnteredAt: 5, projectId: "p" };
  assert.deepEqual(await shown(), { ...plain, data: [placed, plain.data[1]] });
  places.clear();
  assert.deepEqual(await shown(), plain);
});

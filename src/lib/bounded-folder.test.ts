import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { entriesOf, firstEntriesSync, namesOf } from "./bounded-folder.ts";

test("no more entries than the limit are read, at once or one by one", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-entries-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (let i = 0; i < 1500; i++) writeFileSync(path.join(folder, `f${i}`), "");
  assert.deepEqual([firstEntriesSync(folder, 10).entries.length, firstEntriesSync(folder, 10).isCut], [10, true]);
  assert.deepEqual([firstEntriesSync(folder, 1500).entries.length, firstEntriesSync(folder, 1500).isCut], [1500, false]);
  assert.deepEqual([namesOf(folder, 10).toArray().length, namesOf(folder).toArray().length], [10, 1500]);
  const names = new Set<string>();
  for await (const entry of entriesOf(folder)) {
    names.add(entry.name);
    if (names.size === 700) break;
  }
  assert.equal(names.size, 700);
  for (const nothing of [path.join(folder, "none"), path.join(folder, "f1")]) {
    assert.deepEqual(firstEntriesSync(nothing, 10), { entries: [], isCut: false });
    assert.deepEqual(namesOf(nothing).toArray(), []);
    for await (const entry of entriesOf(nothing)) assert.fail(entry.name);
  }
});

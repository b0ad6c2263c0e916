import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { LogFile, type LogLimits } from "./log-file.ts";

const limits: LogLimits = { fileBytes: 100, folderBytes: 400, days: 3 };
const noon = Date.UTC(2026, 7, 22, 12);
const day = 24 * 3600_000;

function place(t: TestContext) {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), "parley-logs-")), "log");
  t.after(() => rmSync(path.dirname(folder), { recursive: true, force: true }));
  const clock = { now: noon };
  const file = new LogFile(
    () => folder,
    () => clock.now,
    limits,
  );
  t.after(() => file.close());
  return { folder, clock, file, names: () => readdirSync(folder).sort() };
}
const line = (n: number): string => `${String(n).padStart(39, "0")}\n`;

test("nothing is created before the first line", (t) => {
  const { folder, file } = place(t);
  assert.equal(existsSync(folder), false);
  file.write("a\n");
  assert.deepEqual(readdirSync(folder), ["parley-2026-08-22.log"]);
});

test("the pause after an error also ends when the clock is set back", (t) => {
  const { folder, file, clock } = place(t);
  writeFileSync(folder, "in the way");
  file.write("lost\n");
  rmSync(folder);
  file.write("lost too\n");
  assert.equal(existsSync(folder), false);
  clock.now -= day;
  file.write("there\n");
  assert.deepEqual(readdirSync(folder), ["parley-2026-08-21.log"]);
});

test("a full file is followed by a new one, and the folder never exceeds its limit", (t) => {
  const { folder, file, names } = place(t);
  for (let n = 0; n < 60; n++) file.write(line(n));
  const total = names().reduce((sum, name) => sum + readFileSync(path.join(folder, name)).length, 0);
  assert.ok(total <= limits.folderBytes, `${total}`);
  const last = names()
    .map((name) => readFileSync(path.join(folder, name), "utf8"))
    .join("");
  assert.ok(last.includes(line(59)) && last.includes(line(58)), "the newest lines stay");
  assert.ok(!last.includes(line(0)), "the oldest go");
});

test("a new day has a new file, and old files are deleted", (t) => {
  const { clock, file, names } = place(t);
  for (let n = 0; n < 6; n++) {
    file.write("x\n");
    clock.now += day;
  }
  assert.deepEqual(names(), ["parley-2026-08-24.log", "parley-2026-08-25.log", "parley-2026-08-26.log", "parley-2026-08-27.log"]);
});

test("other files in the folder are left alone", (t) => {
  const { folder, clock, file, names } = place(t);
  mkdirSync(folder);
  writeFileSync(path.join(folder, "notes.log"), "mine".repeat(1000));
  writeFileSync(path.join(folder, "parley-2020-01-01.log"), "old");
  clock.now += 0;
  file.write("x\n");
  assert.deepEqual(names(), ["notes.log", "parley-2026-08-22.log"]);
});

test("two writers share a day's file line by line", (t) => {
  const { folder, file, clock } = place(t);
  const other = new LogFile(
    () => folder,
    () => clock.now,
    { ...limits, fileBytes: 10_000, folderBytes: 100_000 },
  );
  file.write("one\n");
  other.write("two\n");
  file.write("three\n");
  other.close();
  assert.equal(readFileSync(path.join(folder, "parley-2026-08-22.log"), "utf8"), "one\ntwo\nthree\n");
});

test("with a folder that cannot be created lines are lost, nothing is thrown, and it is retried later", (t) => {
  const { folder, file, clock, names } = place(t);
  writeFileSync(folder, "in the way");
  file.write("lost\n");
  rmSync(folder);
  file.write("still lost\n");
  clock.now += 61_000;
  file.write("kept\n");
  assert.equal(readFileSync(path.join(folder, names()[0] ?? ""), "utf8"), "kept\n");
});

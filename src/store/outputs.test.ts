import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Log } from "../core/ports/log.ts";
import { createOutputFiles } from "./outputs.ts";

describe("files of long tool results", () => {
  let home = "";
  const warned: string[] = [];
  const log: Log = { debug() {}, info() {}, error() {}, warn: (text) => void warned.push(text) };
  const clock = { now: () => Date.now(), sleep: async () => {} };
  const files = () => createOutputFiles({ codexHome: home, clock, log });
  const folder = () => path.join(home, "parley", "outputs");
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-outputs-"));
    warned.length = 0;
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("are their owner's alone, and never written through a link or over another", async () => {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    symlinkSync(path.join(home, "elsewhere"), path.join(folder(), "a_b.txt"));
    const first = await files().keep("a/b", "one");
    const second = await files().keep("a/b", "two");
    assert.deepEqual(
      [first, second].map((file) => path.basename(file ?? "")),
      ["a_b.1.txt", "a_b.2.txt"],
    );
    assert.equal(readFileSync(second ?? "", "utf8"), "two");
    assert.equal(statSync(first ?? "").mode & 0o777, 0o600);
    assert.ok(!readdirSync(home).includes("elsewhere"));
  });

  it("stay in their folder, whatever a model calls them", async () => {
    for (const name of ["../../../../etc/passwd", "..", "", "x".repeat(5000), "\0\n", "ünïcode"]) {
      const file = (await files().keep(name, "text")) ?? "";
      assert.equal(path.dirname(file), folder());
      assert.equal(path.basename(file), path.basename(file).replace(/[^\w.-]/g, ""));
    }
  });

  it("are bounded in size, number and age", async () => {
    mkdirSync(folder(), { recursive: true });
    for (let i = 0; i < 450; i++) writeFileSync(path.join(folder(), `old${i}.txt`), "x");
    const long = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
    for (let i = 0; i < 50; i++) utimesSync(path.join(folder(), `old${i}.txt`), long, long);
    const file = (await files().keep("new", "é".repeat(20_000_000))) ?? "";
    const names = readdirSync(folder());
    assert.ok(names.length <= 400 && names.includes("new.txt"), `${names.length} files`);
    assert.ok(!names.includes("old0.txt"));
    assert.ok(statSync(file).size <= 16 * 1024 * 1024);
  });

  it("are done without where they cannot be written", async () => {
    writeFileSync(path.join(home, "parley"), "a file in the way");
    assert.equal(await files().keep("name", "text"), undefined);
    assert.equal(warned.length, 1);
  });
});

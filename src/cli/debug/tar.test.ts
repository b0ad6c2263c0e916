import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { tarOf } from "./tar.ts";

test("tar extracts the files that were archived", (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-tar-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const texts: readonly (readonly [string, string])[] = [
    ["a/empty.txt", ""],
    ["a/b/exact.txt", "x".repeat(512)],
    ["a/words.txt", "ünd 世界\n".repeat(300)],
  ];
  writeFileSync(path.join(folder, "x.tar"), tarOf(texts));
  execFileSync("tar", ["-xf", "x.tar"], { cwd: folder });
  for (const [name, text] of texts) assert.equal(readFileSync(path.join(folder, name), "utf8"), text);
  assert.throws(() => tarOf([["n".repeat(101), ""]]), /too long/);
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { isFresh, takeStamp } from "./built-from.ts";

function inCheckout(run: (root: string, dist: string) => void): void {
  const root = mkdtempSync(path.join(tmpdir(), "parley-stamp-"));
  try {
    for (const folder of ["src/a", "scripts", "dist"]) mkdirSync(path.join(root, folder), { recursive: true });
    for (const file of ["src/a/one.ts", "src/a/one.test.ts", "src/two.md", "package.json", "package-lock.json", "scripts/build.ts"])
      writeFileSync(path.join(root, file), file);
    const dist = path.join(root, "dist");
    writeFileSync(path.join(dist, "stamp.json"), takeStamp(root));
    run(root, dist);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
const changes: Readonly<Record<string, (root: string) => void>> = {
  "a source changes": (root) => writeFileSync(path.join(root, "src/a/one.ts"), "changed"),
  "a source changes and keeps its length": (root) => {
    writeFileSync(path.join(root, "src/a/one.ts"), "src/a/eno.ts");
    utimesSync(path.join(root, "src/a/one.ts"), 1, 1);
  },
  "a source comes": (root) => writeFileSync(path.join(root, "src/a/new.ts"), ""),
  "a folder comes": (root) => mkdirSync(path.join(root, "src/b")),
  "a source goes": (root) => rmSync(path.join(root, "src/two.md")),
  "the lockfile changes": (root) => writeFileSync(path.join(root, "package-lock.json"), "{}"),
};
for (const [name, change] of Object.entries(changes))
  test(`a bundle is old when ${name}`, () =>
    inCheckout((root, dist) => {
      assert.equal(isFresh(dist), true);
      change(root);
      assert.equal(isFresh(dist), false);
    }));

test("a bundle stays fresh when only times or tests change", () =>
  inCheckout((root, dist) => {
    utimesSync(path.join(root, "src/a/one.ts"), 1, 1);
    writeFileSync(path.join(root, "src/a/one.test.ts"), "other");
    writeFileSync(path.join(root, "src/a/two.test.ts"), "new");
    assert.equal(isFresh(dist), true);
  }));

test("a bundle without a stamp has no sources to differ from", () =>
  inCheckout((_root, dist) => {
    rmSync(path.join(dist, "stamp.json"));
    assert.equal(isFresh(dist), true);
  }));

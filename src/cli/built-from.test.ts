import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { isFresh, takeStamp, writeStamps } from "./built-from.ts";

function inCheckout(run: (root: string, dist: string) => void): void {
  const root = mkdtempSync(path.join(tmpdir(), "parley-stamp-"));
  try {
    const dist = path.join(root, "dist");
    for (const folder of ["src/a", "dist"]) mkdirSync(path.join(root, folder), { recursive: true });
    const files = ["src/a/one.ts", "src/two.ts", "package-lock.json"];
    for (const file of ["src/door.ts", "src/server.ts", ...files]) writeFileSync(path.join(root, file), file);
    writeStamps(dist, {
      door: takeStamp(root, ["src/door.ts"]),
      server: takeStamp(root, ["src/server.ts"]),
      rest: takeStamp(root, files),
    });
    assert.equal(isFresh(dist, "rest"), true);
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
  "a source goes": (root) => rmSync(path.join(root, "src/two.ts")),
  "the lockfile changes": (root) => writeFileSync(path.join(root, "package-lock.json"), "{}"),
};
for (const [name, change] of Object.entries(changes))
  test(`a bundle is stale when ${name}`, () =>
    inCheckout((root, dist) => {
      change(root);
      assert.equal(isFresh(dist, "rest"), false);
    }));

test("a bundle stays fresh when only times change, or files outside its sources", () =>
  inCheckout((root, dist) => {
    utimesSync(path.join(root, "src/a/one.ts"), 1, 1);
    writeFileSync(path.join(root, "src/a/one.test.ts"), "new");
    assert.equal(isFresh(dist, "rest"), true);
  }));

test("a bundle without a stamp has no sources to differ from", () =>
  inCheckout((root, dist) => {
    rmSync(path.join(dist, "rest.stamp.json"));
    rmSync(path.join(root, "src"), { recursive: true });
    assert.equal(isFresh(dist, "rest"), true);
  }));

test("each part of a bundle has its own sources", () =>
  inCheckout((root, dist) => {
    writeFileSync(path.join(root, "src/door.ts"), "changed");
    rmSync(path.join(root, "src/server.ts"));
    assert.deepEqual(
      (["door", "server", "rest"] as const).map((part) => isFresh(dist, part)),
      [false, false, true],
    );
  }));

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { isFresh, takeStamp, writeStamps } from "./built-from.ts";

/** So many sources are looked at in a way of their own. */
const many = Array.from({ length: 200 }, (_, i) => `src/a/many-${i}.ts`);

function inCheckout(run: (root: string, dist: string) => void): void {
  const root = mkdtempSync(path.join(tmpdir(), "parley-stamp-"));
  try {
    const dist = path.join(root, "dist");
    for (const folder of ["src/a", "dist"]) mkdirSync(path.join(root, folder), { recursive: true });
    const files = ["src/a/one.ts", "src/two.ts", "package-lock.json", ...many];
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

/** What the check would rely on in a Node that keeps its numbers elsewhere, or hands them to nobody. */
const otherNodes: Readonly<Record<string, unknown>> = {
  "none at all": undefined,
  "a refusal": () => {
    throw new Error("denied");
  },
  "nothing about files": () => ({}),
  "the size and the time of creation": () => ({
    stat: (file: string) => {
      const found = statSync(file, { throwIfNoEntry: false });
      const seconds = Math.floor((found?.birthtimeMs ?? 0) / 1000);
      return { 8: found?.size, 12: seconds, 13: ((found?.birthtimeMs ?? 0) - seconds * 1000) * 1_000_000 };
    },
  }),
};
for (const [name, binding] of Object.entries(otherNodes))
  test(`changed sources are noticed also where Node's own numbers are ${name}`, () =>
    inCheckout((root, dist) => {
      const own = Reflect.get(process, "binding");
      Reflect.set(process, "binding", binding);
      try {
        assert.equal(isFresh(dist, "rest"), true);
        writeFileSync(path.join(root, "src/a/one.ts"), "src/a/eno.ts");
        utimesSync(path.join(root, "src/a/one.ts"), 1, 1);
        assert.equal(isFresh(dist, "rest"), false);
      } finally {
        Reflect.set(process, "binding", own);
      }
    }));

test("looking at hundreds of sources makes no object for each, which takes longer than looking", () =>
  inCheckout((_root, dist) => {
    const looks: string[] = [];
    const own = Reflect.get(process, "binding");
    const { stat } = own.call(process, "fs");
    const noting = (file: string, ...rest: readonly unknown[]): unknown => {
      looks.push(file);
      return stat(file, ...rest);
    };
    Reflect.set(process, "binding", () => ({ stat: noting }));
    try {
      assert.equal(isFresh(dist, "rest"), true);
    } finally {
      Reflect.set(process, "binding", own);
    }
    assert.deepEqual(
      looks.map((file) => path.basename(file)),
      ["rest.stamp.json", "one.ts", "two.ts", "package-lock.json", ...many.map((file) => path.basename(file))],
    );
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

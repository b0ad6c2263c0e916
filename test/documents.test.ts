/** Checks what the documents and source files claim against the facts. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const root = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

test("docs/dependencies.md gives a reason for each dependency, and for no other", () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
  const [documented = ""] = read("docs/dependencies.md").split("## Outside the lockfile");
  const named = [...documented.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) => (cell === "package" ? [] : cell.split(", ")));
  assert.deepEqual(named.toSorted(), Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).toSorted());
});

test("the pages that are read first stay short", () => {
  assert.ok(read("AGENTS.md").split("\n").length <= 150);
  assert.ok(read("ARCHITECTURE.md").split("\n").length <= 100);
});

test("every source begins with what it is and whom it serves", () => {
  const silent = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.endsWith(".test.ts") && !read(file).startsWith("/**"));
  assert.deepEqual(silent, []);
});

test("no file names a folder of the machine it was written on or a package registry", () => {
  const files = globSync(["*.{md,json}", "{src,scripts,test,docs,bin,examples,.ci}/**/*", "apps/*/{src,test,media}/**/*"], {
    cwd: root,
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  const telling = /\/work\/|registry\.npmjs/;
  assert.deepEqual(
    files.filter((file) => telling.test(read(file))),
    [],
  );
});

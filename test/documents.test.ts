/** What the documents and the files say of themselves is held to the facts. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const root = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

test("every dependency has its reason in docs/dependencies.md", () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
  const reasons = read("docs/dependencies.md");
  const family = (name: string): string =>
    name.startsWith("@types/") ? "@types/*" : name.replace("@modelcontextprotocol/server", "/server");
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter((name) => !/^node-/.test(name));
  assert.deepEqual(
    names.filter((name) => !reasons.includes(family(name))),
    [],
  );
});

test("the pages that one reads first stay short", () => {
  assert.ok(read("AGENTS.md").split("\n").length <= 150);
  assert.ok(read("ARCHITECTURE.md").split("\n").length <= 100);
});

test("every source begins with what it is and whom it serves", () => {
  const silent = globSync("src/**/*.{ts,tsx}", { cwd: root }).filter((file) => !file.endsWith(".test.ts") && !read(file).startsWith("/**"));
  assert.deepEqual(silent, []);
});

test("no file names a folder of the machine it was written on or a package registry", () => {
  const files = globSync(["*.{md,json}", "{src,scripts,test,docs,bin,.ci}/**/*"], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  const telling = /\/work\/|registry\.npmjs/;
  assert.deepEqual(
    files.filter((file) => telling.test(read(file))),
    [],
  );
});

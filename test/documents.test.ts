/** Checks what the documents and source files claim against the facts. */
import assert from "node:assert/strict";
import { globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { createConfigStore } from "../src/config/load.ts";
import { builtInProvider, builtInProviderIds } from "../src/models/providers.ts";
import { scenarioFromValue } from "../src/models/scenario.ts";
import { deletedWith } from "./support/ending.ts";

const root = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(root, file), "utf8");

test("docs/dependencies.md gives a reason for each dependency, and for no other", () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
  const [documented = ""] = read("docs/dependencies.md").split("## Outside the lockfile");
  const named = [...documented.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = ""]) => (cell === "package" ? [] : cell.split(", ")));
  assert.deepEqual(named.toSorted(), Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).toSorted());
});

const documents = ["README.md", "examples/README.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/*.md", { cwd: root })];
const blocks = documents.flatMap((document) =>
  [...read(document).matchAll(/^```(\w+)[^\n]*\n(.*?)^```$/gms)].map(([, language = "", text = ""]) => ({ document, language, text })),
);

test("every code block of the documents is of a language that some test runs or reads", () => {
  const checked = ["sh", "ts", "toml", "json", "yaml"]; // sh: docs.itest.ts, ts: readme.itest.ts, the rest: here
  const others = blocks.filter(({ language }) => !checked.includes(language)).map(({ document, language }) => `${document}: ${language}`);
  assert.deepEqual(others, []);
});

test("settings in the documents are accepted without a warning", (t) => {
  const builtInProviders = Object.fromEntries(
    builtInProviderIds.flatMap((id) => builtInProvider(id, {}) ?? []).map((row) => [row.id, row]),
  );
  for (const { document, text } of blocks.filter(({ language }) => language === "toml")) {
    const codexHome = mkdtempSync(path.join(tmpdir(), "parley-documents-"));
    deletedWith(t, codexHome);
    writeFileSync(path.join(codexHome, "config.toml"), text);
    const config = createConfigStore({ codexHome, env: {}, systemDir: path.join(codexHome, "etc"), builtInProviders });
    const { warnings } = config.effective(codexHome);
    assert.deepEqual(warnings, [], `${document}\n${text}`);
  }
});

test("JSON in the documents is JSON, and the scenario of the scripted model is one", () => {
  for (const { document, text } of blocks.filter(({ language }) => language === "json"))
    assert.doesNotThrow(() => JSON.parse(text), document);
  for (const { document, text } of blocks.filter(({ language }) => language === "yaml"))
    assert.ok(scenarioFromValue(parse(text), document).turns.length > 0, document);
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

test("every test that the description of the page names exists", () => {
  const rows = read("docs/page.md")
    .split("\n")
    .filter((line) => /^\| .*`[\w-]+\.itest\.ts`/.test(line));
  assert.ok(rows.length > 30);
  const missing = rows.flatMap((row) => {
    // One cell may name several files, and after each one several of its tests.
    const cell = row.split(" | ")[1] ?? "";
    return [...cell.matchAll(/`([\w-]+\.itest\.ts)`: ([^`]*)/g)].flatMap(([, file = "", names = ""]) => {
      const text = read(`test/web/${file}`);
      let left = names.replace(/[;|\s]+$/, "");
      for (const [, name = ""] of text.matchAll(/test\(\s*"([^"]+)"/g)) left = left.replace(name, "");
      return /^[;\s]*$/.test(left) ? [] : [`${file}: ${left}`];
    });
  });
  assert.deepEqual(missing, []);
});

/** Functions sent to another process as text must be self-contained: a reference to an outside name only fails when it runs. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { insideProgram, landlockVersionProgram } from "../src/exec/sandbox/engines/inside.ts";

const root = path.resolve(import.meta.dirname, "..");

/** Names that a program uses but that neither it nor Node defines. */
function freeNames(program: string): string[] {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-free-names-"));
  try {
    writeFileSync(path.join(folder, "biome.json"), "{}");
    writeFileSync(path.join(folder, "program.js"), program);
    const args = ["lint", "--only=correctness/noUndeclaredVariables", "--reporter=json", "program.js"];
    const { stdout, stderr } = spawnSync(path.join(root, "node_modules/.bin/biome"), args, { cwd: folder, encoding: "utf8" });
    assert.match(stdout, /^\{/, stderr);
    const { diagnostics }: { diagnostics: readonly { readonly message: string }[] } = JSON.parse(stdout);
    return diagnostics.map(({ message }) => /^The (\S+) variable is undeclared/.exec(message)?.[1] ?? message);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the program inside a sandbox uses no name from outside of its functions", () => {
  for (const program of [insideProgram(), landlockVersionProgram()]) {
    assert.deepEqual(freeNames(program), []);
    // Imports are lost when a function is sent as text, and could not be resolved without a file.
    assert.doesNotMatch(program, /\bimport\b|\brequire\b/);
  }
});

test("a name from outside is found, wherever it is planted", () => {
  const planted = (text: string): string[] =>
    freeNames(insideProgram().replace(/function runInside\(\) *\{/, (start) => `${start}${text}`));
  assert.deepEqual(planted("if (process.pid < 0) return layerSince;"), ["layerSince"]);
  assert.deepEqual(planted("const later = () => [path.join('a')];"), ["path"]);
  assert.deepEqual(planted("const fine = 1; fine.toFixed();"), []);
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { programFolders } from "./program-folders.ts";

test("covers an installed package as a whole, what a start runs of a checkout, and always the Node binary", (t) => {
  const base = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-program-")));
  t.after(() => rmSync(base, { recursive: true }));
  const node = realpathSync(path.dirname(process.execPath));
  for (const name of ["checkout", "project/node_modules/parley"]) {
    for (const folder of ["bin", "dist/chunks", "src"]) mkdirSync(path.join(base, name, folder), { recursive: true });
    writeFileSync(path.join(base, name, "bin/parley"), "");
  }
  const ownOf = (name: string): string[] =>
    programFolders(path.join(base, name, "dist/chunks"))
      .filter((folder) => folder.startsWith(base))
      .map((folder) => path.relative(base, folder));
  assert.deepEqual(ownOf("project/node_modules/parley"), ["project/node_modules/parley"]);
  assert.deepEqual(ownOf("checkout"), ["checkout/bin", "checkout/dist"]);
  assert.ok(programFolders(base).includes(node));
});

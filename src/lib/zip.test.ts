/** Zip archives that other programs can read. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { deletedWith } from "../../test/support/ending.ts";
import { findSystemProgram } from "./program.ts";
import { zipOf } from "./zip.ts";

const python = findSystemProgram("python3");

test("another program reads every entry and finds the checksums right", { skip: python === undefined }, (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-zip-"));
  deletedWith(t, folder);
  const file = path.join(folder, "a.zip");
  writeFileSync(file, zipOf({ "report.json": "{}\n", "sub/ümlaut.txt": "text ✓" }));
  const read =
    "import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip() or json.dumps({n: z.read(n).decode() for n in z.namelist()}))";
  assert.deepEqual(JSON.parse(execFileSync(python ?? "", ["-c", read, file], { encoding: "utf8" })), {
    "report.json": "{}\n",
    "sub/ümlaut.txt": "text ✓",
  });
});

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { findPage } from "./files.ts";

test("the page is found from the bundle, from its chunks and from the sources", (t) => {
  const root = mkdtempSync(path.join(os.tmpdir(), "page-"));
  t.after(() => rmSync(root, { recursive: true }));
  const page = path.join(root, "dist", "web");
  mkdirSync(page, { recursive: true });
  writeFileSync(path.join(page, "index.html"), "");
  for (const here of ["dist", "dist/chunks", path.relative(path.join(import.meta.dirname, "../../.."), import.meta.dirname)])
    assert.equal(findPage(path.join(root, here)), page, here);
});

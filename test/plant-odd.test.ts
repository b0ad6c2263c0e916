/** The odd files of tests never reach what a link beside them leads to: one took away everybody's rights to /dev/zero. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { oddKinds, plantOdd } from "./support/odd-files.ts";

test("an odd file is not planted through a link, whatever its kind", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-plant-"));
  try {
    const target = path.join(folder, "target");
    writeFileSync(target, "as it was", { mode: 0o644 });
    for (const kind of oddKinds) {
      const link = path.join(folder, kind);
      symlinkSync(target, link);
      try {
        plantOdd(kind, link);
      } catch {}
      assert.equal(readFileSync(target, "utf8"), "as it was", kind);
      assert.equal(statSync(target).mode & 0o777, 0o644, kind);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

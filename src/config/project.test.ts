import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { findProject } from "./project.ts";

test("a folder that every user may write is the root of no project below it: others could plant its settings", (t) => {
  const shared = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-project-")));
  t.after(() => rmSync(shared, { recursive: true, force: true }));
  const work = path.join(shared, "work");
  for (const folder of [".git", "work"]) mkdirSync(path.join(shared, folder));
  const rootOf = (cwd: string): string => findProject(cwd, [".git"], {}).root;
  assert.equal(rootOf(work), shared);
  chmodSync(shared, 0o1777);
  assert.equal(rootOf(work), work);
  assert.deepEqual(findProject(work, [".git"], {}).folders, [work]);
  assert.equal(rootOf(shared), shared, "who works in it has chosen it");
});

import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { FolderWatch } from "./watch.ts";

test("a folder behind a cyclic link is watched from its parent, also after a change there", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-watch-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const changed = Promise.withResolvers<void>();
  const watch = new FolderWatch(() => changed.resolve());
  t.after(() => watch.close());
  symlinkSync("loop", path.join(folder, "loop"));
  watch.add([path.join(folder, "loop", "skills")]);
  rmSync(path.join(folder, "loop"));
  mkdirSync(path.join(folder, "loop"));
  await changed.promise;
});

import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { makePrivateFolder } from "./private-folder.ts";

test("the folder is in the user's cache folder, private to the user; elsewhere only if that is impossible", (t) => {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "parley-private-")));
  t.after(() => rmSync(home, { recursive: true }));
  const made = makePrivateFolder("x-", { HOME: home });
  assert.equal(path.dirname(made), path.join(home, ".cache"));
  assert.equal(statSync(made).mode & 0o777, 0o700);
  assert.equal(path.dirname(makePrivateFolder("x-", { HOME: home, XDG_CACHE_HOME: path.join(home, "c") })), path.join(home, "c"));
  writeFileSync(path.join(home, "file"), "");
  const elsewhere = makePrivateFolder("x-", { HOME: path.join(home, "file") });
  t.after(() => rmSync(elsewhere, { recursive: true }));
  assert.equal(path.dirname(elsewhere), realpathSync(tmpdir()));
});

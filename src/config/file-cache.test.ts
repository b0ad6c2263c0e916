import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { areUnchanged, FileCache, fewerLooks } from "./file-cache.ts";

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-looks-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("what was not found in a missing folder is one look at that folder, and notices whatever appears in it", (t) => {
  const folder = folderFor(t);
  const inside = (...names: string[]): string => path.join(folder, ...names);
  writeFileSync(inside("here"), "");
  symlinkSync(inside("target"), inside("link"));
  const names = ["none/a", "none/deep/b", "none/deep/c", "link/d", "e", "e", "here/under"];
  const files = new FileCache();
  const { looks } = files.recorded(() => {
    for (const name of names) files.read(inside(name));
    for (const name of names) files.look(inside(name), existsSync);
  });
  assert.ok(looks.length === 2 * names.length && areUnchanged(looks));
  const changes: Readonly<Record<string, () => void>> = {
    "none/a": () => mkdirSync(inside("none")),
    "none/deep/b": () => mkdirSync(inside("none", "deep"), { recursive: true }),
    "link/d": () => mkdirSync(inside("target")),
    e: () => writeFileSync(inside("e"), ""),
    "here/under": () => {
      rmSync(inside("here"));
      mkdirSync(inside("here"));
    },
  };
  for (const [name, appear] of Object.entries(changes)) {
    const few = fewerLooks(looks);
    assert.equal(few.length, 6, "one for none and one for link, two each for e and for what lies under a file");
    assert.ok(areUnchanged(few), name);
    appear();
    if (!existsSync(inside(name))) mkdirSync(inside(name));
    assert.ok(!areUnchanged(few), name);
    for (const made of ["none", "target", "e"]) rmSync(inside(made), { recursive: true, force: true });
    rmSync(inside("here"), { recursive: true, force: true });
    writeFileSync(inside("here"), "");
  }
});

test("a look that found something is kept as it is, and one that failed never holds", (t) => {
  const folder = folderFor(t);
  symlinkSync("one", path.join(folder, "link"));
  const files = new FileCache();
  const { looks } = files.recorded(() => files.look(path.join(folder, "link"), readlinkSync));
  assert.ok(areUnchanged(fewerLooks(looks)));
  rmSync(path.join(folder, "link"));
  symlinkSync("other", path.join(folder, "link"));
  assert.ok(!areUnchanged(fewerLooks(looks)));
  const failed = files.recorded(() => assert.throws(() => files.look(path.join(folder, "no", "link"), readlinkSync)));
  assert.ok(!areUnchanged(fewerLooks(failed.looks)));
});

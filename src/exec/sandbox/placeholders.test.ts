import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { isPlaceholder, Placeholders } from "./placeholders.ts";

describe("placeholders", { skip: process.platform === "linux" ? false : "only the Linux sandbox needs them" }, () => {
  let base: string;
  let folder: string;
  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), "parley-holders-"));
    folder = path.join(base, ".git");
  });
  afterEach(() => rmSync(base, { recursive: true }));

  test("are shared within a server and gone after the last release", () => {
    const own = new Placeholders();
    assert.ok(own.hold(folder) && own.hold(folder));
    assert.deepEqual(readdirSync(folder), [own.lease]);
    own.release(folder);
    assert.ok(existsSync(folder));
    own.release(folder);
    assert.deepEqual(readdirSync(base), []);
    assert.deepEqual(own.paths, []);
    own.release(folder);
  });

  test("a second server's lease keeps them, whichever closes first", () => {
    const [one, two] = [new Placeholders(), new Placeholders()];
    assert.ok(one.hold(folder) && two.hold(folder));
    one.release(folder);
    assert.deepEqual(readdirSync(folder), [two.lease]);
    assert.ok(one.hold(folder));
    two.release(folder);
    assert.deepEqual(readdirSync(folder), [one.lease]);
    one.release(folder);
    assert.deepEqual(readdirSync(base), []);
  });

  test("another runner of the same server keeps them, too; a deleted one is created again", () => {
    const [own, other] = [new Placeholders(), new Placeholders()];
    assert.ok(own.hold(folder) && other.hold(folder));
    other.release(folder);
    assert.deepEqual(readdirSync(folder), [own.lease]);
    rmSync(folder, { recursive: true });
    assert.ok(own.hold(folder));
    assert.deepEqual(readdirSync(folder), [own.lease]);
    own.release(folder);
    own.release(folder);
    assert.deepEqual(readdirSync(base), []);
  });

  test("leftovers of dead servers are ignored, folders of the user stay", () => {
    const own = new Placeholders();
    mkdirSync(folder);
    assert.equal(own.hold(folder), false, "an empty folder of the user");
    chmodSync(folder, 0o1711);
    assert.ok(isPlaceholder(folder), "killed as it was made");
    writeFileSync(path.join(folder, own.lease.replace(/-\d+-\w+-\w+$/, "-4194303-1-x")), "");
    assert.ok(own.hold(folder), "a lease of a dead server");
    own.release(folder);
    assert.deepEqual(readdirSync(base), []);
  });

  test("a lease of a dead server next to ours does not keep them", () => {
    const own = new Placeholders();
    own.hold(folder);
    writeFileSync(path.join(folder, own.lease.replace(/-\d+-\w+-\w+$/, "-4194303-1-x")), "");
    own.release(folder);
    assert.deepEqual(readdirSync(base), []);
  });

  test("a lease of another container counts as long as it is touched", () => {
    const own = new Placeholders();
    own.hold(folder);
    const foreign = path.join(folder, ".parley-1234-17-99-x");
    writeFileSync(foreign, "");
    own.release(folder);
    assert.ok(existsSync(foreign), "its server may live");
    utimesSync(foreign, new Date(0), new Date(0));
    assert.ok(own.hold(folder));
    own.release(folder);
    assert.deepEqual(readdirSync(base), []);
  });

  test("planned ones are included in what must be removed", () => {
    const own = new Placeholders();
    assert.ok(own.plan([folder]));
    assert.deepEqual(own.paths, [folder]);
    own.hold(folder);
    assert.equal(own.plan([folder]), false, "known already");
    own.plan([]);
    assert.deepEqual(own.paths, [folder]);
    own.release(folder);
    assert.deepEqual(own.paths, []);
  });

  test("one that is no longer reachable is left, and does not keep the others", () => {
    const own = new Placeholders();
    const other = path.join(base, "other");
    mkdirSync(other);
    own.hold(path.join(other, ".git"));
    own.hold(folder);
    renameSync(other, path.join(base, "away"));
    symlinkSync("other", other); // a ring
    own.release(path.join(other, ".git"));
    own.release(folder);
    assert.deepEqual(own.paths, []);
    assert.ok(!existsSync(folder));
  });

  test("what the user puts in stays, as an ordinary folder", () => {
    const own = new Placeholders();
    own.hold(folder);
    writeFileSync(path.join(folder, "HEAD"), "x");
    own.release(folder);
    assert.deepEqual(readdirSync(folder), ["HEAD"]);
    assert.equal(statSync(folder).mode & 0o7777, 0o755);
    rmSync(folder, { recursive: true });
    own.hold(folder);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    own.release(folder);
    assert.ok(existsSync(folder), "replaced by the user");
  });
});

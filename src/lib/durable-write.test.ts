import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  createReadStream,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { appendLineSync, createFile, createFileSync, replaceFile, replaceFileSync } from "./durable-write.ts";

describe("durable writes", () => {
  let folder = "";
  const at = (name: string): string => path.join(folder, name);
  const text = (name: string): string => readFileSync(at(name), "utf8");
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "parley-durable-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("a replaced file keeps its mode and leaves no temporary file; a new one is readable by its owner only", () => {
    writeFileSync(at("old"), "before");
    chmodSync(at("old"), 0o640);
    replaceFileSync(at("old"), "after");
    replaceFileSync(at("deep/er/new"), "new");
    assert.deepEqual([text("old"), statSync(at("old")).mode & 0o777], ["after", 0o640]);
    assert.deepEqual([text("deep/er/new"), statSync(at("deep/er/new")).mode & 0o777], ["new", 0o600]);
    replaceFileSync(at("old"), "secret", { mode: 0o600 });
    assert.equal(statSync(at("old")).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder).sort(), ["deep", "old"]);
  });

  it("a file that the disk gets soon is there at once, and may be gone by then", async () => {
    replaceFileSync(at("deep/soon"), "new", { sync: "soon" });
    assert.deepEqual([text("deep/soon"), readdirSync(at("deep"))], ["new", ["soon"]]);
    rmSync(at("deep"), { recursive: true });
    replaceFileSync(at("later"), "new", { sync: "soon" });
    await once(createReadStream(at("later")).resume(), "end"); // comes after it in the thread pool
  });

  it("a symlink stays, also a dangling one", () => {
    mkdirSync(at("dotfiles"));
    writeFileSync(at("dotfiles/a"), "before");
    symlinkSync("dotfiles/a", at("a"));
    symlinkSync("dotfiles/b", at("b"));
    for (const name of ["a", "b"]) {
      replaceFileSync(at(name), "after");
      assert.ok(lstatSync(at(name)).isSymbolicLink());
      assert.equal(text(`dotfiles/${name}`), "after");
    }
  });

  it("an error in the last check keeps the old file", () => {
    writeFileSync(at("old"), "before");
    const stop = (): never => {
      throw new Error("changed meanwhile");
    };
    assert.throws(() => replaceFileSync(at("old"), "after", { beforeReplace: stop }), /changed meanwhile/);
    assert.equal(text("old"), "before");
    assert.deepEqual(readdirSync(folder), ["old"]);
  });

  it("a failing source keeps the old file", async () => {
    writeFileSync(at("old"), "before");
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from("a part");
      throw new Error("broken off");
    }
    await assert.rejects(replaceFile(at("old"), broken()), /broken off/);
    assert.equal(text("old"), "before");
    assert.deepEqual(readdirSync(folder), ["old"]);
  });

  it("a file is created once, and never over another", async () => {
    createFileSync(at("token"), "one");
    assert.throws(() => createFileSync(at("token"), "two"), { code: "EEXIST" });
    await assert.rejects(createFile(at("token"), Buffer.from("three")), { code: "EEXIST" });
    await createFile(at("other"), Buffer.from("four"));
    assert.deepEqual([text("token"), text("other")], ["one", "four"]);
    assert.deepEqual(readdirSync(folder).sort(), ["other", "token"]);
  });

  it("temporary files of dead processes are deleted, those of live ones are not", () => {
    writeFileSync(at("state.1234-abcdefgh.tmp"), "dead");
    utimesSync(at("state.1234-abcdefgh.tmp"), 0, 0);
    for (const name of ["state.1235-abcdefgh.tmp", "state.backup.tmp"]) writeFileSync(at(name), "");
    utimesSync(at("state.backup.tmp"), 0, 0);
    replaceFileSync(at("state"), "x");
    assert.deepEqual(readdirSync(folder).sort(), ["state", "state.1235-abcdefgh.tmp", "state.backup.tmp"]);
  });

  it("an incomplete line loses only itself", () => {
    appendLineSync(at("lines"), "one");
    appendFileSync(at("lines"), '{"torn');
    appendLineSync(at("lines"), "two");
    appendFileSync(at("lines"), "torn again");
    appendLineSync(at("lines"), "three");
    appendLineSync(at("deep/lines"), "four");
    assert.equal(text("lines"), 'one\n{"torn\ntwo\ntorn again\nthree\n');
    assert.equal(text("deep/lines"), "four\n");
  });

  it("nothing is written into pipes", () => {
    execFileSync("mkfifo", [at("pipe")]);
    assert.throws(() => appendLineSync(at("pipe"), "x"), { code: "ENOTFILE" });
    assert.throws(() => replaceFileSync(at("pipe"), "x"), { code: "ENOTFILE" });
    assert.ok(lstatSync(at("pipe")).isFIFO());
  });
});

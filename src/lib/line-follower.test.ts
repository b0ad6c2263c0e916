import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { appendLineSync } from "./durable-write.ts";
import { LineFollower } from "./line-follower.ts";

describe("following a file of lines", () => {
  let folder = "";
  let file = "";
  let lines: string[] = [];
  const to = { take: (line: string) => lines.push(line), forget: () => lines.splice(0) };
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "parley-follow-"));
    file = path.join(folder, "lines");
    lines = [];
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("each poll returns what was added, and an incomplete line once it is complete", () => {
    const follower = new LineFollower(file, 1000);
    assert.equal(follower.look(to), undefined);
    writeFileSync(file, "a\nb\nc");
    assert.equal(follower.look(to), 5);
    assert.deepEqual(lines, ["a", "b"]);
    appendFileSync(file, "c\n\nd\n");
    follower.look(to);
    assert.deepEqual(lines, ["a", "b", "cc", "d"]);
    assert.equal(follower.look(to), 0);
  });

  it("passes over its own program's line only where nothing else is passed over with it", () => {
    const follower = new LineFollower(file, 1000);
    assert.equal(follower.passOver(appendLineSync(file, "never looked")), false);
    follower.look(to);
    assert.equal(follower.passOver(appendLineSync(file, "mine")), true);
    appendFileSync(file, "another's\n");
    assert.equal(follower.passOver(appendLineSync(file, "mine again")), false);
    follower.look(to);
    appendFileSync(file, "a torn");
    follower.look(to);
    assert.equal(follower.passOver(appendLineSync(file, "behind it")), false);
    follower.look(to);
    const own = appendLineSync(file, "mine at last");
    assert.equal(follower.passOver({ ...own, isAlone: false }), false);
    assert.equal(follower.passOver({ ...own, inode: own.inode + 1 }), false);
    assert.equal(follower.passOver(own), true);
    follower.look(to);
    assert.deepEqual(lines, ["never looked", "another's", "mine again", "a torn", "behind it"]);
  });

  it("a replaced, a truncated and a deleted file are noticed", () => {
    const follower = new LineFollower(file, 1000);
    writeFileSync(file, "old\n");
    follower.look(to);
    writeFileSync(`${file}.new`, "new and longer\n");
    renameSync(`${file}.new`, file);
    follower.look(to);
    assert.deepEqual(lines, ["new and longer"]);
    truncateSync(file, 0);
    appendFileSync(file, "x\n");
    follower.look(to);
    assert.deepEqual(lines, ["x"]);
    rmSync(file);
    assert.equal(follower.look(to), undefined);
    assert.deepEqual(lines, []);
  });

  it("only the end of a huge file is read, and an endless line is skipped", () => {
    const follower = new LineFollower(file, 4 * 1024 * 1024);
    writeFileSync(file, "first\n");
    truncateSync(file, 3 * 1024 ** 3);
    appendFileSync(file, "\nlast\n");
    assert.equal(follower.look(to), 4 * 1024 * 1024);
    assert.deepEqual(lines, ["last"]);
  });

  it("a pipe at that path is not read", () => {
    execFileSync("mkfifo", [file]);
    assert.equal(new LineFollower(file, 1000).look(to), undefined);
  });
});

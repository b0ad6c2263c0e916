import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Log } from "../core/ports/log.ts";
import { appendAll, createOutputFiles } from "./outputs.ts";

describe("files of long tool results", () => {
  let home = "";
  const warned: string[] = [];
  const log: Log = { debug() {}, info() {}, error() {}, warn: (text) => void warned.push(text) };
  const clock = { now: () => Date.now(), sleep: async () => {} };
  const files = () => createOutputFiles({ codexHome: home, clock, log });
  const folder = () => path.join(home, "parley", "outputs");
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-outputs-"));
    warned.length = 0;
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it("are readable only by their owner, and never written through a link or over another", async () => {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    symlinkSync(path.join(home, "elsewhere"), path.join(folder(), "a_b.txt"));
    const first = await files().keep("a/b", "one");
    const second = await files().keep("a/b", "two");
    assert.deepEqual(
      [first, second].map((file) => path.basename(file?.path ?? "")),
      ["a_b.1.txt", "a_b.2.txt"],
    );
    assert.equal(readFileSync(second?.path ?? "", "utf8"), "two");
    assert.equal(statSync(first?.path ?? "").mode & 0o777, 0o600);
    assert.ok(!readdirSync(home).includes("elsewhere"));
  });

  it("stay in their folder, whatever name a model chooses", async () => {
    for (const name of ["../../../../etc/passwd", "..", "", "x".repeat(5000), "\0\n", "ünïcode"]) {
      const file = (await files().keep(name, "text"))?.path ?? "";
      assert.equal(path.dirname(file), folder());
      assert.equal(path.basename(file), path.basename(file).replace(/[^\w.-]/g, ""));
    }
  });

  it("are bounded in size, number and age", async () => {
    mkdirSync(folder(), { recursive: true });
    for (let i = 0; i < 450; i++) writeFileSync(path.join(folder(), `old${i}.txt`), "x");
    const long = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
    for (let i = 0; i < 50; i++) utimesSync(path.join(folder(), `old${i}.txt`), long, long);
    const long16 = await files().keep("new", "é".repeat(20_000_000));
    const names = readdirSync(folder());
    assert.ok(names.length <= 400 && names.includes("new.txt"), `${names.length} files`);
    assert.ok(!names.includes("old0.txt"));
    assert.ok(statSync(long16?.path ?? "").size <= 16 * 1024 * 1024);
    assert.equal(long16?.isWhole, false);
  });

  it("accept data piece by piece, in order, up to their limit", async () => {
    const sink = files().open("pieces");
    const piece = Buffer.alloc(1024 * 1024);
    for (let i = 0; i < 20; i++) {
      piece.fill(i);
      sink.write(piece); // the same bytes repeatedly: each is copied
    }
    const kept = await sink.end();
    const bytes = readFileSync(kept?.path ?? "");
    assert.deepEqual([kept?.isWhole, bytes.length], [false, 16 * 1024 * 1024]);
    assert.deepEqual([bytes[0], bytes[5 * 1024 * 1024], bytes.at(-1)], [0, 5, 15]);
    const short = files().open("short");
    short.write(Buffer.from("one "));
    short.write(Buffer.from("two"));
    assert.equal(readFileSync((await short.end())?.path ?? "", "utf8"), "one two");
    assert.equal(await files().open("nothing").end(), undefined);
  });

  it("lose nothing of what comes while something is being written, or after a pause", async () => {
    const sink = files().open("bursts");
    let expected = "";
    for (let i = 0; i < 60; i++) {
      const piece = `${i} `.repeat(1 + ((i * 7919) % 50_000));
      sink.write(Buffer.from(piece));
      expected += piece;
      if (i % 7 === 0) await setImmediate();
      if (i % 20 === 0) await sink.end();
    }
    const kept = await sink.end();
    assert.equal(kept?.isWhole, true);
    assert.ok(readFileSync(kept.path, "utf8") === expected);
  });

  it("ask to wait while much waits for the disk, also where that fails, and no longer when the file is full", async () => {
    const piece = Buffer.alloc(1024 * 1024);
    const sink = files().open("much");
    assert.deepEqual([sink.write(piece), sink.write(piece)], [undefined, undefined]);
    const room = sink.write(piece);
    assert.ok(room !== undefined && sink.write(piece) === room);
    await room;
    assert.equal(sink.write(piece), undefined);
    for (let i = 5; i < 16; i++) await sink.write(piece);
    assert.equal(sink.write(piece), undefined);
    assert.equal(statSync((await sink.end())?.path ?? "").size, 16 * piece.length);
    rmSync(path.join(home, "parley"), { recursive: true });
    writeFileSync(path.join(home, "parley"), "a file in the way");
    const failing = files().open("failing");
    for (let i = 0; i < 4; i++) await failing.write(piece);
    assert.equal(await failing.end(), undefined);
  });

  it("are whole where the system takes fewer bytes than it was given", async () => {
    let taken = "";
    let takes = 5;
    const writev = async (pieces: readonly Buffer[]) => {
      const now = Buffer.concat(pieces).subarray(0, takes);
      taken += now.toString();
      return { bytesWritten: now.length, buffers: [] };
    };
    const handle = { writev: writev as FileHandle["writev"] };
    await appendAll(handle, ["one ", "two ", "three"].map(Buffer.from));
    assert.equal(taken, "one two three");
    takes = 0;
    await assert.rejects(appendAll(handle, [Buffer.from("four")]), /takes nothing more/);
  });

  it("are skipped if they cannot be written", async () => {
    writeFileSync(path.join(home, "parley"), "a file in the way");
    assert.equal(await files().keep("name", "text"), undefined);
    const sink = files().open("name");
    sink.write(Buffer.from("text"));
    sink.write(Buffer.from("more"));
    assert.equal(await sink.end(), undefined);
    assert.equal(warned.length, 2, "each failure is logged once");
  });
});

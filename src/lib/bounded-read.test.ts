import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ReadOptions, readBounded, readBoundedSync, readBoundedTextSync, UnfitFile } from "./bounded-read.ts";

const both: readonly [string, (file: string, maxBytes: number, options?: ReadOptions) => Promise<Buffer>][] = [
  ["readBounded", readBounded],
  ["readBoundedSync", async (...args) => readBoundedSync(...args)],
];

for (const [name, readIt] of both)
  describe(name, () => {
    let folder = "";
    const at = (entry: string): string => path.join(folder, entry);
    before(() => {
      folder = mkdtempSync(path.join(tmpdir(), "parley-bounded-"));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));
    const refused = (file: string, code: UnfitFile["code"], message: RegExp, options?: ReadOptions) =>
      assert.rejects(
        readIt(file, 1000, options),
        (error) => error instanceof UnfitFile && error.code === code && message.test(error.message),
      );

    it("returns a complete file up to exactly the limit", async () => {
      for (const size of [0, 1, 999, 1000]) {
        writeFileSync(at("plain"), "x".repeat(size));
        assert.equal((await readIt(at("plain"), 1000)).length, size);
      }
    });

    it("refuses one more byte than the limit, or cuts it there", async () => {
      writeFileSync(at("large"), "y".repeat(1001));
      await refused(at("large"), "EFBIG", /large is larger than 1000 bytes/);
      assert.equal((await readIt(at("large"), 1000, { beyond: "cut" })).length, 1000);
    });

    it("refuses pipes, devices, folders and sockets without waiting for them", async () => {
      execFileSync("mkfifo", [at("pipe")]);
      mkdirSync(at("folder"));
      for (const [place, target] of [
        ["to-pipe", at("pipe")],
        ["to-zero", "/dev/zero"],
        ["to-null", "/dev/null"],
      ] as const)
        symlinkSync(target, at(place));
      await refused(at("pipe"), "ENOTFILE", /is a named pipe, not a regular file/);
      await refused(at("to-pipe"), "ENOTFILE", /named pipe/);
      await refused(at("to-zero"), "ENOTFILE", /is a device/);
      await refused(at("to-null"), "ENOTFILE", /is a device/);
      await refused(at("folder"), "ENOTFILE", /is a folder/);
    });

    it("refuses a huge sparse file before allocating memory for it", async () => {
      writeFileSync(at("sparse"), "");
      truncateSync(at("sparse"), 8 * 1024 ** 4);
      await refused(at("sparse"), "EFBIG", /larger/);
      assert.equal((await readIt(at("sparse"), 1000, { beyond: "cut" })).length, 1000);
    });

    it("follows symlinks unless told not to", async () => {
      writeFileSync(at("target"), "text");
      symlinkSync("target", at("link"));
      symlinkSync("round", at("round"));
      assert.equal((await readIt(at("link"), 1000)).toString(), "text");
      await refused(at("link"), "ELOOP", /symbolic link/, { links: "refuse" });
      await assert.rejects(readIt(at("round"), 1000), { code: "ELOOP" });
      await assert.rejects(readIt(at("nowhere"), 1000), { code: "ENOENT" });
    });

    it("reads kernel files, which report no size, up to the limit", { skip: process.platform !== "linux" }, async () => {
      assert.match((await readIt("/proc/self/status", 100_000)).toString(), /^Name:/);
      assert.equal((await readIt("/proc/self/status", 10, { beyond: "cut" })).length, 10);
      await assert.rejects(readIt("/proc/self/status", 10), { code: "EFBIG" });
    });
  });

describe("a file that grows while it is read", () => {
  it("is bounded by the limit and not by the reported size", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "parley-bounded-"));
    try {
      const file = path.join(folder, "log");
      writeFileSync(file, "a".repeat(50));
      assert.equal(readBoundedTextSync(file, 50).length, 50);
      appendFileSync(file, "b");
      assert.throws(() => readBoundedTextSync(file, 50), { code: "EFBIG" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

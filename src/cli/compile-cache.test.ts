import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { outsideTemp } from "../../test/support/outside-temp.ts";
import { isPrivate } from "./compile-cache.ts";

/** A folder outside the system's temp folder. */
function inFolder(run: (folder: string) => void): void {
  const folder = mkdtempSync(outsideTemp());
  try {
    run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a folder is created for its owner only", () =>
  inFolder((folder) => {
    const cache = path.join(folder, "deep", "cache");
    assert.equal(isPrivate(cache), true);
    assert.equal(statSync(cache).mode & 0o777, 0o700);
  }));

test("a folder that others can write is not used", () =>
  inFolder((folder) => {
    for (const mode of [0o770, 0o707]) {
      chmodSync(folder, mode);
      assert.equal(isPrivate(folder), false, mode.toString(8));
    }
  }));

test("a folder that cannot be created is not used", () =>
  inFolder((folder) => {
    writeFileSync(path.join(folder, "file"), "");
    assert.equal(isPrivate(path.join(folder, "file", "cache")), false);
  }));

test("the temp folder is the one that the environment names", () =>
  inFolder((folder) => {
    const { TMPDIR, TMP, TEMP } = process.env;
    try {
      for (const [variable, others] of [["TMPDIR", ["TMP", "TEMP"]] as const, ["TMP", ["TEMP"]] as const, ["TEMP", []] as const]) {
        for (const name of ["TMPDIR", "TMP", "TEMP"]) delete process.env[name];
        for (const other of others) process.env[other] = "/elsewhere";
        process.env[variable] = folder;
        assert.equal(tmpdir(), folder);
        assert.equal(isPrivate(path.join(folder, "cache")), false, variable);
      }
    } finally {
      for (const name of ["TMPDIR", "TMP", "TEMP"]) delete process.env[name];
      Object.assign(process.env, JSON.parse(JSON.stringify({ TMPDIR, TMP, TEMP })));
    }
    assert.equal(isPrivate(path.join(folder, "cache")), true);
  }));

test("nothing below the temp folder is used, since commands may write there", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-cache-"));
  try {
    assert.equal(isPrivate(folder), false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { findProgram, findSystemProgram, KnownPrograms, programCandidates, searchPathOf } from "./program.ts";

test("programs are found as a shell finds them", () => {
  const base = mkdtempSync(path.join(tmpdir(), "parley-program-"));
  try {
    mkdirSync(path.join(base, "bin"));
    const tool = path.join(base, "bin/tool");
    writeFileSync(tool, "");
    assert.equal(findProgram("tool", `/none:${base}/bin`, "/"), undefined, "not executable");
    chmodSync(tool, 0o755);
    assert.equal(findProgram("tool", `/none:${base}/bin`, "/"), tool);
    assert.equal(findProgram("./bin/tool", undefined, base), tool);
    assert.equal(findProgram("tool", "", path.join(base, "bin")), tool, "an empty PATH means here");
    assert.equal(findProgram("bin", base, "/"), undefined, "a folder is no program");
    for (const name of ["", "to\0ol", "missing"]) assert.equal(findProgram(name, base, base), undefined);
  } finally {
    rmSync(base, { recursive: true });
  }
});

test("a known program is searched again once it is gone", () => {
  const base = mkdtempSync(path.join(tmpdir(), "parley-program-"));
  try {
    const [one, two] = ["one", "two"].map((name) => path.join(base, name, "tool")) as [string, string];
    for (const tool of [one, two]) {
      mkdirSync(path.dirname(tool));
      writeFileSync(tool, "", { mode: 0o755 });
    }
    const known = new KnownPrograms();
    const has = (): boolean => known.has("tool", `${path.dirname(one)}:${path.dirname(two)}`, "/");
    assert.ok(has() && has());
    rmSync(one);
    assert.ok(has(), "the second folder has it, too");
    chmodSync(two, 0o644);
    assert.equal(has(), false);
    chmodSync(two, 0o755);
    assert.ok(has());
  } finally {
    rmSync(base, { recursive: true });
  }
});

test("helper programs come from system folders that commands cannot write", () => {
  const sh = findSystemProgram("sh");
  assert.ok(sh !== undefined && path.isAbsolute(sh));
  assert.equal(findSystemProgram("sh", ["/"]), undefined);
  assert.equal(findSystemProgram("no-such-helper"), undefined);
});

test("Windows: extensions, separators, and any spelling of PATH", () => {
  const found = programCandidates("git", "C:\\bin;D:\\tools", "C:\\work", "win32");
  assert.deepEqual(found.slice(0, 3), ["C:\\bin\\git", "C:\\bin\\git.com", "C:\\bin\\git.exe"]);
  assert.ok(found.includes("D:\\tools\\git.cmd"));
  assert.equal(programCandidates(".\\run.bat", "C:\\bin", "C:\\work", "win32")[0], "C:\\work\\run.bat");
  assert.equal(searchPathOf({ Path: "x" }, "win32"), "x");
  assert.equal(searchPathOf({ Path: "x" }, "linux"), undefined);
});

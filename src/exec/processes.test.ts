/** Telling processes that run from those that have ended. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { test } from "node:test";
import { isRunning, startOf } from "./processes.ts";

const skip = process.platform === "linux" ? false : "needs /proc";

test("a process is told from a later one with the same number; one whose start is not known counts as running", { skip }, () => {
  const { pid } = process;
  assert.equal(isRunning(pid, startOf(pid) ?? ""), true);
  assert.equal(isRunning(pid, "1"), false, "another one that had this number before");
  assert.equal(isRunning(pid, "0"), true, "written down by a server that could not read its own start");
  assert.equal(isRunning(4_194_303, "0"), false);
});

test("a server without a free file descriptor takes no other one for dead", { skip }, () => {
  const script = `
    import { openSync } from "node:fs";
    import { isRunning } from ${JSON.stringify(path.join(import.meta.dirname, "processes.ts"))};
    try { for (;;) openSync("/dev/null", "r"); } catch {}
    process.stdout.write(String(isRunning(${process.pid}, ${JSON.stringify(startOf(process.pid))})));`;
  const line = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"';
  const output = execFileSync("/bin/sh", ["-c", line, process.execPath, script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  assert.equal(output, "true");
});

/** Every file that we write, on a disk that is full, writes partially or fails at any step, and in a process that is killed at any step. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { verifiesLive } from "../support/live-server.ts";
import { scratch } from "../support/process.ts";

/** Runs a script with its own small disk mounted at `folder`; the disk disappears with the process. */
function onSmallDisk(
  folder: string,
  name: string,
  size = "1m",
): { readonly stdout: string; readonly stderr: string; readonly status: number | null } {
  mkdirSync(folder, { recursive: true });
  const script = path.join(import.meta.dirname, name);
  const mount = `mount -t tmpfs -o size=${size} tmpfs "$1" && exec "$2" "$3" "$1"`;
  const args = [process.getuid?.() === 0 ? "-m" : "-Urm", "sh", "-c", mount, "sh", folder, process.execPath, script];
  return spawnSync("unshare", args, { encoding: "utf8", timeout: 240_000 });
}

verifiesLive("trust.everyWriter", async (t) => {
  const { stdout, stderr, status } = onSmallDisk(path.join(scratch(t), "disk"), "full-disk.ts");
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), []);
});

test("programs that start on a full disk say so and leave no empty file, and start again when there is room", (t) => {
  const { stdout, stderr, status } = onSmallDisk(path.join(scratch(t), "disk"), "full-disk-programs.ts", "4m");
  assert.equal(status, 0, stderr);
  assert.deepEqual(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""), []);
});

const steps = ["openSync", "writeSync", "fsyncSync", "fchmodSync", "closeSync", "renameSync", "linkSync"] as const;
type Step = (typeof steps)[number];
interface Trial {
  readonly work: string;
  readonly step: Step;
  /** Which of its calls fails. */
  readonly call: number;
  readonly fault: "fails" | "takes a part" | "dies before" | "dies after";
}

/** Runs a process in which one system call fails. */
function trial(
  folder: string,
  { work, step, call, fault }: Trial,
): { readonly threw: boolean; readonly died: boolean; readonly calls: number } {
  const lib = path.join(import.meta.dirname, "../../src/lib/durable-write.ts");
  const script = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const real = fs[${JSON.stringify(step)}];
    let calls = 0;
    let isOn = false;
    fs[${JSON.stringify(step)}] = (...args) => {
      if (!isOn || ++calls !== ${call}) return real(...args);
      const fault = ${JSON.stringify(fault)};
      if (fault === "dies before") process.kill(process.pid, "SIGKILL");
      if (fault === "fails") throw Object.assign(new Error("EIO: made by the test"), { code: "EIO" });
      if (fault === "takes a part") return real(args[0], args[1], args[2], Math.ceil(args[3] / 2));
      real(...args);
      process.kill(process.pid, "SIGKILL");
    };
    syncBuiltinESMExports();
    const { replaceFileSync, createFileSync, appendLineSync } = await import(${JSON.stringify(lib)});
    isOn = true;
    let threw = false;
    try { ${work} } catch { threw = true; }
    isOn = false;
    console.log(JSON.stringify({ threw, calls }));`;
  const { stdout, signal } = spawnSync(process.execPath, ["--input-type=module-typescript", "-e", script], {
    cwd: folder,
    encoding: "utf8",
  });
  if (signal !== null) return { threw: false, died: true, calls: call };
  return { died: false, ...(JSON.parse(stdout) as { threw: boolean; calls: number }) };
}

const old = "old content\n";
const fresh = "new ".repeat(2000);
const works: Readonly<Record<string, { readonly work: string; readonly before?: string; readonly after: readonly string[] }>> = {
  replaced: { work: `replaceFileSync("file", ${JSON.stringify(fresh)})`, before: old, after: [old, fresh] },
  made: { work: `createFileSync("file", ${JSON.stringify(fresh)})`, after: ["", fresh] },
  appended: { work: `appendLineSync("file", "line")`, before: old, after: [old, `${old}line\n`] },
};

const faults = ["fails", "takes a part", "dies before", "dies after"] as const;

for (const [name, { work, before, after }] of Object.entries(works))
  test(`a file that is ${name} is old or new, whatever step fails or is the last`, (t: TestContext) => {
    /** Whether the step makes that many calls. */
    const isReached = (step: Step, fault: Trial["fault"], call: number): boolean => {
      const folder = scratch(t);
      const file = path.join(folder, "file");
      if (before !== undefined) writeFileSync(file, before);
      const { threw, died, calls } = trial(folder, { work, step, call, fault });
      const what = `${fault} at ${step} ${call}`;
      const text = existsSync(file) ? readFileSync(file, "utf8") : "";
      assert.ok(after.includes(text), `${what}: ${JSON.stringify(text.slice(0, 100))}`);
      const others = readdirSync(folder).filter((entry) => entry !== "file");
      if (!died) assert.deepEqual(others, [], `${what} leaves something behind`);
      if (!died && !threw) assert.equal(text, after.at(-1), `${what}: nothing is said, and nothing written`);
      return calls >= call;
    };
    for (const step of steps)
      for (const fault of faults)
        if (fault !== "takes a part" || step === "writeSync") for (let call = 1; isReached(step, fault, call); ) call++;
  });

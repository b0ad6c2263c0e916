import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { noBubblewrap, openBench } from "../../testing.ts";
import type { LandlockRule } from "./landlock-rights.ts";
import { ruleVariables, stepArguments } from "./landlock-step.ts";
import { makeStepFile, StepFile } from "./step-file.ts";

const folder = process.platform === "linux" ? mkdtempSync("/var/tmp/parley-step-") : "";
const step = process.platform === "linux" ? await makeStepFile(path.join(folder, "own")) : "needs Linux";
const all: LandlockRule = { path: "/", allow: ["read", "run"] };

describe("the program that applies Landlock to a command", { skip: typeof step === "string" ? `needs Landlock: ${step}` : false }, () => {
  const file = typeof step === "string" ? "" : step.path;
  const env = { PATH: "/usr/bin:/bin", SOME_NAME: "a b\nc" };
  const run = (rules: readonly LandlockRule[], files: readonly string[], argv: readonly string[]) =>
    spawnSync("setpriv", ["--no-new-privs", file, ...stepArguments(files, argv)], {
      encoding: "utf8",
      cwd: folder,
      env: { FIRST: "1", ...Object.fromEntries(ruleVariables(rules)), ...env },
    });

  after(() => rmSync(folder, { recursive: true, force: true }));

  test("allows what the rules say and nothing else, for folders and for files; a missing path is no error", () => {
    mkdirSync(path.join(folder, "open"));
    writeFileSync(path.join(folder, "one-file"), "");
    const rules: LandlockRule[] = [
      ...[all, { path: "/dev", allow: ["device"] } as const],
      ...["open", "one-file", "gone"].map((name): LandlockRule => ({ path: path.join(folder, name), allow: ["write", "run"] })),
    ];
    const line =
      "echo x > open/in && mv open/in open/moved && echo x > one-file && echo IN > /dev/null && echo OK; echo x > out; mkdir dir";
    const { stdout, stderr } = run(rules, ["/bin/sh"], ["sh", "-c", line]);
    assert.equal(stdout, "OK\n", stderr);
    assert.equal(stderr.match(/Permission denied/g)?.length, 2, stderr);
    assert.deepEqual(readdirSync(folder).sort(), ["one-file", "open", "own"]);
  });

  test("finds the command as the C library does, and passes its arguments and variables unchanged", () => {
    const script = path.join(folder, "own", "script");
    writeFileSync(script, 'echo "$0|$1|$SOME_NAME"\n', { mode: 0o755 });
    const { stdout } = run([all], ["/nowhere/x", folder, script], ["as named", "täst ''"]);
    assert.equal(stdout, `${script}|täst ''|a b\nc\n`);
    assert.equal(run([all], ["/usr/bin/env"], ["env", "-0"]).stdout, "FIRST=1\0PATH=/usr/bin:/bin\0SOME_NAME=a b\nc\0");
    assert.equal(run([all], ["/nowhere/x", "/bin/sh"], ["my name", "-c", 'echo "$0" "$#"', "zero", "", "two"]).stdout, "zero 2\n");
  });

  test("runs nothing when the command cannot be found or Landlock is refused", () => {
    for (const files of [[], ["/nowhere/x"]]) {
      const { status, stdout, stderr } = run([all], files, ["sh", "-c", "echo RAN"]);
      assert.deepEqual([status, stdout, stderr], [126, "", "parley: the command could not be started under Landlock\n"]);
    }
    if (process.getuid?.() === 0) return; // Root may use Landlock without no_new_privs.
    const { status, stdout } = spawnSync(file, stepArguments(["/bin/sh"], ["sh", "-c", "echo RAN"]), { encoding: "utf8" });
    assert.deepEqual([status, stdout], [126, ""]);
  });

  test("its file is kept, created again when it is gone, and never reused with different content", () => {
    const bytes = Buffer.from("#!/bin/sh\n");
    const kept = new StepFile(path.join(folder, "kept"), bytes);
    rmSync(path.join(folder, "kept"), { recursive: true });
    kept.ensure();
    assert.deepEqual(readFileSync(kept.path), bytes);
    chmodSync(kept.path, 0o700);
    writeFileSync(kept.path, "#!/bin/evil\n");
    assert.equal(new StepFile(path.join(folder, "kept"), bytes).path, kept.path);
    assert.deepEqual(readFileSync(kept.path), bytes);
    assert.deepEqual(readdirSync(path.join(folder, "kept")).length, 1);
  });
});

describe("Landlock under bubblewrap", { skip: noBubblewrap || (typeof step === "string" ? `needs Landlock: ${step}` : false) }, () => {
  let home = "";
  before(() => {
    home = mkdtempSync("/var/tmp/parley-step-home-");
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  test("is part of the sandbox's state, and works again after the home was emptied", async () => {
    const bench = openBench({ engine: "bubblewrap" });
    const state = await bench.runner.sandbox();
    assert.deepEqual([state.text, state.limits], ["bubblewrap, with Landlock under it", []]);
    spawnSync("mkfifo", [path.join(bench.outside, "pipe")]);
    const attack = `exec 9<>${bench.outside}/pipe && echo OPEN`;
    assert.doesNotMatch((await bench.sh(attack)).output, /OPEN/);
    rmSync(path.join(bench.home, "parley/run"), { recursive: true });
    assert.doesNotMatch((await bench.sh(attack)).output, /OPEN/);
    assert.ok(existsSync(path.join(bench.home, "parley/run")));
    await bench.close();
  });

  test("accepts no rule from the command's own variables", async () => {
    const bench = openBench({ engine: "bubblewrap" });
    const [name = "", value] = ruleVariables([{ path: "/", allow: ["write", "run"] }])[0] ?? [];
    await assert.rejects(bench.sh("true", { env: { [name]: value ?? "" } }), /name of an environment variable begins with/);
    assert.doesNotMatch((await bench.sh("tr '\\0' '\\n' < /proc/self/environ; env")).output, /\u0001/);
    await bench.close();
  });

  test("is left out if its program cannot be stored, and the state names the consequence", async () => {
    mkdirSync(path.join(home, "parley"));
    writeFileSync(path.join(home, "parley/run"), "a file where a folder should be");
    const bench = openBench({ engine: "bubblewrap", codexHome: home });
    const { text, limits } = await bench.runner.sandbox();
    assert.equal(text, "bubblewrap");
    assert.match(limits.join("\n"), /^cannot keep commands from writing into named pipes .*\(no Landlock: .*(EEXIST|ENOTDIR)/);
    spawnSync("mkfifo", [path.join(bench.outside, "pipe")]);
    assert.match((await bench.sh(`exec 9<>${bench.outside}/pipe && echo OPEN`)).output, /OPEN/);
    await bench.close();
  });
});

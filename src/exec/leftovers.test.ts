import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { confinedCommandId, LeftoverNotes } from "./leftovers.ts";
import { markName, processSpace } from "./processes.ts";
import { Placeholders } from "./sandbox/placeholders.ts";
import { openBench, testedEngines } from "./testing.ts";

describe("what a killed server left", { skip: process.platform === "linux" ? false : "needs Linux" }, () => {
  let home: string;
  let work: string;
  const dead = (): string => `${processSpace()}-4194303-1`;
  const noted = (...files: string[]): void => {
    mkdirSync(path.join(home, "parley/stand-ins"), { recursive: true });
    writeFileSync(path.join(home, "parley/stand-ins", dead()), `${files.map((file) => JSON.stringify(file)).join("\n")}\n"torn`);
  };
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), "parley-left-"));
    work = path.join(home, "work");
    mkdirSync(work);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test("stand-ins go, with leases of the dead or without; all else stays", async () => {
    const at = (name: string): string => path.join(work, name);
    for (const name of ["left", "fresh", "filled"]) mkdirSync(at(name), { mode: 0o1711 });
    mkdirSync(at("theirs"));
    writeFileSync(path.join(at("left"), `.parley-${dead()}-x`), "");
    writeFileSync(path.join(at("filled"), "HEAD"), "x");
    writeFileSync(at("file"), "x");
    const own = new Placeholders();
    own.hold(at("held"));
    noted(...["left", "fresh", "filled", "theirs", "file", "held", "missing"].map(at), "relative");
    await new LeftoverNotes(home).clearOthers();
    assert.deepEqual(readdirSync(work).sort(), ["file", "filled", "held", "theirs"]);
    assert.deepEqual(readdirSync(path.join(home, "parley/stand-ins")), []);
    own.release(at("held"));
  });

  test("stand-ins of a dead server with another home go from the temporary folder, which all share", async (t) => {
    const before = process.env["TMPDIR"];
    t.after(() => {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    });
    process.env["TMPDIR"] = work;
    for (const name of [".git", ".codex"]) mkdirSync(path.join(work, name), { mode: 0o1711 });
    writeFileSync(path.join(work, ".git", `.parley-${dead()}-x`), "");
    mkdirSync(path.join(work, ".agents"));
    await new LeftoverNotes(path.join(home, "another")).clearOthers();
    assert.deepEqual(readdirSync(work), [".agents"], "a folder of somebody's stays");
  });

  test("a running server's records are left alone, and removed when it closes", async () => {
    const own = new LeftoverNotes(home);
    const folder = path.join(work, ".git");
    mkdirSync(folder, { mode: 0o1711 });
    own.note([folder]);
    await new LeftoverNotes(home).clearOthers();
    assert.ok(existsSync(folder));
    assert.equal(readdirSync(path.join(home, "parley/stand-ins")).length, 1);
    own.close();
    assert.deepEqual(readdirSync(path.join(home, "parley/stand-ins")), []);
  });

  test("a confined command without its server is ended; one of a living server and other programs go on", async (t) => {
    const start = (id: string) => {
      const child = spawn("sleep", ["60"], { env: { PATH: process.env["PATH"], [markName]: id }, stdio: "ignore" });
      t.after(() => child.kill("SIGKILL"));
      return child;
    };
    const orphan = start(`c-${dead()}-0123456789abcdef`);
    const others = [start(confinedCommandId()), start("0123456789abcdef"), start("c-1-1-1-00")];
    await Promise.all([orphan, ...others].map((child) => once(child, "spawn")));
    const ended = once(orphan, "exit");
    await new LeftoverNotes(home).clearOthers();
    const [, signal] = await ended;
    assert.equal(signal, "SIGKILL");
    for (const child of others) assert.ok(child.exitCode === null && child.signalCode === null);
  });
});

for (const { engine, skip, mounts } of await testedEngines())
  describe(`placeholders under ${engine}`, { skip }, () => {
    test("are in a temporary folder while a command runs, and gone long before anything else of it is", async () => {
      const own = openBench({ engine });
      const temporary = path.join(own.base, "temporary");
      mkdirSync(temporary);
      const env = { PATH: "/usr/bin:/bin", TMPDIR: temporary };
      const run = (): ReturnType<typeof own.start> =>
        own.start(["/bin/sh", "-c", 'read -r line < "$0"', path.join(own.work, "go")], { env });
      try {
        spawnSync("mkfifo", [path.join(own.work, "go")]);
        const running = await run();
        const names = (): string[] => readdirSync(temporary).sort();
        assert.deepEqual(names(), mounts ? [".agents", ".codex", ".git"] : []);
        writeFileSync(path.join(own.work, "go"), "go\n");
        await running.exit;
        const ended = performance.now();
        while (names().length > 0) {
          assert.ok(performance.now() - ended < 1_500, "they outlive the command");
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        await own.close();
      }
    });
  });

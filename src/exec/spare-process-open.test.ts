import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { findSystemProgram } from "../lib/program.ts";
import { type Bench, type BenchOptions, openBench } from "./testing.ts";

const sh = findSystemProgram("sh");
const skip =
  process.platform !== "linux" || sh === undefined || path.basename(realpathSync(sh)) !== "dash" ? "needs Linux with dash as sh" : false;

describe("a shell that waits for the next script without a sandbox", { skip }, () => {
  let bench: Bench;
  before(() => {
    bench = openBench();
  });
  after(() => bench.close());

  const open = { policy: { type: "dangerFullAccess" } } as const;
  const isSpare = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      return parent === process.pid && /\0parley-spare\0$/.test(readFileSync(`/proc/${pid}/cmdline`, "latin1"));
    } catch {
      return false;
    }
  };
  const spare = (): number | undefined => readdirSync("/proc").filter(isSpare).map(Number)[0];

  /** For commands in quick succession, the next one's shell is started ahead. */
  async function waiting(options: BenchOptions): Promise<number> {
    for (let i = 0; i < 200; i++) {
      const running = await bench.start(["/bin/sh", "-c", ":", String(i)], { ...open, ...options });
      running.closeStdin();
      await running.exit;
      const found = spare();
      if (found !== undefined) return found;
    }
    assert.fail("no shell waits");
  }
  async function result(argv: readonly string[], options: BenchOptions = {}, input?: string) {
    const expected = await waiting(options);
    const running = await bench.start(argv, { ...open, ...options });
    if (input !== undefined) running.write(input);
    running.closeStdin();
    const { exitCode } = await running.exit;
    return { isFromSpare: running.pid === expected, exitCode, output: running.output() };
  }
  /** On a machine that stalls for seconds, the shell may be gone before its command comes. */
  async function fromSpare(argv: readonly string[], options: BenchOptions = {}, input?: string) {
    for (let i = 0; i < 20; i++) {
      const { isFromSpare, ...found } = await result(argv, options, input);
      if (isFromSpare) return found;
    }
    assert.fail("no command was started from a shell that waits");
  }
  const script = (text: string, ...args: string[]): string[] => ["/bin/bash", "-c", text, "name", ...args];

  test("becomes it with every argument, its input and its exit code", async () => {
    const odd = ["a b", "it's", "$HOME `id`", '\\n "', "two\nlines\n", "", "*", "$n"];
    const all = await fromSpare(script('printf "%s|" "$@"; cat; exit 7', ...odd), { stdin: "open" }, "given\n");
    assert.deepEqual(all, { exitCode: 7, output: `${odd.map((arg) => `${arg}|`).join("")}given\n` });
    assert.deepEqual(await fromSpare(script("cat; echo over")), { exitCode: 0, output: "over\n" });
  });

  test("leaves no trace in its variables and descriptors", async () => {
    const base = { PATH: "/usr/bin:/bin", ODD: "x y\nz", HOME: "/nowhere" };
    for (const env of [base, { ...base, PWD: "/elsewhere", OLDPWD: "/nowhere", SHLVL: "3" }]) {
      const look = script("tr '\\0' '\\n' </proc/$$/environ | grep -v PARLEY_COMMAND_ID | sort; ls /proc/self/fd");
      const cold = openBench();
      const first = await cold.start(look, { ...open, env });
      await first.exit;
      assert.equal((await fromSpare(look, { env })).output, first.output());
      await cold.close();
    }
    const id = await fromSpare(script("echo $PARLEY_COMMAND_ID"));
    assert.match(id.output, /^[0-9a-f]{32}\n$/, "nothing that a later server would take for a confined command's");
  });

  test("runs it in the folder that has the name now", async () => {
    const cwd = path.join(bench.work, "folder");
    mkdirSync(cwd);
    await waiting({ cwd });
    renameSync(cwd, path.join(bench.work, "moved"));
    mkdirSync(cwd);
    assert.deepEqual(await fromSpare(script("pwd -P; echo $PWD"), { cwd }), { exitCode: 0, output: `${cwd}\n${cwd}\n` });
  });

  test("is left alone by variables that it could not pass on, and by programs that are no shell", async () => {
    for (const env of [{ "a-b": "1" }, { IFS: ":" }]) {
      const running = await bench.start(script("tr '\\0' '\\n' </proc/$$/environ"), { ...open, env: { PATH: "/usr/bin:/bin", ...env } });
      const before = spare();
      await running.exit;
      assert.notEqual(running.pid, before);
      assert.ok(running.output().includes(Object.entries(env).flat().join("=")));
    }
    assert.equal((await result(["/usr/bin/printf", "x"])).isFromSpare, false);
  });
});

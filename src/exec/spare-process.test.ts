import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { RunningCommand } from "../core/ports/command-runner.ts";
import { type Bench, type BenchOptions, noBubblewrap, openBench } from "./testing.ts";

const shell = /\0parley-spare\0$/;
const sandbox = /^\S*bwrap\0--args\0\d\0--args\0/;

/** Processes that wait for a command, as children of another one. */
function spares(kind: RegExp, parent = process.pid): number[] {
  const isSpare = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const [state, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state !== "Z" && Number(ppid) === parent && kind.test(readFileSync(`/proc/${pid}/cmdline`, "latin1"));
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isSpare(name))
    .map(Number);
}

const isThere = (pid: number): boolean => {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
};

async function eventually<T>(look: () => T | undefined, what: string): Promise<T> {
  const end = performance.now() + 30_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > end) assert.fail(`${what} did not come true`);
    await delay(5);
  }
}

async function outcomeOf(running: RunningCommand) {
  const streams = { stdout: "", stderr: "" };
  running.onOutput = (chunk, stream) => {
    streams[stream] += Buffer.from(chunk).toString();
  };
  const { exitCode, signal } = await running.exit;
  return { exitCode, signal, ...streams };
}

describe("a shell that waits for the next command", { skip: noBubblewrap }, () => {
  let bench: Bench;
  before(() => {
    bench = openBench({ engine: "bubblewrap" });
  });
  after(() => bench.close());

  /** For commands in quick succession, the next one's shell is started ahead. */
  async function waiting(options: BenchOptions = {}, { start } = bench, but?: number): Promise<number> {
    for (let i = 0; i < 200; i++) {
      await (await start(["/bin/true", String(i)], options)).exit;
      const spare = spares(shell).find((pid) => pid !== but);
      if (spare !== undefined) return spare;
    }
    assert.fail("no shell waits");
  }
  async function result(argv: readonly string[], options: BenchOptions = {}) {
    const spare = await waiting(options);
    const running = await bench.start(argv, options);
    return { isFromSpare: running.pid === spare, ...(await outcomeOf(running)) };
  }
  /** On a machine that stalls for seconds, the shell may be gone before its command comes. */
  async function fromSpare(argv: readonly string[], options: BenchOptions = {}) {
    for (let i = 0; i < 20; i++) {
      const { isFromSpare, ...found } = await result(argv, options);
      if (isFromSpare) return found;
    }
    assert.fail("no command was started from a shell that waits");
  }
  const printed = (...of: string[]): string[] => ["/usr/bin/printf", "%s|", ...of];

  test("becomes it with every argument, both streams and the exit code", async () => {
    const odd = ["a b", "it's", "$HOME `id` $(id)", '\\n \\ "', "two\nlines\n", "", "*", "~", "-n", "\ttab", "'", "$n", "a;b&c|d>e"];
    const expected = { exitCode: 0, signal: null, stderr: "" };
    assert.deepEqual(await fromSpare(printed(...odd)), { ...expected, stdout: odd.map((arg) => `${arg}|`).join("") });
    const out = await fromSpare(["/bin/sh", "-c", "echo out; echo err >&2; cat; exit 7"]);
    assert.deepEqual(out, { ...expected, exitCode: 7, stdout: "out\n", stderr: "err\n" });
    const merged = await fromSpare(["/bin/sh", "-c", "echo 1; echo 2 >&2; echo 3"], { merged: true });
    assert.deepEqual(merged, { ...expected, stdout: "1\n2\n3\n" });
  });

  test("leaves no trace in the command's environment, descriptors or folder", async () => {
    const env = { PATH: "/usr/bin:/bin", ODD: "x y\nz", HOME: "/nowhere" };
    const look = [
      "/bin/sh",
      "-c",
      "env | sort | grep -v PARLEY_COMMAND_ID; ls -l /proc/self/fd | sed 's/.* \\([0-9]* ->\\)/\\1/' | grep -v pipe; pwd",
    ];
    const cold = await bench.start(look, { env, stdin: "open" });
    cold.closeStdin();
    await cold.exit;
    const spare = await fromSpare(look, { env });
    const lines = (text: string): string[] => text.split("\n").filter((line) => !/^(total|[03] ->)|^PWD=/.test(line));
    assert.deepEqual(lines(spare.stdout), lines(cold.output()));
    const bare = await fromSpare(["/usr/bin/env"], { env: { ONLY: "this" } });
    assert.match(bare.stdout, /^PARLEY_COMMAND_ID=c-[\w-]+\nONLY=this\nCODEX_SANDBOX_NETWORK_DISABLED=1\nPWD=\S+\/work\n$/); // The last one is bubblewrap's.
  });

  test("is left alone by a command that it could not become", async () => {
    const long = "x".repeat(5_000);
    for (const argv of [printed("größer", "日本"), printed(long)]) {
      const { isFromSpare, stdout } = await result(argv);
      assert.deepEqual([isFromSpare, stdout], [false, `${argv.slice(2).join("|")}|`]);
    }
    const shape = await result(printed("split"), { merged: false });
    assert.equal(shape.stdout, "split|");
  });

  test("is optional: one that was killed is replaced", async () => {
    const spare = await waiting();
    process.kill(spare, "SIGKILL");
    await eventually(() => (existsSync(`/proc/${spare}`) ? undefined : true), "its end");
    const running = await bench.start(printed("still here"));
    assert.equal((await running.exit).exitCode, 0);
    assert.equal(running.output(), "still here|");
  });

  test("ends some time after the last command, and at once with the runner", async () => {
    const idle = await waiting();
    await eventually(() => (isThere(idle) ? undefined : true), "its end after the last command");
    const own = openBench({ engine: "bubblewrap" });
    try {
      const spare = await waiting({}, own, idle);
      await own.runner.close();
      await eventually(() => (isThere(spare) ? undefined : true), "its end with the runner");
    } finally {
      await own.close();
    }
  });

  for (const [name, kind, argv] of [
    ["a shell", shell, `["/bin/true", String(i)]`],
    ["the sandbox itself", sandbox, `["/bin/sh", "-c", "[ $N -gt 40 ] || echo $N >>ran"]`],
  ] as const)
    test(`ends with a server that is killed: ${name}`, async () => {
      const program = `
        import { createCommandRunner } from ${JSON.stringify(path.join(import.meta.dirname, "runner.ts"))};
        const runner = createCommandRunner({ codexHome: ${JSON.stringify(bench.home)}, userHome: ${JSON.stringify(bench.base)}, engine: () => "bubblewrap" });
        const [cwd, confinement] = [${JSON.stringify(bench.work)}, { policy: { type: "workspaceWrite" }, workspaceRoots: [${JSON.stringify(bench.work)}], namesMayBeOpen: true }];
        for (let i = 0; ; i++) {
          const command = { argv: ${argv}, cwd, env: { PATH: "/usr/bin:/bin", N: String(i) }, stdin: "closed" };
          await (await runner.start(command, confinement, new AbortController().signal)).exit;
          if (i === 20) process.stdout.write("many");
          while (i === 20) await new Promise((resolve) => setTimeout(resolve, 20));
        }
      `;
      const server = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
      await once(server.stdout, "data");
      const spare = spares(kind, server.pid)[0];
      server.kill("SIGKILL");
      await once(server, "exit");
      assert.notEqual(spare, undefined, "one waited");
      await eventually(() => (isThere(spare ?? 0) ? undefined : true), "its end");
      const ran = path.join(bench.work, "ran");
      if (kind === sandbox) assert.equal(readFileSync(ran, "utf8").trim().split("\n").length, 21, "it ran nothing as it ended");
      rmSync(ran, { force: true });
    });
});

describe("a sandbox that waits for the same command again", { skip: noBubblewrap }, () => {
  let bench: Bench;
  before(() => {
    bench = openBench({ engine: "bubblewrap" });
  });
  after(() => bench.close());

  async function waiting(argv: readonly string[], options: BenchOptions = {}): Promise<number> {
    for (let i = 0; i < 200; i++) {
      await (await bench.start(argv, options)).exit;
      const [spare] = spares(sandbox);
      if (spare !== undefined) return spare;
    }
    assert.fail("no sandbox waits");
  }
  /** On a machine that stalls for seconds, it may be gone before its command comes. */
  async function again(argv: readonly string[], before: BenchOptions, now: BenchOptions) {
    for (let i = 0; i < 20; i++) {
      const spare = await waiting(argv, before);
      const running = await bench.start(argv, now);
      const outcome = await outcomeOf(running);
      if (running.pid === spare) return outcome;
    }
    assert.fail("no command was started from a sandbox that waits");
  }

  test("becomes it in another folder, with other variables and under another policy", async () => {
    const look = ["/bin/sh", "-c", 'pwd; echo "$WORD"; cat; echo err >&2; touch made 2>/dev/null && echo writable; exit 3'];
    const sub = path.join(bench.work, "größer");
    mkdirSync(sub);
    const env = { PATH: "/usr/bin:/bin" };
    const expected = { exitCode: 3, signal: null, stderr: "err\n" };
    const before = { env: { ...env, WORD: "before" } };
    assert.deepEqual(await again(look, before, { cwd: sub, env: { ...env, WORD: "a b\nc" } }), {
      ...expected,
      stdout: `${sub}\na b\nc\nwritable\n`,
    });
    const closed = await again(look, before, { env: { ...env, WORD: "" }, policy: { type: "readOnly" } });
    assert.deepEqual(closed, { ...expected, stdout: `${bench.work}\n\n` });
  });

  test("protects the folder as it is then, not as it was", async () => {
    const write = ["/bin/sh", "-c", "echo x >.git/config; echo x >.codex/config.toml; ls -A .git"];
    await waiting(write);
    mkdirSync(path.join(bench.work, ".git"));
    writeFileSync(path.join(bench.work, ".git", "config"), "mine");
    const { stdout } = await again(write, {}, {});
    assert.equal(stdout, "config\n");
    assert.equal(readFileSync(path.join(bench.work, ".git", "config"), "utf8"), "mine");
    assert.ok(!existsSync(path.join(bench.work, ".codex")));
  });

  test("leaves no trace in the command's environment, descriptors or folder", async () => {
    const env = { PATH: "/usr/bin:/bin", ODD: "x y\nz" };
    const look = [
      "/bin/sh",
      "-c",
      "env | sort | grep -v PARLEY_COMMAND_ID; ls -l /proc/self/fd | sed 's/.* \\([0-9]* ->\\)/\\1/' | grep -v pipe; pwd",
    ];
    const cold = await bench.start(look, { env, stdin: "open" });
    cold.closeStdin();
    await cold.exit;
    const lines = (text: string): string[] => text.split("\n").filter((line) => !/^(total|[03] ->)/.test(line));
    assert.deepEqual(lines((await again(look, { env }, { env })).stdout), lines(cold.output()));
  });

  test("gives way to another command", async () => {
    const spare = await waiting(["/bin/true"]);
    const other = await bench.start(["/bin/sh", "-c", "echo other"]);
    assert.equal((await other.exit).exitCode, 0);
    assert.equal(other.output(), "other\n");
    await eventually(() => (isThere(spare) ? undefined : true), "its end");
  });
});

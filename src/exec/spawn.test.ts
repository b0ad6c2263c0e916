import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { CommandRefused } from "../core/ports/command-runner.ts";
import { openTerminal, scriptedTerminal } from "./pty.ts";
import { createCommandRunner } from "./runner.ts";
import { noLeftovers } from "./sandbox/platform-sandbox.ts";
import { type Bench, openBench, testedEngines } from "./testing.ts";

const open = { type: "dangerFullAccess" } as const;

function noTerminals(): string | false {
  const terminal = openTerminal({ cols: 1, rows: 1 });
  terminal?.releaseSlave();
  terminal?.master.destroy();
  return terminal === undefined ? "needs node-pty" : false;
}
const modes = [
  { name: "full access", policy: open, skip: false as const, engine: undefined },
  ...(await testedEngines()).map(({ engine, skip }) => ({
    ...{ name: `the sandbox by ${engine}`, policy: { type: "workspaceWrite" } as const, skip, engine },
  })),
];

async function eventually(isTrue: () => boolean, what: string): Promise<void> {
  const end = performance.now() + 30_000;
  while (!isTrue()) {
    if (performance.now() > end) assert.fail(`${what} did not come true`);
    await delay(20);
  }
}

/** Live processes whose command line contains the mark; marks are sleep times that nothing else uses. */
const running = (mark: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const argv = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
        return argv[0]?.endsWith("sleep") === true && argv[1] === mark && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
      } catch {
        return false;
      }
    });

for (const [mode, { name, policy, skip, engine }] of modes.entries())
  describe(`commands in ${name}`, { skip: process.platform === "linux" ? skip : "needs Linux" }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());
    let marks = 0;
    const mark = (): string => `3${process.pid}${mode + 1}${marks++}`;

    test("exit codes, signals and both streams", async () => {
      const running = await bench.start(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], { policy });
      const streams: string[] = [];
      running.onOutput = (chunk, stream) => void streams.push(`${stream} ${Buffer.from(chunk).toString().trim()}`);
      assert.equal((await running.exit).exitCode, 3);
      assert.deepEqual(streams.sort(), ["stderr err", "stdout out"]);
      assert.equal((await bench.sh("kill -9 $$", { policy })).exitCode, 137);
    });

    test("nothing is read while its reader asks to wait, and nothing is lost by that", async () => {
      const running = await bench.start(["/bin/sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x"], { policy });
      let bytes = 0;
      let isFull = false;
      running.onOutput = async (chunk) => {
        assert.ok(!isFull);
        bytes += chunk.length;
        isFull = true;
        await setImmediate();
        isFull = false;
      };
      assert.equal((await running.exit).exitCode, 0);
      assert.equal(bytes, 300_000);
    });

    test("what is in the pipe when a command ends still reaches a reader that asked to wait", async () => {
      const go = path.join(bench.work, mark());
      const running = await bench.start(["/bin/bash", "-c", `printf first; until [ -e ${go} ]; do sleep 0.01; done; printf second`], {
        policy,
      });
      const [arrived, room] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let output = "";
      running.onOutput = (chunk) => {
        output += Buffer.from(chunk).toString();
        arrived.resolve();
        return output === "first" ? room.promise : undefined;
      };
      await arrived.promise;
      writeFileSync(go, "");
      // Longer than a finished command's output may stay silent.
      const longer = bench.sh("sleep 0.3", { policy }).then(() => "waits");
      assert.equal(await Promise.race([running.exit.then(() => "ended"), longer]), "waits");
      assert.equal(output, "first");
      room.resolve();
      assert.equal((await running.exit).exitCode, 0);
      assert.equal(output, "firstsecond");
    });

    test("output goes to real pipes, nothing else is inherited", async () => {
      const { output } = await bench.sh("echo one > /dev/stdout; echo two | tee /dev/stderr > /dev/null; ls -l /proc/self/fd", { policy });
      assert.match(output, /one\n/);
      assert.match(output, /two\n/);
      assert.doesNotMatch(output, /socket:|\.sqlite|anon_inode/);
      const others = [...output.matchAll(/ (\d+) -> (\S+)/g)].filter(
        ([, fd, target]) => Number(fd) > 2 && target !== "/dev/null" && !target?.startsWith("/proc/"),
      );
      assert.deepEqual(others, []);
      const echo = await bench.start(["/bin/cat"], { policy, stdin: "open" });
      echo.write("through");
      echo.closeStdin();
      await echo.exit;
      assert.equal(echo.output(), "through");
    });

    test("merged streams keep their order", async () => {
      const { output } = await bench.sh("for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; done", { policy, merged: true });
      assert.equal(output, [1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `o${i}\ne${i}\n`).join(""));
    });

    test("closed input ends at once, and megabytes arrive completely", async () => {
      assert.equal((await bench.sh("cat; echo over", { policy })).output, "over\n");
      const { output } = await bench.sh("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end", { policy });
      assert.equal(output.length, 3_000_005);
      assert.ok(output.endsWith("\nend\n"));
    });

    test("a time-out ends everything and gives 124; one that ignores TERM is killed", async () => {
      const [a, b] = [mark(), mark()];
      // If the machine is too slow to set the trap in that time, it gets more.
      let output = "";
      for (let timeoutMs = 150; output === "" && timeoutMs < 30_000; timeoutMs *= 3) {
        const polite = await bench.sh(`trap 'echo bye; exit 0' TERM; sleep ${a} & wait`, { policy, timeoutMs });
        assert.deepEqual([polite.exitCode, polite.timedOut], [124, true]);
        output = polite.output;
      }
      assert.equal(output, "bye\n");
      const stubborn = await bench.sh(`trap '' TERM INT HUP; sleep ${b}; sleep ${b}`, { policy, timeoutMs: 150 });
      assert.deepEqual([stubborn.exitCode, stubborn.timedOut], [124, true]);
      assert.deepEqual([...running(a), ...running(b)], []);
    });

    test("an interrupt ends the command, stopped children too", async () => {
      const a = mark();
      const controller = new AbortController();
      const running_ = bench.sh(`sleep ${a} & sleep 0.2; kill -STOP $!; echo started; wait`, { policy, signal: controller.signal });
      await eventually(() => running(a).length > 0, "start");
      controller.abort();
      assert.notEqual((await running_).exitCode, 0);
      await eventually(() => running(a).length === 0, "end of the stopped child");
      await assert.rejects(bench.sh("true", { policy, signal: controller.signal }), CommandRefused);
    });

    test("a child that holds the output open does not hold up the end", async () => {
      const a = mark();
      const { output, exitCode } = await bench.sh(`sleep ${a} & echo done`, { policy });
      assert.deepEqual([output, exitCode], ["done\n", 0], "it did not come to the time-out");
      const closed = await bench.sh("exec >&- 2>&-; sleep 0.1; exit 4", { policy });
      assert.equal(closed.exitCode, 4);
      await bench.runner.close();
      assert.deepEqual(running(a), []);
    });

    test("what cannot be started is refused with its kind", async () => {
      const kind = async (run: Promise<unknown>): Promise<string> => {
        const error: unknown = await run.then(
          () => undefined,
          (e: unknown) => e,
        );
        assert.ok(error instanceof CommandRefused);
        return error.kind;
      };
      assert.equal(await kind(bench.start(["no-such-program-at-all"], { policy })), "notFound");
      assert.equal(await kind(bench.start(["/etc/passwd"], { policy })), "notFound");
      assert.equal(await kind(bench.sh("true", { policy, cwd: "/no/such/folder" })), "badCwd");
      assert.equal(await kind(bench.sh("true", { policy, cwd: "relative" })), "badCwd");
      assert.equal(await kind(bench.start([], { policy })), "other");
      assert.equal(await kind(bench.start(["echo", "a\0b"], { policy })), "other");
      assert.equal(await kind(bench.start(["env"], { policy, env: { "A=B": "1", PATH: "/bin" } })), "other");
      assert.equal(await kind(bench.start(["echo", "x".repeat(3_000_000)], { policy })), "other");
    });

    test("a terminal: size, resize, input, controlling terminal, Ctrl-C", {
      skip: noTerminals(),
    }, async () => {
      const line =
        "stty size; trap 'stty size' WINCH; exec 3<>/dev/tty && echo controls; read a; echo got $a; trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.05; done";
      const terminal = await bench.start(["/bin/bash", "-c", line], { policy, stdin: "open", tty: { cols: 90, rows: 30 } });
      await eventually(() => terminal.output().includes("controls"), "the terminal");
      terminal.resize(100, 40);
      terminal.write("word\n");
      await eventually(() => terminal.output().includes("ready"), "input");
      terminal.write("\x03");
      const { exitCode } = await terminal.exit;
      assert.match(terminal.output(), /^30 90\r\ncontrols\r\n/);
      assert.match(terminal.output(), /got word\r\n/);
      assert.match(terminal.output(), /40 100\r\n/);
      assert.match(terminal.output(), /interrupted/);
      assert.equal(exitCode, 7);
      const beside = await bench.sh("ls -l /proc/self/fd", { policy });
      assert.doesNotMatch(beside.output, /ptmx|\/dev\/pts/);
    });

    test("when the server is killed, its commands end and nothing is left in the workspace", async () => {
      const a = mark();
      const own = openBench({ engine });
      try {
        const program = `
          import { createCommandRunner } from ${JSON.stringify(path.join(import.meta.dirname, "runner.ts"))};
          const runner = createCommandRunner({ codexHome: ${JSON.stringify(own.home)}, userHome: ${JSON.stringify(own.base)}, engine: () => ${JSON.stringify(engine ?? "auto")} });
          const command = { argv: ["/bin/bash", "-c", "trap '' HUP TERM; sleep ${a} & (setsid sleep ${a}.5 &); sleep ${a}"], cwd: ${JSON.stringify(own.work)}, env: { PATH: "/usr/bin:/bin" }, stdin: "closed" };
          await runner.start(command, { policy: ${JSON.stringify(policy)}, workspaceRoots: [${JSON.stringify(own.work)}], namesMayBeOpen: true }, new AbortController().signal);
          console.log("up");
          setInterval(() => {}, 1000);
        `;
        const server = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
        await new Promise((resolve) => server.stdout.once("data", resolve));
        await eventually(() => running(a).length === 2 && running(`${a}.5`).length === 1, "start");
        server.kill("SIGKILL");
        await eventually(() => running(a).length === 0, "end of the command");
        if (policy === open) {
          const [survivor] = running(`${a}.5`);
          assert.ok(survivor !== undefined, "one that left its session on purpose lives on");
          process.kill(survivor, "SIGKILL");
        } else await eventually(() => running(`${a}.5`).length === 0, "end of the daemon");
        await eventually(() => readdirSync(own.work).length === 0, "clean workspace");
      } finally {
        await own.close();
      }
    });

    test("killed at any moment of a start, nothing lives on", async () => {
      const a = mark();
      const own = openBench({ engine });
      try {
        for (let i = 0; i < 8; i++) {
          const program = `
            import { createCommandRunner } from ${JSON.stringify(path.join(import.meta.dirname, "runner.ts"))};
            const runner = createCommandRunner({ codexHome: ${JSON.stringify(own.home)}, userHome: ${JSON.stringify(own.base)}, engine: () => ${JSON.stringify(engine ?? "auto")} });
            const command = { argv: ["/bin/sleep", "${a}"], cwd: ${JSON.stringify(own.work)}, env: { PATH: "/usr/bin:/bin" }, stdin: "closed" };
            const start = () => runner.start(command, { policy: ${JSON.stringify(policy)}, workspaceRoots: [${JSON.stringify(own.work)}], namesMayBeOpen: true }, new AbortController().signal);
            const warm = await start(); await warm.kill();
            void start(); void start();
            setImmediate(() => setTimeout(() => process.kill(process.pid, "SIGKILL"), ${i}));
          `;
          const server = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "inherit" });
          await new Promise((resolve) => server.once("exit", resolve));
        }
        await eventually(() => running(a).length === 0 && readdirSync(own.work).length === 0, "nothing left");
        await delay(300);
        assert.deepEqual(running(a), []);
      } finally {
        await own.close();
      }
    });
  });

describe("full access", { skip: process.platform === "linux" ? false : "needs Linux" }, () => {
  test("a process that left the session is reported; the session ends with kill(), also after the exit", async () => {
    const bench = openBench();
    try {
      const [away, near] = [`41.${process.pid}`, `42.${process.pid}`];
      const until = (seconds: string): string => `until ps -eo args= | grep -qx 'sleep ${seconds}'; do sleep 0.05; done`;
      const line = `setsid sleep ${away} >/dev/null 2>&1 & sleep ${near} >/dev/null 2>&1 & ${until(away)}; ${until(near)}`;
      const command = await bench.start(["/bin/bash", "-c", line], { policy: open });
      const { survivors } = await command.exit;
      assert.deepEqual(survivors, running(away));
      assert.equal(running(near).length, 1);
      await command.kill();
      assert.deepEqual(running(near), []);
      assert.deepEqual(running(away), survivors);
      for (const pid of survivors) process.kill(pid, "SIGKILL");
    } finally {
      await bench.close();
    }
  });

  test("script(1) replaces a missing terminal module", {
    skip: scriptedTerminal(["true"], { cols: 1, rows: 1 }) === undefined ? "needs script(1)" : false,
  }, async () => {
    const bench = openBench();
    try {
      const argv = scriptedTerminal(["/bin/bash", "-c", "stty size; test -t 1 && echo terminal; exit 5"], { cols: 70, rows: 20 }) ?? [];
      const command = await bench.start(argv, { policy: open });
      assert.equal((await command.exit).exitCode, 5);
      assert.match(command.output(), /20 70\r\nterminal\r\n/);
    } finally {
      await bench.close();
    }
  });

  test("an external sandbox runs commands unchanged; other modes are refused if no sandbox is available", async () => {
    const bench = openBench();
    const refusing = createCommandRunner({
      codexHome: bench.home,
      sandbox: {
        leftovers: noLeftovers,
        state: () => Promise.resolve({ engine: "none", text: "none here", limits: [] }),
        prepare: () => Promise.resolve({ refused: "No sandbox: none here." }),
        wrap: () => ({ refused: "none" }),
      },
    });
    const command = { argv: ["/bin/true"], cwd: "/", env: {}, stdin: "closed" } as const;
    const { signal } = new AbortController();
    try {
      const external = await refusing.start(command, { policy: { type: "externalSandbox" }, workspaceRoots: [] }, signal);
      assert.equal((await external.exit).exitCode, 0);
      await assert.rejects(refusing.start(command, { policy: { type: "readOnly" }, workspaceRoots: [] }, signal), { kind: "noSandbox" });
    } finally {
      await refusing.close();
      await bench.close();
    }
  });

  test("commands still run if the home cannot be written", async () => {
    const bench = openBench();
    const runner = createCommandRunner({ codexHome: "/proc/none", userHome: bench.base });
    try {
      mkdirSync(path.join(bench.work, "x"));
      const running = await runner.start(
        { argv: ["/bin/echo", "fine"], cwd: bench.work, env: {}, stdin: "closed" },
        { policy: open, workspaceRoots: [] },
        new AbortController().signal,
      );
      let output = "";
      running.onOutput = (chunk) => {
        output += Buffer.from(chunk).toString();
      };
      await running.exit;
      assert.equal(output, "fine\n");
      assert.ok(!existsSync("/proc/none"));
    } finally {
      await runner.close();
      await bench.close();
    }
  });
});

/** The processes that our own engines keep ready for the next command. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "./processes.ts";
import { type Bench, openBench, testedEngines } from "./testing.ts";

/** The children of a process that have this name. */
function childrenCalled(name: string, parent: number | undefined): number[] {
  const isOne = (pid: string): boolean => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const [state, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state !== "Z" && Number(ppid) === parent && readFileSync(`/proc/${pid}/cmdline`, "latin1").endsWith(`\0${name}\0`);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && isOne(entry))
    .map(Number);
}

/** Processes that wait, or that build a sandbox, started by a server or by its starter. */
function helpers(server = process.pid): number[] {
  const parents = [server, ...childrenCalled("parley-starter", server)];
  return parents.flatMap((parent) => childrenCalled("parley-sandbox", parent));
}

async function eventually<T>(look: () => T | undefined, what: string): Promise<T> {
  const end = performance.now() + 60_000;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > end) assert.fail(`${what} did not come true`);
    await delay(10);
  }
}

for (const { engine, skip, mounts } of (await testedEngines()).filter(({ engine }) => engine !== "bubblewrap"))
  describe(`the process that ${engine} keeps ready`, { skip }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());

    const gone = (pid: number): Promise<true> => eventually(() => (isAlive(pid) ? undefined : true), `the end of ${pid}`);
    /** The waiting process after a command has ended, other than the known ones. */
    const held = async (own = bench, known: readonly number[] = helpers()): Promise<number> => {
      assert.equal((await own.sh("true")).exitCode, 0);
      return eventually(() => helpers().find((pid) => !known.includes(pid)), "one that waits");
    };

    test("becomes the next command, and another one replaces it", async () => {
      const first = await held();
      const running = await bench.start(["/bin/echo", "became"]);
      assert.equal(running.pid, first);
      assert.equal((await running.exit).exitCode, 0);
      assert.equal(running.output(), "became\n");
      const second = await eventually(() => helpers().find((pid) => pid !== first), "the next one");
      assert.notEqual(second, first);
    });

    test("has a second one next to it while commands follow one another, and none some time later", async () => {
      const own = openBench({ engine });
      const known = helpers();
      const waiting = (): number[] => helpers().filter((pid) => !known.includes(pid));
      const end = performance.now() + 60_000;
      try {
        for (let isReady = false; !isReady; ) {
          assert.ok(performance.now() < end, "two commands never found one each");
          await own.sh("true");
          await eventually(() => waiting().at(0), "one that waits");
          const before = waiting();
          const pair = await Promise.all([own.start(["/bin/true"]), own.start(["/bin/true"])]);
          isReady = pair.every(({ pid }) => before.some((one) => one === pid));
          await Promise.all(pair.map(({ exit }) => exit));
        }
        await eventually(() => (waiting().length === 1 ? true : undefined), "a single one that waits");
      } finally {
        await own.close();
      }
    });

    test("is replaced when it was killed", async () => {
      const waiting = await eventually(() => helpers().at(0), "one that waits");
      process.kill(waiting, "SIGKILL");
      await gone(waiting);
      assert.equal((await bench.sh("echo fine")).output, "fine\n");
      await eventually(() => helpers().find((pid) => pid !== waiting), "another one");
    });

    test("carries nothing over from one command to the next: no variable, no descriptor, no folder", async () => {
      const shown = "env | cut -d= -f1 | sort | grep -v PARLEY_COMMAND_ID; ls /proc/self/fd | wc -l; pwd";
      const env = { PATH: "/usr/bin:/bin" };
      const own = openBench({ engine });
      try {
        const cold = (await own.sh(shown, { env })).output.replaceAll(own.base, "");
        const secret = { ...env, SECRET_OF_ONE: "x" };
        assert.equal((await bench.sh("echo $SECRET_OF_ONE", { env: secret, cwd: bench.base })).output, "x\n");
        await eventually(() => helpers().at(0), "one that waits");
        assert.equal((await bench.sh(shown, { env })).output.replaceAll(bench.base, ""), cold);
        assert.doesNotMatch(cold, /SECRET_OF_ONE/);
      } finally {
        await own.close();
      }
    });

    test("is bound by the policy of the command that it becomes, whatever the previous one had", async () => {
      assert.equal((await bench.sh("touch may && echo made")).output, "made\n");
      const readOnly = await bench.sh("touch must-not; echo end", { policy: { type: "readOnly" } });
      assert.match(readOnly.output, /end\n$/);
      assert.ok(!existsSync(path.join(bench.work, "must-not")));
      const roots = { type: "workspaceWrite" as const, writableRoots: [bench.outside], networkAccess: true };
      assert.equal((await bench.sh(`touch ${bench.outside}/may && echo made`, { policy: roots })).output, "made\n");
      assert.notEqual((await bench.sh(`touch ${bench.outside}/must-not`)).exitCode, 0);
      const ways = (await bench.sh("tail -n +3 /proc/net/dev | cut -d: -f1")).output.trim();
      if (mounts) assert.equal(ways, "lo", "no network of the machine");
    });

    test("is ended some time after the last command, and at once with the runner", async () => {
      const short = openBench({ engine, holdMs: 50 });
      const long = openBench({ engine });
      try {
        await gone(await held(short));
        const waiting = await held(long);
        await long.runner.close();
        await gone(waiting);
      } finally {
        await Promise.all([short.close(), long.close()]);
      }
    });

    test("ends with a server that is killed", async () => {
      const program = `
        import { createCommandRunner } from ${JSON.stringify(path.join(import.meta.dirname, "runner.ts"))};
        const runner = createCommandRunner({ codexHome: ${JSON.stringify(bench.home)}, userHome: ${JSON.stringify(bench.base)}, engine: () => ${JSON.stringify(engine)} });
        const command = { argv: ["/bin/true"], cwd: "/", env: {}, stdin: "closed" };
        await (await runner.start(command, { policy: { type: "readOnly" }, workspaceRoots: [] }, new AbortController().signal)).exit;
        process.stdout.write("ran");
        setInterval(() => {}, 1000);
      `;
      const server = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
      await once(server.stdout, "data");
      const waiting = await eventually(() => helpers(server.pid).at(0), "one that waits");
      server.kill("SIGKILL");
      await once(server, "exit");
      await gone(waiting);
    });
  });

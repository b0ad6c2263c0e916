import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { RunningCommand } from "../core/ports/command-runner.ts";
import { isAlive } from "./processes.ts";
import { encodeOrder } from "./sandbox/engines/starter-list.ts";
import { type Bench, type BenchOptions, openBench, testedEngines } from "./testing.ts";

const order = { life: "a", second: "b", stdout: "c", stderr: "d", first: "e", hasInput: false, mark: "NAME=value" };

describe("an order for the starter", () => {
  test("has one size, whatever it says", () => {
    const sizes = [encodeOrder([]), encodeOrder([5, 6]), encodeOrder([7], order)].map((bytes) => bytes?.length);
    assert.equal(new Set(sizes).size, 1);
  });

  test("is not made of a text that is too long for it", () => {
    assert.equal(encodeOrder([], { ...order, life: "x".repeat(48) }), undefined);
    assert.equal(encodeOrder([], { ...order, mark: "x".repeat(256) }), undefined);
  });
});

const [namespaces] = (await testedEngines()).filter(({ engine }) => engine === "namespaces");

describe("a starter of sandboxes", { skip: namespaces?.skip ?? "another engine is forced" }, () => {
  let bench: Bench;
  before(() => {
    bench = openBench({ engine: "namespaces" });
  });
  after(() => bench.close());

  const statOf = (pid: number): readonly string[] => {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  };
  const nameOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "latin1");
  const parentOf = (pid: number): number => Number(statOf(pid)[1]);

  /** A command that the starter has started; the first ones of a server are started by the server. */
  async function started(argv: readonly string[], options: BenchOptions = {}, own = bench): Promise<RunningCommand & { output(): string }> {
    const end = performance.now() + 60_000;
    while (performance.now() < end) {
      await (await own.start(["/bin/true"], options)).exit;
      await delay(5);
      const running = await own.start(argv, options);
      if (nameOf(parentOf(running.pid ?? 0)).endsWith("\0parley-starter\0")) return running;
      await running.kill();
    }
    assert.fail("the starter started none");
  }
  async function eventually(isTrue: () => boolean, what: string): Promise<void> {
    const end = performance.now() + 30_000;
    for (; !isTrue(); await delay(5)) assert.ok(performance.now() < end, `${what} did not come true`);
  }

  test("its commands end with their own codes and signals, and print to both streams", async () => {
    const cases: readonly (readonly [string, number])[] = [
      ["exit 0", 0],
      ["exit 7", 7],
      ["exit 255", 255],
      ["kill -KILL $$", 137],
    ];
    for (const [line, code] of cases) {
      const running = await started(["/bin/bash", "-c", `echo out; echo err >&2; ${line}`]);
      const { exitCode, signal } = await running.exit;
      const lines = running.output().trim().split("\n").sort();
      assert.deepEqual({ exitCode, signal, lines }, { exitCode: code, signal: null, lines: ["err", "out"] });
    }
  });

  test("a sandbox leads a session of its own, and its process is gone a moment after its end", async () => {
    const running = await started(["/bin/sleep", "30"]);
    const pid = running.pid ?? 0;
    assert.deepEqual(statOf(pid).slice(2, 4), [String(pid), String(pid)]);
    await running.kill();
    await eventually(() => !isAlive(pid), "the end of its number");
  });

  test("a command with open input reads what it is given, and its end, however often", async () => {
    for (let i = 0; i < 60; i++) {
      const running = await bench.start(["/bin/cat"], { stdin: "open" });
      running.write(`line ${i}\n`);
      running.closeStdin();
      assert.deepEqual([(await running.exit).exitCode, running.output()], [0, `line ${i}\n`]);
    }
    const waits = await started(["/bin/sh", "-c", "cat && cat /dev/stdin"], { stdin: "open" });
    waits.write("x".repeat(300_000));
    waits.closeStdin();
    assert.deepEqual([(await waits.exit).exitCode, waits.output().length], [0, 300_000]);
  });

  test("nothing of the server or of another command is open in its sandboxes", async () => {
    const list = "readlink /proc/self/fd/* | sed 's/[0-9]*]$//' | sort -u";
    for (const stdin of ["open", "closed"] as const) {
      const running = await started(["/bin/bash", "-c", `${list}; true`], { stdin });
      running.closeStdin();
      await running.exit;
      const unexpected = running
        .output()
        .trim()
        .split("\n")
        .filter((name) => !/^pipe:\[$|\/pipe-[\d-]+( \(deleted\))?$|^\/dev\/null$|^\/proc\//.test(name));
      assert.deepEqual(unexpected, []);
    }
  });

  test("a list of megabytes arrives whole", async () => {
    const args = Array.from({ length: 20 }, (_, i) => String(i % 10).repeat(100_000));
    const running = await started(["/bin/sh", "-c", 'printf %s "$@" | wc -c', "sh", ...args]);
    assert.deepEqual([(await running.exit).exitCode, running.output().trim()], [0, "2000000"]);
  });

  test("if it is killed its commands end with it, and the next ones run", async () => {
    const own = openBench({ engine: "namespaces" });
    try {
      const running = await started(["/bin/sleep", "30"], {}, own);
      process.kill(parentOf(running.pid ?? 0), "SIGKILL");
      assert.deepEqual((({ exitCode, signal }) => ({ exitCode, signal }))(await running.exit), { exitCode: 137, signal: "SIGKILL" });
      for (let i = 0; i < 5; i++) assert.equal((await own.sh(`echo ${i}`)).output, `${i}\n`);
    } finally {
      await own.close();
    }
  });

  test("it ends with its server's last command, not before", async () => {
    const own = openBench({ engine: "namespaces", holdMs: 20 });
    try {
      const running = await started(["/bin/cat"], { stdin: "open" }, own);
      const starter = parentOf(running.pid ?? 0);
      await eventually(() => readdirSync(`/proc/${starter}/task/${starter}`).length > 0 && childrenOf(starter) === 1, "no sandbox waits");
      running.write("still here");
      running.closeStdin();
      assert.deepEqual([(await running.exit).exitCode, running.output()], [0, "still here"]);
      await eventually(() => !isAlive(starter), "the end of the starter");
    } finally {
      await own.close();
    }
  });

  const childrenOf = (pid: number): number => readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").length;
});

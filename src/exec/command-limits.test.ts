import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { kernelLimits, limitedArgv } from "./command-limits.ts";
import { type Room, roomOfMachine, type Space } from "./command-limits-room.ts";
import { type Bench, openBench, testedEngines } from "./testing.ts";

const megabyte = 2 ** 20;

test("without limits a command is started unchanged", () => {
  assert.deepEqual(limitedArgv(["a", "b"], {}), ["a", "b"]);
  assert.deepEqual(limitedArgv(["a"], { processes: 0, openFiles: 0, fileMegabytes: 0, memoryMegabytes: 0 }), ["a"]);
});

test("the kernel's limit is slightly higher than the guard's, and used only where it counts this command alone", () => {
  assert.deepEqual(kernelLimits({ processes: 400, openFiles: 9 }, true), { processes: 450, openFiles: 9 });
  assert.deepEqual(kernelLimits({ processes: 400, openFiles: 9 }, false), { openFiles: 9 });
  assert.deepEqual(kernelLimits({ processes: 0 }, true), {});
});

test("free space as this machine reports it", { skip: process.platform === "linux" ? false : "needs Linux" }, async () => {
  assert.ok(roomOfMachine.threads() > 1);
  const memory = roomOfMachine.memory();
  assert.ok(memory !== undefined && memory.free > 0 && memory.free <= memory.total);
  const disk = await roomOfMachine.disk("/");
  assert.ok(disk !== undefined && disk.total > 0 && disk.free <= disk.total);
  assert.equal(await roomOfMachine.disk("/no/such/folder"), undefined);
});

for (const { engine, skip, protects } of await testedEngines())
  describe(`limits on what a command may use, with ${engine}`, { skip }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());

    test("one that starts processes without end is stopped with a word that says why, and the next one runs", async () => {
      const seconds = `66.${process.pid}`;
      // Bounded, to protect the machine that runs the tests.
      const bomb = `perl -e '$SIG{TERM} = "IGNORE"; for (1..1200) { my $p = fork; die "fork: $!" unless defined $p; exec "sleep", "${seconds}" unless $p } sleep 66'`;
      const { output, exitCode } = await bench.sh(bomb, { limits: { processes: 300 } });
      assert.notEqual(exitCode, 0);
      // The kernel refuses if it counts processes for this user; otherwise the server ends the command.
      assert.match(output, /Resource temporarily unavailable|may have 300; parley\.command_limits\.processes/);
      // The last of them may take a moment to exit.
      const alive = (): string[] => readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && cmdline(pid).includes(`sleep\0${seconds}`));
      for (let i = 0; i < 500 && alive().length > 0; i++) await delay(20);
      assert.deepEqual(alive(), []);
      assert.equal((await bench.sh("echo fine")).output, "fine\n");
    });

    test("one that starts threads without end, too", async (t) => {
      const python = `import threading, time\nfor i in range(1200):\n  threading.Thread(target=time.sleep, args=(66,), daemon=True).start()\ntime.sleep(66)`;
      if ((await bench.sh("command -v python3")).exitCode !== 0) return t.skip("needs python3");
      const { output, exitCode } = await bench.start(["python3", "-c", python], { limits: { processes: 300 } }).then(async (running) => ({
        ...(await running.exit),
        output: running.output(),
      }));
      assert.notEqual(exitCode, 0);
      assert.match(output, /can't start new thread|may have 300; parley\.command_limits\.processes/);
    });

    test("one that doubles again and again is ended as a whole with the reason, and holds up nobody meanwhile", async () => {
      const mark = `doubling-${engine}-${process.pid}`;
      // At most 2,000 of them, to protect the machine that runs the tests. Their parents exit at once.
      const bomb = "b() { [ $1 -gt 0 ] || { sleep 66; return; }; b $(($1 - 1)) | b $(($1 - 1)) & }; b 9; sleep 66";
      const delays = monitorEventLoopDelay({ resolution: 20 });
      delays.enable();
      const running = await bench.start(["/bin/bash", "-c", bomb, mark], { limits: { processes: 300 }, timeoutMs: 120_000 });
      const { exitCode, timedOut } = await running.exit;
      assert.deepEqual([exitCode === 0, timedOut], [false, false], running.output());
      assert.match(running.output(), /Resource temporarily unavailable|may have 300; parley\.command_limits\.processes/);
      await running.kill();
      const alive = (): string[] => readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && cmdline(pid).includes(mark));
      for (let i = 0; i < 500 && alive().length > 0; i++) await delay(20);
      assert.deepEqual(alive(), []);
      assert.ok(delays.max < 20e9, `held up for ${delays.max / 1e9} s`);
      assert.equal((await bench.sh("echo fine")).output, "fine\n");
    });

    /** A runner on a machine with as much free space as the test sets. */
    const withRoom = async (room: Partial<Room>, use: (own: Bench) => Promise<void>): Promise<void> => {
      const none = { memory: () => undefined, disk: () => Promise.resolve(undefined), threads: () => 0 };
      const own = openBench({ engine, room: { ...none, ...room } });
      try {
        await use(own);
      } finally {
        await own.close();
      }
    };
    test("a command that grows while equally many other processes end is noticed, too", async () => {
      await withRoom({ threads: () => 1_000 }, async (own) => {
        const grow = `perl -e 'for (1..320) { fork or exec "sleep", "66" } sleep 66'`;
        const { output, exitCode, timedOut } = await own.sh(grow, { limits: { processes: 300 }, timeoutMs: 60_000 });
        assert.deepEqual([exitCode, timedOut], [137, false], output);
        assert.match(output, /may have 300; parley\.command_limits\.processes/);
      });
    });

    const scarce = { memory: () => ({ free: megabyte, total: 400 * megabyte }) };

    test("one that takes most of the memory is ended before the kernel has to choose; a small one runs on", async () => {
      await withRoom(scarce, async (own) => {
        const [hog, small] = await Promise.all([
          own.sh(`perl -e 'my $x = "x" x 150_000_000; sleep 66'`, { timeoutMs: 60_000 }),
          own.sh("sleep 1; echo fine"),
        ]);
        assert.deepEqual([hog.exitCode, hog.timedOut], [137, false]);
        assert.match(
          hog.output,
          /\[ended: the machine has 1 MB of memory left, and the command uses \d+ MB; parley\.command_limits\.memory_mb/,
        );
        assert.equal(small.output, "fine\n");
      });
    });

    protects("one that fills the sandbox's shared memory, too", async () => {
      await withRoom(scarce, async (own) => {
        const { output, timedOut } = await own.sh("head -c 150000000 /dev/zero > /dev/shm/all; sleep 66", { timeoutMs: 60_000 });
        assert.equal(timedOut, false);
        assert.match(output, /\[ended: the machine has 1 MB of memory left, and the command uses 1\d\d MB/);
      });
    });

    test("one that fills the disk is ended with the reason, and one beside it that writes little runs on", async () => {
      let file = "";
      const written = (): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      const disk = (): Promise<Space> => Promise.resolve({ free: Math.max(0, 60 * megabyte - written()), total: 1000 * megabyte });
      await withRoom({ disk }, async (own) => {
        file = path.join(own.work, "filler");
        const filler = "while :; do head -c 1000000 /dev/zero >> filler; sleep 0.02; done";
        const beside = "until [ -e over ]; do sleep 0.05; done; echo fine";
        const slow = own.start(["/bin/bash", "-c", beside], { timeoutMs: 60_000 });
        const { output, exitCode, timedOut } = await own.sh(filler, { timeoutMs: 60_000 });
        assert.deepEqual([exitCode, timedOut], [137, false]);
        assert.match(output, /\[ended: the disk of \/\S+ has \d+ MB left, and had \d+ MB when the command began\]/);
        writeFileSync(path.join(own.work, "over"), "");
        const other = await slow;
        assert.equal((await other.exit).exitCode, 0);
        assert.equal(other.output(), "fine\n");
      });
    });

    test("a disk that was full before is not the command's fault", async () => {
      await withRoom({ disk: () => Promise.resolve({ free: 0, total: 1000 * megabyte }) }, async (own) => {
        assert.equal((await own.sh("sleep 1.2; echo fine")).output, "fine\n");
      });
    });

    test("a command that stays below its limits runs normally", async () => {
      const { output, exitCode } = await bench.sh("for i in $(seq 60); do sleep 0.1 & done; wait; echo fine", {
        limits: { processes: 300 },
      });
      assert.deepEqual([output, exitCode], ["fine\n", 0]);
    });

    test("open files, the size of files and memory are limited where the settings say so", async () => {
      const limits = { openFiles: 64, fileMegabytes: 2, memoryMegabytes: 200 };
      const { output } = await bench.sh(
        `ulimit -n; head -c 5000000 /dev/zero > big; echo "write $?"; perl -e 'my @f; for (1..100) { open(my $f, "<", "/dev/null") or (print "open $!\\n"), last; push @f, $f }'; perl -e 'my $x = "x" x 500_000_000; print "GOT\\n"' 2>&1; echo END`,
        { limits },
      );
      assert.match(output, /^64\n/);
      assert.match(output, /write (?!0)/);
      assert.match(output, /Too many open files/);
      assert.doesNotMatch(output, /GOT/);
      assert.match(output, /END/);
      assert.ok(statSync(path.join(bench.work, "big")).size <= 2 * 1024 * 1024);
    });

    test("when memory runs out, the command goes before the server", async () => {
      // The file may contain half of each value if it is read during a write.
      const marked = 'until [ "$(cat /proc/self/oom_score_adj)" = 500 ]; do sleep 0.02; done';
      assert.equal((await bench.sh(`${marked}; (cat /proc/self/oom_score_adj)`)).output, "500\n");
    });
  });

function cmdline(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { CommandRefused } from "../../core/ports/command-runner.ts";
import { type Bench, openBench, testedEngines } from "../testing.ts";

const policy = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true } as const;

for (const { engine, skip } of await testedEngines())
  describe(`folders that another command replaces by links, with ${engine}`, { skip }, () => {
    let bench: Bench;
    before(() => {
      bench = openBench({ engine });
    });
    after(() => bench.close());

    /** Starts a command that keeps replacing `sub` by a link to the outside and back. */
    const startSwapping = async (times: number) => {
      const swap = `use strict; mkdir "sub"; print "up\\n"; $| = 1; for (1..${times}) { rename "sub", "away"; symlink "../outside", "sub"; select(undef, undef, undef, 0.001); unlink "sub"; rename "away", "sub"; select(undef, undef, undef, 0.002) }`;
      return await bench.start(["/usr/bin/perl", "-e", `$| = 1; ${swap}`], { policy, timeoutMs: 120_000 });
    };

    test("as a writable root or a folder in one they never open the outside", async () => {
      const swapping = await startSwapping(60_000);
      mkdirSync(path.join(bench.outside, ".git"));
      mkdirSync(path.join(bench.outside, "deep/.git"), { recursive: true });
      const sub = path.join(bench.work, "sub");
      const seen = { ran: 0, refused: 0 };
      for (let i = 0; i < 60; i++) {
        const line = `echo x > ${sub}/new$$; echo x > ${bench.outside}/new$$; echo x > ${sub}/deep/new$$; echo RAN`;
        const roots = i % 2 === 0 ? [sub] : [bench.work];
        try {
          const { output } = await bench.sh(line, { policy, roots, cwd: "/" });
          if (/RAN/.test(output)) seen.ran++;
          else seen.refused++;
        } catch (error) {
          assert.ok(error instanceof CommandRefused);
          seen.refused++;
        }
      }
      await swapping.kill();
      assert.ok(seen.ran > 0, "the test tries something");
      // bubblewrap creates its mount points before anything can be checked: empty folders with the protected names, and nothing else.
      const names = [".agents", ".codex", ".git"];
      for (const folder of [bench.outside, path.join(bench.outside, "deep")]) {
        const there = readdirSync(folder);
        assert.deepEqual(
          there.filter((name) => !names.includes(name) && name !== "deep"),
          [],
          JSON.stringify(seen),
        );
        for (const name of there.filter((each) => each !== "deep")) assert.deepEqual(readdirSync(path.join(folder, name)), [], name);
      }
    });

    test("a link that an earlier command put in the place of a later one's root is refused", async () => {
      await bench.sh("mkdir -p later && mv later gone && ln -s ../outside later", { policy });
      const later = path.join(bench.work, "later");
      await assert.rejects(
        bench.sh("true", { policy, roots: [later], cwd: "/" }),
        /goes through the symlink .*later, which commands may change/,
      );
    });

    test("concurrent commands run normally if nothing was replaced", async () => {
      const inner = path.join(bench.work, "a b\\c/inner");
      mkdirSync(inner, { recursive: true });
      const long = await bench.start(["/bin/bash", "-c", "read x"], { policy, stdin: "open" });
      const { output, exitCode } = await bench.sh('touch ok; ls; echo "$0|$1|$*"', { policy, roots: [inner], cwd: inner });
      assert.deepEqual([output, exitCode], ["ok\n/bin/bash||\n", 0]);
      long.write("\n");
      await long.exit;
    });
  });

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openBench, testedEngines } from "../../testing.ts";

const { skip = "needs Linux" } = (await testedEngines()).find(({ engine }) => engine === "namespaces") ?? {};

test("sandboxes of several servers that need the same missing names at once all come into being, and leave none of them behind", {
  skip,
}, async () => {
  const shared = mkdtempSync("/var/tmp/parley-shared-root-");
  const benches = [1, 2, 3, 4].map(() => openBench({ engine: "namespaces" }));
  try {
    const policy = { type: "workspaceWrite" as const, writableRoots: [shared] };
    for (let round = 0; round < 15; round++) {
      const ended = await Promise.all(benches.map((bench) => bench.sh(`touch ${shared}/made && echo fine`, { policy })));
      for (const { output, exitCode, signal } of ended)
        assert.deepEqual({ output, exitCode, signal }, { output: "fine\n", exitCode: 0, signal: null });
    }
    for (const bench of benches.splice(0)) await bench.close();
    for (const name of [".git", ".codex", ".agents"]) assert.ok(!existsSync(path.join(shared, name)), name);
  } finally {
    await Promise.all(benches.map((bench) => bench.close()));
    rmSync(shared, { recursive: true, force: true });
  }
});

test("commands run while other programs make and remove repositories and settings in the workspace", { skip }, async () => {
  const bench = openBench({ engine: "namespaces" });
  const go = path.join(bench.base, "go");
  writeFileSync(go, "");
  const line =
    'while [ -e "$1" ]; do mkdir -p "$2/a/b/.git" "$2/c/.codex"; touch "$2/c/.git"; rm -rf "$2/a/b/.git" "$2/c"; rm -rf "$2/a"; done';
  const other = spawn("/bin/sh", ["-c", line, "other", go, bench.work], { stdio: "ignore" });
  const hasEnded = once(other, "exit");
  try {
    for (let i = 0; i < 40; i++) {
      const { output, exitCode } = await bench.sh(`echo ${i}`);
      assert.deepEqual([output, exitCode], [`${i}\n`, 0]);
    }
    rmSync(go);
    await hasEnded;
    for (const name of ["a", "c"]) assert.ok(!existsSync(path.join(bench.work, name)), name);
  } finally {
    other.kill();
    await bench.close();
  }
});

test("what lies deep in a folder in memory is shown there, with all folders above it", { skip }, async () => {
  const bench = openBench({ engine: "namespaces" });
  try {
    const skill = path.join(bench.home, "skills", "one");
    mkdirSync(skill, { recursive: true });
    writeFileSync(path.join(bench.home, "auth.json"), "secret");
    assert.equal((await bench.sh(`ls -A ${bench.home}; ls ${bench.home}/skills`)).output, "skills\none\n");
    assert.match((await bench.sh("ls -d /dev/pts /dev/shm /dev/null && readlink /dev/stdout")).output, /\/proc\/self\/fd\/1\n$/);
  } finally {
    await bench.close();
  }
});

test("the disk is mounted once in a sandbox, and the placeholders in it are one empty file system", { skip }, async () => {
  const bench = openBench({ engine: "namespaces" });
  try {
    const script = [
      "while read -r _ _ _ _ at flags _; do [ $at != / ] || echo root ${flags%%,*}; done </proc/self/mountinfo",
      "[ $(stat -c %d .git) = $(stat -c %d .agents) ] && [ $(stat -c %d .git) != $(stat -c %d .) ] && echo shared",
      "mkdir .git/x .agents/x 2>/dev/null || ls -A .git .agents",
    ];
    const { output } = await bench.sh(script.join("\n"), { policy: { type: "workspaceWrite" } });
    assert.equal(output, "root ro\nshared\n.agents:\n\n.git:\n");
  } finally {
    await bench.close();
  }
});

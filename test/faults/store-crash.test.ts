/** kill -9 at random moments of a writing process: everything confirmed is stored, every thread opens and can continue. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { replay } from "../../src/core/context/replay.ts";
import { createLocalStore } from "../../src/store/local.ts";

const id = "01a1de79-0000-7000-8000-0000000000aa";
const sources = path.resolve(import.meta.dirname, "../../src/store");
let home = "";
beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), "parley-crash-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function run(script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", script, home, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Appends numbered items as fast as it can and prints each number once the store has confirmed it. */
const writing = `
  const { createLocalStore } = await import(${JSON.stringify(path.join(sources, "local.ts"))});
  const { writeSync } = await import("node:fs");
  const [, home, from] = process.argv, id = ${JSON.stringify(id)};
  const store = createLocalStore({ home });
  const lease = await store.lease(id, "writer");
  if (from === "0") await store.append(id, [{ type: "meta", meta: { id, createdAtMs: 1794729600000, cwd: "/ws", originator: "t", cliVersion: "1", source: "cli", modelProvider: "m", baseInstructions: undefined } },
    { type: "turnStarted", turnId: "t", atMs: 1, contextWindow: undefined, mode: "default" }]);
  for (let i = Number(from); ; i++) {
    const text = "word ".repeat(1 + (i * 7919) % 4000);
    const item = { type: "agentMessage", id: "a" + i, text };
    await Promise.all([store.append(id, [{ type: "modelItem", turnId: "t", item: { type: "message", role: "assistant", content: [] } }]),
      store.append(id, [{ type: "item", turnId: "t", startedAtMs: 1, completedAtMs: 2, item }])]);
    writeSync(1, i + "\\n");
  }`;

test("nothing that was confirmed is lost in 25 kills", async () => {
  let confirmed = -1;
  for (let round = 0; round < 25; round++) {
    const child = run(writing, String(confirmed + 1));
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
    });
    // Each round writes at least a few items, however slow the machine; the kill comes at a random moment after that.
    const wanted = 3 + Math.random() * 10;
    while (output.split("\n").length <= wanted) await once(child.stdout ?? child, "data");
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
    child.kill("SIGKILL");
    await once(child, "close");
    const last = output.split("\n").slice(0, -1).at(-1);
    if (last !== undefined) confirmed = Number(last);
    const store = createLocalStore({ home });
    const turn = replay(await store.read(id)).turns[0];
    const numbers = turn?.items.map((item) => Number(item.id.slice(1))) ?? [];
    assert.deepEqual(
      numbers.slice(0, confirmed + 1),
      Array.from({ length: confirmed + 1 }, (_, i) => i),
    );
    assert.ok(numbers.length <= confirmed + 2, "an item appeared that was never written");
    await store.close();
    confirmed = numbers.length - 1;
  }
  assert.ok(confirmed > 50, `only ${confirmed} items were written`);
  const file = createLocalStore({ home }).pathFor(id, 1_794_729_600_000);
  const broken = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "" && !isJson(line));
  assert.ok(broken.length <= 25, `${broken.length} broken lines`);
});

const isJson = (line: string): boolean => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};

/** Takes the lease repeatedly; no other process may hold it at the same time. */
const entering = `
  const { Leases } = await import(${JSON.stringify(path.join(sources, "writing/leases.ts"))});
  const { existsSync, readFileSync, rmSync, writeFileSync, writeSync } = await import("node:fs");
  const { setTimeout: sleep } = await import("node:timers/promises");
  const [, home, dies] = process.argv, mark = home + "/inside";
  const isAlive = (pid) => { try { return !/\\) Z /.test(readFileSync("/proc/" + pid + "/stat", "utf8")); } catch { return false; } };
  const leases = new Leases(home);
  for (let entered = 0; entered < 40; ) {
    const lease = await leases.lease(${JSON.stringify(id)}, "p").catch(() => undefined);
    if (lease === undefined) { await sleep(1); continue; }
    // Only a process killed while holding the lease may have left its mark.
    if (existsSync(mark) && isAlive(readFileSync(mark, "utf8"))) writeSync(1, "clash\\n");
    writeFileSync(mark, String(process.pid));
    await sleep(Math.random() * 3);
    entered++;
    if (dies === "yes" && entered === 20) process.kill(process.pid, "SIGKILL");
    rmSync(mark, { force: true });
    writeSync(1, "was in\\n");
    lease.release();
    await sleep(Math.random() * 2);
  }`;

test("four processes, two of which are killed while they hold it, never hold a thread together", async () => {
  const log: string[] = [];
  const children = ["yes", "yes", "no", "no"].map((dies) => run(entering, dies));
  for (const child of children) child.stdout?.on("data", (chunk: Buffer) => log.push(...chunk.toString().trimEnd().split("\n")));
  await Promise.all(children.map((child) => once(child, "close")));
  assert.equal(log.filter((line) => line === "was in").length, 118);
  assert.ok(!log.includes("clash"), "two were inside at once");
  assert.ok(!existsSync(path.join(home, "parley", "locks", `${id}.json`)));
});

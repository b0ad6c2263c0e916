/** A disk that fails, or a server that dies, at each single write of a busy turn to the thread's file. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { LiveServer, verifiesLive } from "../support/live-server.ts";
import { home, preload, settings, stage } from "../support/live-stage.ts";
import type { Message } from "../support/wire.ts";

const turns = [
  {
    user: "/busy/",
    steps: [
      { reason: "hm" },
      { plan: ["a", "b"] },
      { say: "one", phase: "commentary" },
      { run: "echo two" },
      { patch: "*** Begin Patch\n*** Add File: f.txt\n+x\n*** End Patch" },
      { say: "three" },
    ],
  },
  { user: "/./", steps: [{ say: "{{user}}" }] },
];
const faults = ["once", "for a while", "takes a part", "dies before", "dies in the middle", "dies after"] as const;
type Fault = (typeof faults)[number] | "none";

/** Runs the turn on a server whose `k`th write fails; then a healthy server must return everything announced, and continue. */
async function play(t: TestContext, fault: Fault, k: number): Promise<{ writes: number }> {
  const folder = stage(t, turns);
  const count = path.join(home(folder), "writes");
  const env = { NODE_OPTIONS: preload("disk"), PARLEY_TEST_WRITE: String(k), PARLEY_TEST_FAULT: fault, PARLEY_TEST_COUNT: count };
  const server = await LiveServer.start(t, folder, { env });
  const threadId = await server.startThread(settings(folder));
  const played = await server.turn(threadId, "busy").catch((error: Error) => error);
  const announced = server.messages.filter((m) => m.method === "item/completed").map((m) => m.params.item);
  const accepted = server.messages.some((m) => m.result?.turn !== undefined);
  const { isAlive } = server;
  if (!(played instanceof Error)) assert.equal(played.status, "completed", `${fault} at write ${k}`);
  if (isAlive) await server.stop();
  // Records that are ready at the same time share one write, so the number of writes per turn varies.
  const writes = isAlive ? Number(readFileSync(count, "utf8")) : k;
  assert.equal(
    isAlive,
    !fault.startsWith("dies") || writes < k,
    `${fault} at write ${k}: ${played instanceof Error ? played.message : ""}`,
  );
  const again = await LiveServer.start(t, folder);
  if (accepted) {
    const { thread } = await again.call("thread/resume", { threadId, ...settings(folder) });
    const kept = (item: Message): Message => thread.turns[0].items.find((one: Message) => one.id === item.id && one.type === item.type);
    for (const item of announced) assert.deepEqual(kept(item), item, `${fault} at write ${k}: ${item.type} was announced`);
    assert.equal((await again.turn(threadId, "after")).status, "completed");
  }
  await again.stop();
  return { writes };
}

verifiesLive(
  "trust.everyWrite",
  async (t) => {
    const { writes } = await play(t, "none", 0);
    assert.ok(writes >= 8, `a busy turn has only ${writes} writes`);
    const all = faults.flatMap((fault, row) => Array.from({ length: writes }, (_, i) => ({ fault, row, k: i + 1 })));
    // Every write gets two of the six faults, and every fault a third of the writes; PARLEY_EVERY_WRITE=1 runs all combinations.
    const trials = all.filter(({ row, k }) => process.env["PARLEY_EVERY_WRITE"] === "1" || (row + k) % 3 === 0);
    const worker = async (): Promise<void> => {
      for (let trial = trials.pop(); trial !== undefined; trial = trials.pop()) await play(t, trial.fault, trial.k);
    };
    await Promise.all([worker(), worker()]);
  },
  { timeout: 900_000 },
);

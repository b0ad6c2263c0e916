/** Servers killed at the moment when a client is notified that a command has ended. Its changes can still be reverted. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { LiveServer, verifiesLive } from "../support/live-server.ts";
import { home, settings, stage } from "../support/live-stage.ts";

const trials = 12;

verifiesLive("trust.undoAfterKill", async (t) => {
  const folder = stage(t, [
    {
      user: "/change/",
      steps: [{ run: "echo after > old.txt; echo made > new.txt; rm gone.txt; mkdir -p d; echo deep > d/e.txt" }, { run: "sleep 60" }],
    },
  ]);
  const at = (name: string): string => path.join(folder, "workspace", name);
  for (let trial = 0; trial < trials; trial++) {
    for (const name of ["old.txt", "gone.txt"]) writeFileSync(at(name), `before ${trial}\n`);
    const server = await LiveServer.start(t, folder);
    const threadId = await server.startThread(settings(folder));
    // In the handler that reads the message, so that nothing else runs in between.
    server.child.stdout.on("data", (chunk: string) => {
      if (chunk.includes('"item/completed"') && chunk.includes('"exitCode":0')) server.child.kill("SIGKILL");
    });
    const turnId = await server.startTurn(threadId, "change");
    await server.ended;
    assert.equal(readFileSync(at("old.txt"), "utf8"), "after\n", "the command has not run");
    const again = await LiveServer.start(t, folder);
    const { restored, conflicts } = await again.call("turn/revert", { threadId, turnId });
    assert.deepEqual(conflicts, [], `trial ${trial}`);
    assert.deepEqual(restored, ["d/e.txt", "gone.txt", "new.txt", "old.txt"].map(at), `trial ${trial}`);
    for (const name of ["old.txt", "gone.txt"]) assert.equal(readFileSync(at(name), "utf8"), `before ${trial}\n`);
    for (const name of ["new.txt", "d/e.txt"]) assert.ok(!existsSync(at(name)), name);
    await again.stop();
  }
  assert.ok(existsSync(path.join(home(folder), "parley/undo")));
});

/** Enough files that an undo takes a while, each large enough not to be written at once. */
const many = 60;
const bytes = 60_000;

test("an undo that is killed at any moment is finished by the next one, and no file is left torn", async (t) => {
  const folder = stage(t, [
    {
      user: "/change/",
      steps: [
        { run: `for i in $(seq ${many}); do head -c ${bytes} /dev/zero | tr '\\0' n > f$i.txt; rm -f g$i.txt; echo new > h$i.txt; done` },
      ],
    },
  ]);
  const at = (name: string): string => path.join(folder, "workspace", name);
  const names = Array.from({ length: many }, (_, i) => i + 1);
  const before = (i: number): string => `${i} `.repeat(bytes / 8);
  let killedInside = 0;
  for (let trial = 0; trial < 4; trial++) {
    for (const i of names) for (const kind of ["f", "g"]) writeFileSync(at(`${kind}${i}.txt`), before(i));
    const server = await LiveServer.start(t, folder);
    const threadId = await server.startThread(settings(folder));
    const turnId = await server.startTurn(threadId, "change");
    await server.turnEnd(turnId);
    server.call("turn/revert", { threadId, turnId }).catch(() => {});
    // Killed once this many files are restored: determined by the disk, not by a clock.
    while (names.filter((i) => existsSync(at(`g${i}.txt`))).length < trial * 15 + 1) await new Promise(setImmediate);
    server.child.kill("SIGKILL");
    await server.ended;
    for (const i of names) {
      const text = readFileSync(at(`f${i}.txt`), "utf8");
      assert.ok(text === before(i) || text === "n".repeat(bytes), `trial ${trial}: f${i}.txt is torn`);
    }
    if (names.some((i) => !existsSync(at(`g${i}.txt`)) || existsSync(at(`h${i}.txt`)))) killedInside++;
    const again = await LiveServer.start(t, folder);
    assert.deepEqual((await again.call("turn/revert", { threadId, turnId })).conflicts, [], `trial ${trial}`);
    for (const i of names) {
      for (const kind of ["f", "g"]) assert.equal(readFileSync(at(`${kind}${i}.txt`), "utf8"), before(i));
      assert.ok(!existsSync(at(`h${i}.txt`)));
    }
    assert.deepEqual(
      readdirSync(path.join(folder, "workspace")).filter((name) => !/^[fg]\d+\.txt$/.test(name) && !name.startsWith(".")),
      [],
    );
    await again.stop();
  }
  assert.ok(killedInside > 0, "no kill came before the end of an undo");
});

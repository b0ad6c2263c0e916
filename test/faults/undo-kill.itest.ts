/** Servers that are killed in the moment in which a client hears that a command has ended. What it changed can be taken back all the same. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
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
    // In the very handler that reads the message: nothing of ours runs in between.
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

/** Commands that exhaust the machine, under every engine: the server keeps answering, reports why it ended the command, and none of its processes survive. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { testedEngines } from "../../src/exec/testing.ts";
import { eventually, LiveServer, processesWith } from "../support/live-server.ts";
import { stage } from "../support/live-stage.ts";

/** A request takes milliseconds; a machine full of processes may delay it, but not for long. */
const answerMs = 20_000;

for (const { engine, skip } of await testedEngines())
  describe(`commands that use the machine up under ${engine}`, { skip }, () => {
    test("a server answers while a command doubles its processes, and ends it with the reason", async (t) => {
      const flags = ["-c", "parley.command_limits.processes=300"];
      const folder = stage(t);
      const server = await LiveServer.start(t, folder, { flags, env: { PARLEY_SANDBOX_ENGINE: engine } });
      const mark = `doubling-${engine}-${process.pid}`;
      const bomb = "b() { [ $1 -gt 0 ] || { sleep 66; return; }; b $(($1 - 1)) | b $(($1 - 1)) & }; b 9; sleep 66";
      let isOver = false;
      const ended = server
        .ask("command/exec", { command: ["/bin/bash", "-c", bomb, mark], sandboxPolicy: { type: "readOnly" }, timeoutMs: 120_000 }, 120_000)
        .finally(() => {
          isOver = true;
        });
      let answers = 0;
      for (; !isOver; answers++) assert.ok((await server.ask("thread/list", { limit: 1 }, answerMs)).result !== undefined);
      const { result } = await ended;
      assert.ok(answers > 0);
      assert.notEqual(result.exitCode, 0);
      assert.match(result.stderr, /Resource temporarily unavailable|may have 300; parley\.command_limits\.processes/);
      await eventually(() => processesWith(mark).length === 0, "the end of the last process");
      const next = await server.call("command/exec", { command: ["/bin/echo", "fine"], sandboxPolicy: { type: "readOnly" } });
      assert.equal(next.stdout, "fine\n");
      await server.stop();
    });
  });

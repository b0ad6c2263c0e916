/** Server and helper process are killed together at many moments while a sandbox is being set up: the next server ends whatever is left of the command. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { LeftoverNotes } from "../../src/exec/leftovers.ts";
import { markName, processSpace } from "../../src/exec/processes.ts";
import { openBench, testedEngines } from "../../src/exec/testing.ts";
import { eventually, processesWith } from "../support/live-server.ts";

/** Milliseconds after the command was requested; on an idle machine the sandbox is set up within the first of them. */
const momentsMs = [0, 3, 8, 15, 30, 60, 120];

/** Processes started for a command of that server, including the sandbox being set up for it. */
function commandsOf(server: number): number[] {
  const mark = `${markName}=c-${processSpace()}-${server}-`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

for (const { engine, skip } of await testedEngines())
  describe(`server and helper killed at once under ${engine}`, { skip }, () => {
    test("at no moment does a command outlive the next server's start", async () => {
      const bench = openBench({ engine });
      try {
        for (const moment of momentsMs) {
          const program = `
            import { createCommandRunner } from ${JSON.stringify(path.join(import.meta.dirname, "../../src/exec/runner.ts"))};
            const runner = createCommandRunner({ codexHome: ${JSON.stringify(bench.home)}, userHome: ${JSON.stringify(bench.base)}, engine: () => ${JSON.stringify(engine)} });
            const run = (...argv) => runner.start({ argv, cwd: "/", env: {}, stdin: "closed" }, { policy: { type: "readOnly" }, workspaceRoots: [] }, new AbortController().signal);
            await (await run("/bin/true")).exit;
            process.stdout.write("asked");
            const running = await run("/bin/sleep", "66");
            await running.exit;
          `;
          const server = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
          const pid = server.pid ?? assert.fail("a server");
          await once(server.stdout, "data");
          await delay(moment);
          const [helper] = processesWith("parley-janitor").filter((each) => parentOf(each) === pid);
          if (helper !== undefined) process.kill(helper, "SIGKILL");
          server.kill("SIGKILL");
          await once(server, "exit");
          await eventually(async () => {
            await new LeftoverNotes(bench.home).clearOthers();
            return commandsOf(pid).length === 0;
          }, `nothing is left of a command killed after ${moment} ms`);
        }
      } finally {
        await bench.close();
      }
    });
  });

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}

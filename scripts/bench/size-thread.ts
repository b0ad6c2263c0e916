/** A long thread: how soon its last page is there, and the memory that it takes. */
import { readFileSync } from "node:fs";
import type { Found, Programs } from "./sizes.ts";
import { peakMemory, Stage } from "./stage.ts";
import { writeThread } from "./stored-threads.ts";

const tries = 3;
const page = 20;

export async function measureLongThread(megabytes: number, { ours, measured }: Programs, signal: AbortSignal): Promise<Found> {
  const stage = new Stage(ours);
  try {
    const { id: threadId, file } = writeThread(stage.home, megabytes * 1e6);
    readFileSync(file); // both find it in the system's cache
    const found = { resume: [] as number[], turns: [] as number[], memory: [] as number[] };
    for (let i = 0; i < tries; i++) {
      signal.throwIfAborted();
      for (const row of ["turns", "resume"] as const) {
        const server = await stage.start(measured);
        const started = performance.now();
        const shown =
          row === "turns"
            ? (await server.client.call("thread/turns/list", { threadId, limit: page, itemsView: "full" })).data
            : (
                await server.client.call("thread/resume", {
                  threadId,
                  excludeTurns: true,
                  initialTurnsPage: { limit: page, itemsView: "full" },
                })
              ).initialTurnsPage?.data;
        found[row].push(performance.now() - started);
        if (shown?.length !== page) throw new Error(`${row}: ${shown?.length} turns were returned`);
        const peak = row === "resume" ? peakMemory(server.child) : undefined;
        if (peak !== undefined) found.memory.push(peak);
        await stage.stop(server);
      }
    }
    return found;
  } finally {
    stage.close();
  }
}

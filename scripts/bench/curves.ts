/** How costs grow: a turn with the length of its thread, a new thread with the number of stored ones, and with the number of open ones. */

import { errorMessage } from "../../src/lib/error-text.ts";
import type { Bench, Spec } from "./lab.ts";
import { summaryOf } from "./measure.ts";

export interface Curve {
  readonly id: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Points in ascending order, per server. */
  readonly points: Partial<Record<Spec["name"], readonly (readonly [x: number, y: number])[]>>;
}

const tries = 7;
const median = (numbers: readonly number[]): number => summaryOf(numbers).median;

export async function drawCurves(bench: Bench, specs: readonly Spec[], quick: boolean, signal: AbortSignal): Promise<readonly Curve[]> {
  const sizes = quick ? [10, 1000] : [10, 100, 1000, 5000];
  const stored = quick ? [1, 1000] : [1, 100, 1000, 10_000];
  const open = quick ? [1, 50] : [1, 10, 50, 100, 200];
  const each = async (measure: (spec: Spec) => Promise<readonly (readonly [number, number])[]>): Promise<Curve["points"]> => {
    const points: Curve["points"] = {};
    for (const spec of specs) {
      if (signal.aborted) break;
      const started = performance.now();
      try {
        points[spec.name] = await measure(spec);
      } catch (error) {
        process.stderr.write(`curves ${spec.name}: FAILED ${errorMessage(error)}\n`);
      }
      process.stderr.write(`curves ${spec.name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
    }
    return points;
  };
  const [turns, starts] = ["one-token turn, ms", "thread/start, ms"];
  return [
    {
      id: "items",
      title: "A turn on a long thread",
      x: "items in the thread",
      y: turns,
      points: await each((spec) => byItems(bench, spec, sizes)),
    },
    {
      id: "stored",
      title: "A thread beside many stored ones",
      x: "stored threads",
      y: starts,
      points: await each((spec) => byStored(bench, spec, stored)),
    },
    {
      id: "open",
      title: "A turn beside many open threads",
      x: "open threads",
      y: turns,
      points: await each((spec) => byOpen(bench, spec, open)),
    },
  ];
}

/** The thread is resumed and has had one turn: the one-time cost of history is in the rows; here it is the cost per turn. */
async function byItems(bench: Bench, spec: Spec, sizes: readonly number[]): Promise<readonly (readonly [number, number])[]> {
  const recording = await bench.record(bench.lab, spec);
  const points: (readonly [number, number])[] = [];
  for (const items of sizes)
    await inHome(bench, spec, async (home) => {
      const { id } = bench.cloneBig(home, recording.big, items, { endMs: Date.now() - 60_000 });
      await withServer(bench, spec, home, async (server) => {
        await server.request("thread/resume", { threadId: id }, 120_000);
        await server.turn(id, "hello", {}, 120_000);
        const times: number[] = [];
        for (let i = 0; i < tries; i++) times.push((await server.turn(id, "hello", {}, 120_000)).ms);
        points.push([items, median(times)]);
      });
    });
  return points;
}

/** In a home whose thread list has already been requested and built. */
async function byStored(bench: Bench, spec: Spec, counts: readonly number[]): Promise<readonly (readonly [number, number])[]> {
  const recording = await bench.record(bench.lab, spec);
  const points: (readonly [number, number])[] = [];
  for (const count of counts)
    await inHome(bench, spec, async (home) => {
      bench.cloneSmall(home, recording.small, count, { endMs: Date.now() - 3_600_000, gapMs: 600_000 });
      await withServer(bench, spec, home, async (server) => {
        await server.request("thread/list", { limit: 50 }, 180_000);
        await bench.settle(server.pid, { quietMs: 500, maxMs: 60_000 });
        const times: number[] = [];
        for (let i = 0; i <= tries; i++) times.push((await server.request("thread/start", { cwd: bench.lab.workspace })).ms);
        points.push([count, median(times.slice(1))]);
      });
    });
  return points;
}

async function byOpen(bench: Bench, spec: Spec, counts: readonly number[]): Promise<readonly (readonly [number, number])[]> {
  const points: (readonly [number, number])[] = [];
  await inHome(bench, spec, (home) =>
    withServer(bench, spec, home, async (server) => {
      const ids: string[] = [];
      for (const count of counts) {
        while (ids.length < count) ids.push((await server.request("thread/start", { cwd: bench.lab.workspace })).result.thread.id);
        const newest = ids.at(-1) ?? "";
        await server.turn(newest, "hello");
        const times: number[] = [];
        for (let i = 0; i < tries; i++) times.push((await server.turn(newest, "hello")).ms);
        points.push([count, median(times)]);
      }
    }),
  );
  return points;
}

async function inHome(bench: Bench, spec: Spec, use: (home: string) => Promise<void>): Promise<void> {
  const home = bench.lab.home(`${spec.name}-curve`);
  try {
    await use(home);
  } finally {
    bench.lab.drop(home);
  }
}

async function withServer(
  bench: Bench,
  spec: Spec,
  home: string,
  use: (server: ReturnType<Bench["lab"]["server"]>) => Promise<void>,
): Promise<void> {
  const server = bench.lab.server(spec, home);
  try {
    await server.initialize();
    await use(server);
  } finally {
    await server.close();
  }
}

/** Many live threads in one server, a tenth of them streaming at once: memory, how late events are, and what a new thread costs beside them. */
import { setTimeout as delay } from "node:timers/promises";
import { type Bench, inLab, openServer, type Server } from "./lab.ts";
import { summaryOf } from "./measure.ts";
import type { Found, MeasureSize } from "./sizes.ts";

const starts = 20;
/** Threads that make their first turn at once. */
const atOnce = 10;
const openingMs = 240_000;

export const measureLiveThreads: MeasureSize = (threads, programs) =>
  inLab(programs, async (bench, spec) => {
    const home = bench.lab.home(`${spec.name}-threads`);
    const server = await openServer(bench.lab, spec, home);
    try {
      return await measureThreads(bench, server, threads);
    } finally {
      await server.close();
    }
  });

async function measureThreads(bench: Bench, server: Server, threads: number): Promise<Found> {
  const streaming = threads / 10;
  const { lab } = bench;
  const start = async (): Promise<{ id: string; ms: number }> => {
    const { result, ms } = await server.request("thread/start", { cwd: lab.workspace });
    return { id: result.thread.id, ms };
  };
  const startMany = async (): Promise<number[]> => {
    const found: number[] = [];
    for (let i = 0; i < starts; i++) found.push((await start()).ms);
    return found;
  };
  for (let i = 0; i < 3; i++) await server.turn((await start()).id, "hello"); // what is loaded once
  const startEmpty = await startMany();
  const ids: string[] = [];
  const deadline = performance.now() + openingMs;
  while (ids.length < threads) {
    if (performance.now() > deadline) throw new Error(`only ${ids.length} threads in ${openingMs / 1000} s`);
    const some = await Promise.all(Array.from({ length: atOnce }, start));
    await Promise.all(some.map(({ id }) => server.turn(id, "hello")));
    ids.push(...some.map(({ id }) => id));
  }
  const { rssMB } = await bench.settle(server.pid, { quietMs: 1000, maxMs: 15_000 });
  const startFull = await startMany();
  const stopWatching = bench.watchPeak(server.pid, 100);
  const latencies: number[] = [];
  server.tap = (line, at) => {
    if (!line.includes('"item/agentMessage/delta"')) return line.includes("codex/event/");
    for (const [tag, sent] of bench.stamps(line)) if (tag === "") latencies.push(at - sent);
    return true;
  };
  const step = Math.floor(threads / streaming);
  // Twenty deltas a second, as fast as models speak, for eight seconds.
  const ask = `bench ${JSON.stringify({ kind: "message", n: 160, rate: 20 })}`;
  const streams: Promise<unknown>[] = [];
  for (const id of ids.filter((_, i) => i % step === 0)) {
    streams.push(server.turn(id, ask));
    await delay(20); // people do not begin a hundred turns in the same moment
  }
  const startStreaming = await startMany();
  await Promise.all(streams);
  server.tap = null;
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number): number[] => [sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN];
  return {
    ...{ startEmpty, startFull, startStreaming },
    startRatio: [summaryOf(startFull).median / summaryOf(startEmpty).median],
    ...{ idle: [rssMB], peak: [stopWatching()], p50: at(0.5), p99: at(0.99) },
  };
}

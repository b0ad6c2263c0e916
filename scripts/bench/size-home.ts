/** A home of many threads: the first page without an index, warm lists, content search, and what the index takes. */
import { statSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Found, Programs } from "./sizes.ts";
import { type Server, Stage } from "./stage.ts";
import { writeHome } from "./stored-threads.ts";

const tries = 9;
const buildMs = 20 * 60_000;

export async function measureLargeHome(count: number, { ours, measured }: Programs, signal: AbortSignal): Promise<Found> {
  const stage = new Stage(ours);
  try {
    const { bytes, needle, frequent } = writeHome(stage.home, count);
    const first = await stage.start(measured);
    await first.client.call("thread/list", { limit: 50 });
    const firstMs = performance.now() - first.spawnedAt;
    const isOurs = measured === ours;
    const { seconds, latencies } = isOurs ? await awaitIndex(stage, first, signal) : { seconds: [], latencies: [] };
    const again = isOurs ? await restarted(stage, first) : first;
    const timed = async (times: number, request: () => Promise<unknown>): Promise<number[]> => {
      const values: number[] = [];
      for (let i = 0; i < times; i++) {
        const started = performance.now();
        await request();
        values.push(performance.now() - started);
      }
      return values;
    };
    const search = async (searchTerm: string, hits: number): Promise<number[]> =>
      await timed(isOurs ? tries : 3, async () => {
        const { data } = await again.client.call("thread/search", { searchTerm, limit: 25 });
        if (isOurs && data.length < hits) throw new Error(`${JSON.stringify(searchTerm)} was found ${data.length} times`);
      });
    const found = {
      first: [firstMs],
      list: (await timed(tries + 1, () => again.client.call("thread/list", { limit: 50 }))).slice(1),
      search: await search(needle, 1),
      part: await search(needle.slice(5, -3), 1),
      frequent: await search(frequent, 25),
    };
    await stage.stop(again);
    if (!isOurs) return found;
    return { ...found, share: [(100 * indexBytes(stage)) / bytes], built: seconds, meanwhile: [percentile(latencies, 0.99)] };
  } finally {
    stage.close();
  }
}

/** Seconds until every message is in the index, and how long small requests took meanwhile. */
async function awaitIndex(stage: Stage, { client }: Server, signal: AbortSignal): Promise<{ seconds: number[]; latencies: number[] }> {
  const started = performance.now();
  const latencies: number[] = [];
  const db = new DatabaseSync(path.join(stage.home, "parley", "index.sqlite"), { readOnly: true, timeout: 1000 });
  const isOpen = (): boolean => db.prepare("SELECT 1 FROM files WHERE in_texts = 0 AND has_user = 1 LIMIT 1").get() !== undefined;
  try {
    for (let turn = 0; turn % 100 !== 99 || isOpen(); turn++) {
      signal.throwIfAborted();
      if (performance.now() - started > buildMs) throw new Error("the index was not complete in time");
      // As a page does that stays open: a list now and then is what the index is built after.
      if (turn % 200 === 0) await client.call("thread/list", { limit: 50 });
      const asked = performance.now();
      await client.call("thread/loaded/list", {});
      latencies.push(performance.now() - asked);
      await sleep(20);
    }
  } finally {
    db.close();
  }
  return { seconds: [(performance.now() - started) / 1000], latencies };
}

/** Of the file alone, when all that was written is in it. */
function indexBytes({ home }: Stage): number {
  const file = path.join(home, "parley", "index.sqlite");
  const db = new DatabaseSync(file);
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  return statSync(file).size;
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** What is measured warm is measured in a process that did not build the index. */
async function restarted(stage: Stage, first: Server): Promise<Server> {
  await stage.stop(first);
  const again = await stage.start();
  await again.client.call("thread/list", { limit: 50 });
  return again;
}

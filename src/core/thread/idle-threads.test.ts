import assert from "node:assert/strict";
import { test } from "node:test";
import { maxLoadedThreads } from "../settings/count-limits.ts";
import { IdleThreads } from "./idle-threads.ts";

const minute = 60_000;
/** Threads by name, and those that were unloaded. */
function loaded(now: () => number) {
  const all = new Map<string, { id: string; meta: { parentThreadId?: string | undefined }; isIdle: boolean; unloadAfterMs: number }>();
  const gone: string[] = [];
  const idle = new IdleThreads(
    {
      all,
      unload: async (id) => {
        all.delete(id);
        gone.push(id);
      },
    },
    now,
  );
  const add = (id: string, isIdle = true, parentThreadId?: string): void => {
    const thread = { id, meta: { parentThreadId }, isIdle, unloadAfterMs: 30 * minute };
    all.set(id, thread);
    idle.used(thread);
  };
  return { all, gone, idle, add };
}

test("a thread without subscribers is unloaded after half an hour, its agents after it; one in use never is", async () => {
  let now = 0;
  const { gone, idle, add } = loaded(() => now);
  add("left");
  add("busy", false);
  add("agent", true, "left");
  now = 29 * minute;
  await idle.unloadUnwatched();
  assert.deepEqual(gone, []);
  now = 30 * minute;
  await idle.unloadUnwatched();
  assert.deepEqual(gone, ["left"]);
  await idle.unloadUnwatched();
  assert.deepEqual(gone, ["left", "agent"]);
});

test("threads that are being loaded count, and one that was just requested is not unloaded", async () => {
  let now = 0;
  const { all, gone, idle, add } = loaded(() => now);
  for (let i = 0; i < maxLoadedThreads - 2; i++) add(`t${i}`, false);
  const pending = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const loading = pending.map(({ promise }) => idle.withRoom(() => promise));
  await assert.rejects(
    idle.withRoom(async () => {}),
    /1500 threads are loaded/,
  );
  add("fresh");
  await assert.rejects(
    idle.withRoom(async () => {}),
    /1500 threads are loaded/,
  );
  now = 1000;
  await idle.withRoom(async () => {});
  assert.deepEqual(gone, ["fresh"]);
  for (const { resolve } of pending) resolve();
  await Promise.all(loading);
  assert.equal(all.size, maxLoadedThreads - 2);
});

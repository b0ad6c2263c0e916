import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import type { Schedule } from "./api/automation.ts";
import { nextRun } from "./cron.ts";
import { Schedules } from "./schedules.ts";
import { ManagerStore } from "./store.ts";

const start = Date.parse("2026-03-27T07:00:00Z"); // a Friday, two days before clocks change in Europe
const weekdays = { name: "Morning", prompt: "Look.", cron: "0 9 * * 1-5", timeZone: "Europe/Berlin" };

describe("schedules", () => {
  let folder: string;
  let store: ManagerStore;
  let started: string[];
  let running: Set<string>;
  let open: Schedules[];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "schedules-"));
    store = new ManagerStore(folder, () => {});
    started = [];
    running = new Set();
    open = [];
    mock.timers.enable({ apis: ["setTimeout", "Date"], now: start });
  });
  afterEach(() => {
    for (const one of open) one.close();
    mock.timers.reset();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const make = (begin = async ({ name }: Schedule): Promise<string> => `s-${name}-${started.push(name)}`): Schedules => {
    const made = new Schedules({
      store,
      now: Date.now,
      warn: (message, fields) => assert.fail(`${message} ${JSON.stringify(fields)}`),
      start: begin,
      isRunning: (id) => running.has(id),
      changed: () => {},
    });
    open.push(made);
    made.start();
    return made;
  };
  /** Lets the clock go on, and what it starts finish. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 30_000) {
      mock.timers.tick(Math.min(30_000, left));
      for (let i = 0; i < 12; i++) await new Promise(setImmediate);
    }
  };
  const outcomes = (of: Schedules): string[] => (of.all[0]?.runs ?? []).map(({ outcome }) => outcome);
  const hour = 3_600_000;

  test("it runs at its time in its own time zone, on its days only, once for each time", async () => {
    const schedules = make();
    assert.equal((await schedules.add(weekdays)).nextRunAt, "2026-03-27T08:00:00.000Z");
    await pass(hour - 1000);
    assert.deepEqual(started, []);
    await pass(2000);
    assert.deepEqual([started.length, schedules.all[0]?.runs[0]?.sessionId], [1, "s-Morning-1"]);
    // On Monday it is summer time there.
    assert.equal(schedules.all[0]?.nextRunAt, "2026-03-30T07:00:00.000Z");
    await pass(hour);
    assert.equal(started.length, 1);
  });

  test("a restart keeps it; a run that was missed meanwhile is made up for once, and the next one is as usual", async () => {
    const before = make();
    await before.add(weekdays);
    before.close();
    mock.timers.setTime(start + 3 * hour);
    store = new ManagerStore(folder, () => {});
    const after = make();
    await pass(60_000);
    assert.deepEqual([started, outcomes(after)], [["Morning"], ["started"]]);
    await pass(60_000);
    assert.equal(started.length, 1);
  });

  test("a missed run is only noted if that is wanted, and after more than a day", async () => {
    const before = make();
    await before.add({ ...weekdays, runMissed: false });
    before.close();
    mock.timers.setTime(start + 3 * hour);
    const after = make();
    await pass(30_000);
    assert.deepEqual([started, outcomes(after)], [[], ["missed"]]);
    await after.change(after.all[0]?.scheduleId ?? "", { runMissed: true });
    after.close();
    mock.timers.setTime(Date.parse("2026-04-12T12:00:00Z"));
    const later = make();
    await pass(30_000);
    assert.deepEqual([started, outcomes(later)], [[], ["missed", "missed"]]);
  });

  test("a run is skipped while the last one is still at work, and a failure is recorded in words", async () => {
    const schedules = make(async ({ name }) => {
      if (started.push(name) === 1) return "s-1";
      throw new Error("no model is set up");
    });
    const { scheduleId } = await schedules.add(weekdays);
    await schedules.run(scheduleId);
    running.add("s-1");
    assert.equal((await schedules.run(scheduleId)).runs[0]?.outcome, "still_running");
    running.clear();
    const [last] = (await schedules.run(scheduleId)).runs;
    assert.deepEqual([last?.outcome, last?.message], ["failed", "no model is set up"]);
  });

  test("the next time is stored before the run starts: a manager that dies in it does not repeat it", async () => {
    let stored: string | null | undefined;
    const schedules = make(async () => {
      stored = new ManagerStore(folder, () => {}).state.schedules[0]?.nextRunAt;
      return "s-1";
    });
    await schedules.add(weekdays);
    await pass(hour + 1000);
    assert.equal(stored, "2026-03-30T07:00:00.000Z");
  });

  test("switched off it never runs, removed while it runs it stays removed, and only the last runs are kept", async () => {
    const schedules = make(async () => {
      if (started.push("x") === 25) schedules.remove(schedules.all[0]?.scheduleId ?? "");
      return `s-${started.length}`;
    });
    const { scheduleId } = await schedules.add({ ...weekdays, enabled: false });
    await pass(2 * hour);
    assert.deepEqual([started, schedules.all[0]?.nextRunAt], [[], null]);
    for (let i = 0; i < 24; i++) await schedules.run(scheduleId);
    assert.equal(schedules.all[0]?.runs.length, 20);
    await assert.rejects(schedules.run(scheduleId), /no such schedule/);
    assert.deepEqual(schedules.all, []);
  });

  test("a time that the clocks skip is still one run on that day", async () => {
    const skipped = { cron: "30 2 * * *", timeZone: "Europe/Berlin" };
    const first = await nextRun(skipped, Date.parse("2026-03-28T12:00:00Z"));
    const second = await nextRun(skipped, first);
    assert.ok(first < Date.parse("2026-03-29T12:00:00Z"));
    assert.equal(new Date(second).toISOString(), "2026-03-30T00:30:00.000Z");
  });
});

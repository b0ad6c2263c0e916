/** Messages that are sent on a schedule: stored with the manager's state, so that they survive restarts, and never run twice for one time. */
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import type { Schedule, ScheduleRun } from "./api/automation.ts";
import { checkTiming, nextRun } from "./cron.ts";
import { failure } from "./problems.ts";
import type { ManagerStore } from "./store.ts";

export interface SchedulePorts {
  readonly store: ManagerStore;
  now(): number;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  /** Starts a session and sends it the prompt; returns the session's id. */
  start(schedule: Schedule): Promise<string>;
  isRunning(sessionId: string): boolean;
  changed(): void;
}

export type ScheduleWrite = Pick<Schedule, "name" | "prompt" | "cron" | "timeZone"> &
  Partial<Pick<Schedule, "cwd" | "projectId" | "model" | "enabled" | "runMissed">>;

const maxSchedules = 100;
const keepRuns = 20;
/** The clock is looked at this often at least: it may have been set, and a machine may have slept. */
const lookEveryMs = 30_000;
/** A run that is later than this was missed; a busy machine alone is not as late. */
const missedAfterMs = 5 * 60_000;
/** A missed run older than this is not made up for: nobody expects it any more. */
const makeUpWithinMs = 24 * 60 * 60_000;

export class Schedules {
  readonly #ports: SchedulePorts;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(ports: SchedulePorts) {
    this.#ports = ports;
  }

  get all(): readonly Schedule[] {
    return this.#ports.store.state.schedules;
  }

  /** Begins to watch the clock, once the engine can be used. */
  start(): void {
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async add(write: ScheduleWrite): Promise<Schedule> {
    const now = this.#ports.now();
    await checkTiming(write, now);
    if (this.all.length >= maxSchedules)
      throw failure(409, "too_many_schedules", `There are ${maxSchedules} schedules, the most that there may be. Remove one first.`);
    const at = new Date(now).toISOString();
    const schedule: Schedule = {
      ...{ cwd: null, projectId: null, model: null, enabled: true, runMissed: true },
      ...write,
      ...{ scheduleId: randomUuid(), createdAt: at, updatedAt: at, nextRunAt: null, runs: [] },
    };
    const timed = await this.#timed(schedule);
    this.#ports.store.change({ schedules: [...this.all, timed] });
    this.#changed();
    return timed;
  }

  async change(scheduleId: string, part: Partial<ScheduleWrite>): Promise<Schedule> {
    const given = Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
    const wanted = { ...this.require(scheduleId), ...given };
    await checkTiming(wanted, this.#ports.now());
    const next = await this.#timed({ ...wanted, updatedAt: new Date(this.#ports.now()).toISOString() });
    // It may have run, or been removed, in the meantime.
    const { runs } = this.require(scheduleId);
    const changed = { ...next, runs };
    this.#ports.store.change({ schedules: this.all.map((one) => (one.scheduleId === scheduleId ? changed : one)) });
    this.#changed();
    return changed;
  }

  remove(scheduleId: string): void {
    this.require(scheduleId);
    this.#ports.store.change({ schedules: this.all.filter((one) => one.scheduleId !== scheduleId) });
    this.#changed();
  }

  /** Runs it now, whatever its times. A failure is recorded like that of any other run. */
  async run(scheduleId: string): Promise<Schedule> {
    await this.#run(this.require(scheduleId));
    return this.require(scheduleId);
  }

  require(scheduleId: string): Schedule {
    const found = this.all.find((one) => one.scheduleId === scheduleId);
    if (found === undefined) throw failure(404, "no_such_schedule", "There is no such schedule.");
    return found;
  }

  async #timed(schedule: Schedule): Promise<Schedule> {
    if (!schedule.enabled) return { ...schedule, nextRunAt: null };
    return { ...schedule, nextRunAt: new Date(await nextRun(schedule, this.#ports.now())).toISOString() };
  }

  #changed(): void {
    this.#ports.changed();
    this.#wait();
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const times = this.all.flatMap(({ nextRunAt }) => (nextRunAt === null ? [] : [Date.parse(nextRunAt)]));
    if (times.length === 0) return;
    const waitMs = Math.min(Math.max(0, Math.min(...times) - this.#ports.now()), lookEveryMs);
    this.#timer = setTimeout(() => {
      this.#looking = this.#looking.then(() => this.#look()).catch((error: unknown) => this.#failed("schedules", error));
    }, waitMs).unref();
  }

  /** Runs what is due. The next time is stored first: a run that is cut off by a crash is not repeated. */
  async #look(): Promise<void> {
    try {
      const now = this.#ports.now();
      const due = this.all.filter(({ nextRunAt }) => nextRunAt !== null && Date.parse(nextRunAt) <= now);
      for (const schedule of due) {
        if (this.#isClosed) return;
        await this.#runDue(schedule, now).catch((error: unknown) => this.#failed(schedule.name, error));
      }
    } finally {
      this.#wait();
    }
  }

  async #runDue(schedule: Schedule, now: number): Promise<void> {
    const lateMs = now - Date.parse(schedule.nextRunAt ?? "");
    const next = await this.#timed(schedule).catch(() => ({ ...schedule, enabled: false, nextRunAt: null }));
    const current = this.all.find((one) => one.scheduleId === schedule.scheduleId);
    if (current === undefined || current.nextRunAt !== schedule.nextRunAt) return;
    this.#ports.store.change({
      schedules: this.all.map((one) =>
        one === current ? { ...current, enabled: current.enabled && next.enabled, nextRunAt: next.nextRunAt } : one,
      ),
    });
    const isMissed = lateMs > missedAfterMs;
    if (isMissed && (!schedule.runMissed || lateMs > makeUpWithinMs))
      return this.#record(schedule.scheduleId, "missed", null, "The manager was not running at that time.");
    await this.#run(schedule);
  }

  async #run(schedule: Schedule): Promise<void> {
    const last = schedule.runs.find(({ sessionId }) => sessionId !== null)?.sessionId;
    if (last != null && this.#ports.isRunning(last))
      return this.#record(schedule.scheduleId, "still_running", last, "The last run has not ended yet.");
    try {
      this.#record(schedule.scheduleId, "started", await this.#ports.start(schedule), null);
    } catch (error) {
      this.#record(schedule.scheduleId, "failed", null, errorMessage(error).slice(0, 1000));
    }
  }

  #record(scheduleId: string, outcome: ScheduleRun["outcome"], sessionId: string | null, message: string | null): void {
    const run: ScheduleRun = { at: new Date(this.#ports.now()).toISOString(), outcome, sessionId, message };
    this.#ports.store.note({
      schedules: this.all.map((one) => (one.scheduleId === scheduleId ? { ...one, runs: [run, ...one.runs].slice(0, keepRuns) } : one)),
    });
    this.#changed();
  }

  #failed(name: string, error: unknown): void {
    this.#ports.warn("a schedule could not be run", { name, error: errorMessage(error) });
  }
}

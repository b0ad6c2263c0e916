/** When a schedule runs next. The library is loaded only by managers that have schedules. */
import { errorMessage } from "../lib/error-text.ts";
import { invalid } from "./problems.ts";

/** A schedule may not start sessions more often than this: each of them costs money and a place in the inbox. */
const minMinutes = 5;
const checkedRuns = 50;

export interface Timing {
  readonly cron: string;
  readonly timeZone: string;
}

/** The first time after `after`. Throws a Problem that names the field if the pattern or the time zone is invalid. */
export async function nextRun(timing: Timing, after: number): Promise<number> {
  const times = await runsAfter(timing, after, 1);
  const [next] = times;
  if (next === undefined) throw invalid([{ path: "cron", message: "this never happens again" }]);
  return next;
}

/** Refuses what can never run or runs too often. */
export async function checkTiming(timing: Timing, now: number): Promise<void> {
  const times = await runsAfter(timing, now, checkedRuns);
  if (times.length === 0) throw invalid([{ path: "cron", message: "this never happens" }]);
  const isTooOften = times.some((time, i) => i > 0 && time - (times[i - 1] ?? 0) < minMinutes * 60_000);
  if (isTooOften) throw invalid([{ path: "cron", message: `at most once in ${minMinutes} minutes` }]);
}

async function runsAfter({ cron, timeZone }: Timing, after: number, count: number): Promise<readonly number[]> {
  if (!isTimeZone(timeZone)) throw invalid([{ path: "timeZone", message: "expected a time zone such as Europe/Berlin or UTC" }]);
  const { Cron } = await import("croner");
  try {
    // Paused and without a function: it computes times and starts no timer of its own.
    const pattern = new Cron(cron, { mode: "5-part", timezone: timeZone, paused: true });
    return pattern.nextRuns(count, new Date(after)).map((date) => date.getTime());
  } catch (error) {
    throw invalid([
      {
        path: "cron",
        message: `expected minute, hour, day, month and weekday, such as 0 9 * * 1-5 (${errorMessage(error).slice(0, 200)})`,
      },
    ]);
  }
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

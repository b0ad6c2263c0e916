/** What the rows of the manager's page and bridge must keep. */

export interface ManagerFigures {
  readonly when: string;
  readonly load: { readonly before: number; readonly after: number };
  readonly figures: Readonly<Record<string, number | string>>;
}
export interface ManagerLimit {
  readonly must: number;
  /** More is better. */
  readonly isMore?: true;
}

/** A frame at 60 a second has 16.7 ms. */
const frame = 16.7;
const streaming = (where: string): Readonly<Record<string, ManagerLimit>> => ({
  [`2,000 deltas a second ${where}: frames a second`]: { must: 55, isMore: true },
  [`2,000 deltas a second ${where}: main thread ms a frame`]: { must: 14 },
});

export const managerLimits: Readonly<Record<string, ManagerLimit>> = {
  "500 sessions: first paint ms": { must: 1000 },
  "500 sessions: first paint, main thread ms": { must: 400 },
  "500 sessions: scroll frame p95 ms": { must: 34 },
  "500 sessions: scroll, main thread ms a frame": { must: frame },
  "20,000 items: open ms": { must: 1500 },
  "20,000 items: open, main thread ms": { must: 800 },
  "20,000 items: scroll frame p95 ms": { must: 50 },
  "20,000 items: scroll, main thread ms a frame": { must: frame },
  ...streaming("after 5,000 items"),
  ...streaming("in a turn of 5,000 items"),
  ...Object.fromEntries(
    ["of all kinds", "one block of code", "one list", "one table"].map((kind): [string, ManagerLimit] => [
      `2,000 deltas a second into markdown of 200 kB, ${kind}: main thread, % of the time`,
      { must: 40 },
    ]),
  ),
  "10,000 sessions: first paint ms": { must: 2000 },
  "10,000 sessions: main thread ms until all are listed": { must: 1000 },
  "10,000 sessions: a letter typed into the search, main thread ms": { must: 50 },
  "10,000 sessions: scroll frame p95 ms": { must: 34 },
  "10,000 sessions: scroll, main thread ms a frame": { must: frame },
  "10,000 sessions: memory of scripts MB": { must: 50 },
  "first load kB gzip": { must: 170 },
  "one event to 100 sockets: all have it, ms": { must: 20 },
  "50 streaming threads, 10 sockets: event latency p50 ms": { must: 20 },
  "50 streaming threads, 10 sockets: event latency p99 ms": { must: 50 },
};

/** Whether a figure keeps its limit; undefined for what is only shown. */
export function isKept(name: string, value: number | string): boolean | undefined {
  const limit = managerLimits[name];
  if (limit === undefined || typeof value !== "number") return undefined;
  return limit.isMore === true ? value >= limit.must : value <= limit.must;
}

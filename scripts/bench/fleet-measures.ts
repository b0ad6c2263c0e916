/** What is measured of a fleet, with the limits: docs/start-fleet.md promises what must hold. */
export interface FleetMeasure {
  readonly name: string;
  readonly unit: string;
  /** Without limits: what the others are made of. */
  readonly must?: number;
  readonly aim?: number;
  readonly better?: "more";
}

export const fleetMeasures = {
  killed: { name: "worker killed → client told, thread goes on at another", unit: "ms", must: 5000, aim: 1000 },
  hung: { name: "worker stopped (SIGSTOP) → the same", unit: "ms", must: 5000, aim: 4000 },
  commit: { name: "one row and a bare commit of the engine, with its disk's sync", unit: "ms" },
  appends: { name: "fenced appends of 1,000 threads, one worker", unit: "1/s", must: 10_000, aim: 30_000, better: "more" },
  turn: { name: "one-token turn through front and worker, more than on one machine", unit: "ms", must: 6, aim: 3 },
  deltas: { name: "1,000 threads × 50 deltas through a front", unit: "s", must: 10, aim: 4 },
  resume: { name: "resume of 5,000 items through a front, times one machine", unit: "×", must: 2, aim: 1.3 },
  memory: { name: "front with 1,000 threads, resident memory", unit: "MB", must: 250, aim: 150 },
} as const satisfies Record<string, FleetMeasure>;
export type FleetMeasureName = keyof typeof fleetMeasures;

export interface FleetFigures {
  readonly when: string;
  readonly load: { readonly before: number; readonly highest: number };
  readonly measures: Readonly<Record<FleetMeasureName, readonly number[]>>;
}

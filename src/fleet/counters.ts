/** What a worker counts, kept in memory and added to the engine from time to time: `GET /metrics` of any front sums it up over all workers. */
import type { Query } from "./engine.ts";

/** Only grow, over all starts of a worker. */
export type Counter = "takeovers" | "fenced" | "appends";
/** As of now. */
export type Gauge = "heartbeat_seconds" | "links";

/** The upper ends of the append times' buckets, in seconds. */
export const appendBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;
const bucketOf = (seconds: number): string => `append_bucket_${appendBuckets.find((end) => seconds <= end) ?? "rest"}`;

export class FleetCounters {
  readonly #worker: string;
  #grown = new Map<string, number>();
  readonly #gauges = new Map<Gauge, number>();

  constructor(worker: string) {
    this.#worker = worker;
  }

  add(counter: Counter, by = 1): void {
    this.#grow(counter, by);
  }

  set(gauge: Gauge, value: number): void {
    this.#gauges.set(gauge, value);
  }

  /** How long it took until `records` records were stored. */
  appended(seconds: number, records: number): void {
    this.#grow("appends", records);
    this.#grow("append_sum", seconds);
    this.#grow(bucketOf(seconds), 1);
  }

  /** One statement. What could not be written is written the next time. */
  async flush(query: Query): Promise<void> {
    const grown = this.#grown;
    if (grown.size + this.#gauges.size === 0) return;
    this.#grown = new Map();
    const names = [...grown.keys(), ...this.#gauges.keys()];
    const values = [...grown.values(), ...this.#gauges.values()];
    const grows = names.map((_, i) => i < grown.size);
    try {
      await query(
        `insert into parley.counters as kept (worker, name, value)
         select $1, name, value from unnest($2::text[], $3::float8[]) as given (name, value)
         on conflict (worker, name) do update set value = excluded.value
           + case when excluded.name = any($4::text[]) then kept.value else 0 end`,
        [this.#worker, names, values, names.filter((_, i) => grows[i])],
      );
    } catch (error) {
      for (const [name, by] of grown) this.#grow(name, by);
      throw error;
    }
  }

  #grow(name: string, by: number): void {
    this.#grown.set(name, (this.#grown.get(name) ?? 0) + by);
  }
}

/** What operators ask about a fleet: its state, where a thread is, its metrics, and letting a worker leave. */
import type { FleetPlace, FleetReport, FleetStatus, WorkerState } from "../core/ports/fleet.ts";
import { appendBuckets } from "./counters.ts";
import type { Query } from "./engine.ts";

/** Lost is who was declared so, and also whose lease has ended: the next reaper will. */
const stateOf = "case when lost or until < now() then 'lost' when draining then 'draining' else 'up' end";

export function reportOf(query: Query): FleetReport {
  return {
    status: () => fleetStatus(query),
    place: (threadId, team) => placeOf(query, threadId, team),
    metrics: () => metricsText(query),
    drain: (worker) => drainWorker(query, worker),
  };
}

export async function fleetStatus(query: Query): Promise<FleetStatus> {
  // One statement, so that the parts fit each other.
  const [row] = await query<{ status: FleetStatus }>(`
    select json_build_object(
      'workers', coalesce((
        select json_agg(json_build_object('name', name, 'state', ${stateOf}, 'threads', coalesce(held.threads, 0), 'labels', labels) order by name)
        from parley.workers left join (select holder, count(*) as threads from parley.threads where holder is not null group by holder) as held
          on held.holder = workers.name), '[]'),
      'threads', (select json_build_object(
        'live', count(*) filter (where holder is not null),
        'active', count(*) filter (where state = 'active'),
        'waiting', count(*) filter (where state = 'waiting'))
        from parley.threads where holder is not null or state <> 'idle')) as status`);
  return row?.status ?? { workers: [], threads: { live: 0, active: 0, waiting: 0 } };
}

async function placeOf(query: Query, threadId: string, team: string | null): Promise<FleetPlace | undefined> {
  // The engine's bigint arrives as text; neither number will ever exceed what a double can hold.
  const [row] = await query<FleetPlace>(
    `select id as "threadId", team, holder as worker, epoch::float8 as epoch, seq::float8 as seq
     from parley.threads where id = $1 and ($2::text is null or team = $2)`,
    [threadId, team],
  );
  return row;
}

/** The worker reads it with its next heartbeat. */
export async function drainWorker(query: Query, worker: string): Promise<"draining" | "lost" | "unknown"> {
  const [row] = await query<{ state: WorkerState }>(
    `update parley.workers set draining = draining or not (lost or until < now()) where name = $1 returning ${stateOf} as state`,
    [worker],
  );
  if (row === undefined) return "unknown";
  return row.state === "lost" ? "lost" : "draining";
}

interface Kept {
  readonly worker: string;
  readonly name: string;
  readonly value: number;
}
interface Lease {
  readonly name: string;
  readonly state: WorkerState;
  readonly seconds: number;
}

export async function metricsText(query: Query): Promise<string> {
  const [status, kept, leases] = await Promise.all([
    fleetStatus(query),
    query<Kept>("select worker, name, value from parley.counters"),
    query<Lease>(
      `select name, ${stateOf} as state, extract(epoch from until - now())::float8 as seconds from parley.workers order by name`,
    ),
  ]);
  const sum = (name: string): number => kept.reduce((all, row) => (row.name === name ? all + row.value : all), 0);
  const up = leases.filter(({ state }) => state !== "lost");
  const gauge = (name: string): Samples =>
    up.flatMap(({ name: worker }) =>
      kept.filter((row) => row.worker === worker && row.name === name).map((row) => [{ worker }, row.value] as const),
    );
  const states: readonly WorkerState[] = ["up", "draining", "lost"];
  return [
    metric(
      "parley_fleet_workers",
      "gauge",
      "Workers by state.",
      states.map((state) => [{ state }, leases.filter((lease) => lease.state === state).length]),
    ),
    metric(
      "parley_fleet_threads",
      "gauge",
      "Threads that a worker holds (live), with a running turn (active), with a turn that waits for a person (waiting).",
      Object.entries(status.threads).map(([state, count]) => [{ state }, count]),
    ),
    metric(
      "parley_fleet_worker_threads",
      "gauge",
      "Threads that each worker holds.",
      status.workers.map(({ name, threads }) => [{ worker: name }, threads]),
    ),
    metric("parley_fleet_takeovers_total", "counter", "Threads that a lost worker held, and that went on without it.", [
      [{}, sum("takeovers")],
    ]),
    metric("parley_fleet_appended_records_total", "counter", "Records stored.", [[{}, sum("appends")]]),
    metric("parley_fleet_fenced_appends_total", "counter", "Appends refused, since another worker held the thread by then.", [
      [{}, sum("fenced")],
    ]),
    appendTimes(sum),
    metric(
      "parley_fleet_lease_seconds",
      "gauge",
      "How long each worker's lease still lasts; it falls when heartbeats are late.",
      up.map(({ name, seconds }) => [{ worker: name }, seconds]),
    ),
    metric("parley_fleet_heartbeat_seconds", "gauge", "How long each worker's last heartbeat took.", gauge("heartbeat_seconds")),
    metric("parley_fleet_links", "gauge", "Connections of fronts to each worker.", gauge("links")),
  ].join("");
}

type Samples = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

function metric(name: string, type: string, help: string, samples: Samples): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.map(([labels, value]) => sample(name, labels, value)).join("")}`;
}

function sample(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const quoted = Object.entries(labels).map(([label, text]) => `${label}="${text.replaceAll(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`);
  return `${name}${quoted.length === 0 ? "" : `{${quoted.join(",")}}`} ${value}\n`;
}

/** Buckets contain everything below their end, those before them too. */
function appendTimes(sum: (name: string) => number): string {
  const name = "parley_fleet_append_seconds";
  let count = 0;
  const buckets = [...appendBuckets, "rest" as const].map((end) => {
    count += sum(`append_bucket_${end}`);
    return sample(`${name}_bucket`, { le: end === "rest" ? "+Inf" : String(end) }, count);
  });
  const head = `# HELP ${name} How long it took until records were stored by the engine.\n# TYPE ${name} histogram\n`;
  return `${head}${buckets.join("")}${sample(`${name}_sum`, {}, sum("append_sum"))}${sample(`${name}_count`, {}, count)}`;
}

/** Who is in the fleet and who holds what, out of the engine's tables. For fronts. */
import type { FleetRegistry, FleetWorker, HeldThread, WorkerId } from "../core/ports/fleet.ts";
import { FleetCounters } from "./counters.ts";
import type { Engine, Query } from "./engine.ts";
import { engineIsSettled, leaseMs } from "./membership.ts";

interface WorkerRow {
  readonly name: string;
  readonly boot: string;
  readonly url: string;
  readonly link_secret: string;
  readonly cert_sha256: string | null;
  readonly state: FleetWorker["state"];
  readonly labels: string[];
  readonly teams: string[];
  readonly threads: string;
  readonly max_threads: number | null;
}

interface ThreadRow {
  readonly id: string;
  readonly team: string;
  readonly holder: string | null;
  readonly boot: string | null;
  readonly epoch: string;
  readonly seq: string;
  readonly state: HeldThread["state"];
  readonly labels: string[];
  readonly moved: HeldThread["moved"];
}

interface Asking {
  readonly ids: readonly string[];
  readonly resolve: (found: ReadonlyMap<string, HeldThread>) => void;
  readonly reject: (error: unknown) => void;
}

export function createRegistry(engine: Engine): FleetRegistry {
  let asking: Asking[] = [];
  const lookUp = async (): Promise<void> => {
    const asked = asking;
    asking = [];
    try {
      const found = await heldThreads(engine, [...new Set(asked.flatMap(({ ids }) => ids))]);
      for (const { ids, resolve } of asked) resolve(new Map(ids.flatMap((id) => entryOf(found, id))));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  };
  // What fronts count, as one: they come and go.
  const counters = new FleetCounters("front");
  const reap = createReaper(engine.query, counters);
  return {
    async workers() {
      await reap();
      const rows = await engine.query<WorkerRow>(
        `select w.name, w.boot, w.url, w.link_secret, w.cert_sha256, w.labels, w.teams, w.max_threads,
           case when w.lost then 'lost' when w.draining then 'draining' else 'up' end as state,
           (select count(*) from parley.threads t where t.holder = w.name and t.boot = w.boot) as threads
         from parley.workers w order by w.name`,
      );
      return rows.map((row) => ({
        ...{ name: row.name, boot: row.boot, url: row.url, linkSecret: row.link_secret, certSha256: row.cert_sha256 },
        ...{ state: row.state, labels: row.labels, teams: row.teams, threads: Number(row.threads), maxThreads: row.max_threads },
      }));
    },
    holders: (ids) =>
      new Promise((resolve, reject) => {
        // Everything that is asked in one tick is one query.
        if (asking.push({ ids, resolve, reject }) === 1) setImmediate(lookUp);
      }),
    async held(team) {
      const rows = await engine.query<{ id: string }>("select id from parley.threads where team = $1 and holder is not null", [team]);
      return rows.map(({ id }) => id);
    },
    expire: (worker) => expire(engine, counters, worker),
  };
}

const reapEveryMs = 500;

/**
 * Workers declare each other lost, but one for some teams alone neither sees nor changes those that serve others: a front does it for all.
 * One that has not reached the engine for the time of a lease waits for as long again, since every worker has to beat first.
 */
function createReaper(query: Query, counters: FleetCounters): () => Promise<void> {
  let inTouchSince = performance.now();
  let reachedAt = inTouchSince;
  let reapedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = performance.now();
    if (now - reapedAt < reapEveryMs) return;
    reapedAt = now;
    const mayReap = now - reachedAt < leaseMs && now - inTouchSince >= leaseMs;
    const gone = await query<{ name: string }>(
      `update parley.workers set lost = true where $1 and not lost and until < now() - interval '500 ms' and ${engineIsSettled} returning name`,
      [mayReap],
    );
    if (now - reachedAt >= leaseMs) inTouchSince = performance.now();
    reachedAt = performance.now();
    if (gone.length === 0) return;
    counters.add("takeovers", await freeLost(query));
    await counters.flush(query);
  };
}

const entryOf = (found: ReadonlyMap<string, HeldThread>, id: string): [string, HeldThread][] => {
  const thread = found.get(id);
  return thread === undefined ? [] : [[id, thread]];
};

async function heldThreads(engine: Engine, ids: readonly string[]): Promise<ReadonlyMap<string, HeldThread>> {
  const rows = await engine.query<ThreadRow>(
    "select id, team, holder, boot, epoch, seq, state, labels, moved from parley.threads where id = any($1::text[])",
    [ids],
  );
  return new Map(
    rows.map((row) => [
      row.id,
      {
        ...{ threadId: row.id, team: row.team, epoch: Number(row.epoch), seq: Number(row.seq) },
        ...{ state: row.state, labels: row.labels, moved: row.moved },
        holder: row.holder === null || row.boot === null ? undefined : { name: row.holder, boot: row.boot },
      },
    ]),
  );
}

/** Its threads are nobody's from here on, for whoever claims them. */
async function expire(engine: Engine, counters: FleetCounters, { name, boot }: WorkerId): Promise<void> {
  await engine.transaction(async (query) => {
    const gone = await query(
      "update parley.workers set lost = true, until = now() where name = $1 and boot = $2 and not lost returning name",
      [name, boot],
    );
    if (gone.length === 0) return;
    counters.add("takeovers", await freeLost(query));
    await counters.flush(query);
  });
}

/** Frees the threads whose holder is lost, has left, or is another boot by now. Returns how many of them no turn ran in. */
export async function freeLost(query: Query): Promise<number> {
  const freed = await query<{ state: string }>(
    `with holders as materialized (select distinct holder, boot from parley.threads where holder is not null),
       gone as materialized (select holder, boot from holders where not parley.is_alive(holder, boot))
     update parley.threads t set holder = null, boot = null, moved = 'lost' from gone
     where t.holder = gone.holder and t.boot = gone.boot returning t.state`,
  );
  return freed.filter(({ state }) => state === "idle").length;
}

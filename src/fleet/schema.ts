/** The fleet's tables, and their upgrades: `parley fleet init`. A step that has landed in a release is never changed; a new one follows it. */
import { type Engine, EngineRefused, EngineUnreachable, type Query } from "./engine.ts";

/**
 * Leases: a worker holds a thread while `threads.holder` and `threads.boot` name it and its own row is neither lost nor past `until`. Every
 * write of a thread's record compares holder, boot, epoch and seq in the same statement, so that whoever has lost a thread writes nothing.
 * Only the engine's clock is compared.
 */
const first = `
create table parley.teams (
  name text primary key,
  max_threads integer,
  max_turns integer,
  role text unique,
  created_at timestamptz not null default now()
);
create table parley.tokens (
  digest bytea primary key,
  team text references parley.teams (name),
  username text,
  rights text not null default 'everything' check (rights in ('look', 'answer', 'drive', 'everything')),
  admin boolean not null default false,
  created_at timestamptz not null default now(),
  check (admin or team is not null)
);
create table parley.workers (
  name text primary key,
  boot uuid not null,
  url text not null,
  link_secret text not null,
  cert_sha256 text,
  until timestamptz not null,
  labels text[] not null default '{}',
  teams text[] not null default '{}',
  max_threads integer,
  draining boolean not null default false,
  lost boolean not null default false,
  version text not null default ''
);
create table parley.threads (
  id text primary key,
  team text not null references parley.teams (name),
  holder text,
  boot uuid,
  epoch bigint not null default 0,
  seq bigint not null default 0,
  state text not null default 'idle' check (state in ('idle', 'active', 'waiting')),
  moved text check (moved in ('lost', 'drained', 'released')),
  labels text[] not null default '{}',
  workspace jsonb,
  head jsonb,
  archived boolean not null default false,
  created_ms bigint not null default 0,
  updated_ms bigint not null default 0,
  check ((holder is null) = (boot is null))
) with (fillfactor = 60);
create index threads_held on parley.threads (holder) where holder is not null;
create index threads_left on parley.threads (state) where holder is null and state <> 'idle';
create index threads_newest on parley.threads (team, archived, updated_ms desc, id);
create index threads_created on parley.threads (team, archived, created_ms desc, id);
create index threads_parent on parley.threads (team, (head ->> 'parentThreadId')) where head ->> 'parentThreadId' is not null;
create table parley.log (
  thread text not null references parley.threads (id) on delete cascade,
  seq bigint not null,
  epoch bigint not null,
  worker text not null,
  kind text not null,
  line text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (thread, seq)
);
-- What a turn's open questions need to be put again by another worker; the lines are those of the file that one machine has for them.
create table parley.questions (
  thread text primary key references parley.threads (id) on delete cascade,
  lines text not null
);
-- What else belongs to a thread and moves with it: its queue and its goal. Not jsonb, which has no place for the character 0.
create table parley.belongings (
  thread text not null references parley.threads (id) on delete cascade,
  kind text not null,
  value json not null,
  primary key (thread, kind)
);
create table parley.audit (
  id bigint generated always as identity primary key,
  team text not null references parley.teams (name),
  thread text,
  at timestamptz not null default clock_timestamp(),
  entry json not null
);
-- What each worker counted, over all its starts.
create table parley.counters (
  worker text not null,
  name text not null,
  value double precision not null default 0,
  primary key (worker, name)
);
create view parley.v_log as select thread as thread_id, seq, epoch, worker, kind, at from parley.log;
create view parley.v_threads as select id as thread_id, team, holder as worker, epoch, seq from parley.threads;
-- Claims a thread, and makes it if there is none. Each statement of the function sees what others have committed before it, so that limits
-- are exact: whoever counts waits for the others of the team or worker that count.
create function parley.claim(of_thread text, of_team text, by_worker text, by_boot uuid, needs text[])
returns table (outcome text, new_epoch bigint, at_seq bigint, known_head jsonb, held_by text)
language plpgsql as $$
declare
  limits parley.teams;
  claimant parley.workers;
  known parley.threads;
begin
  select * into limits from parley.teams where name = of_team;
  if limits.name is null then return query select 'no team', 0::bigint, 0::bigint, null::jsonb, null::text; return; end if;
  select * into claimant from parley.workers where name = by_worker and boot = by_boot and not lost and not draining;
  if claimant.name is null then return query select 'leaving', 0::bigint, 0::bigint, null::jsonb, null::text; return; end if;
  if limits.max_threads is not null then perform pg_advisory_xact_lock(7274362, hashtext(of_team)); end if;
  if claimant.max_threads is not null then perform pg_advisory_xact_lock(7274363, hashtext(by_worker)); end if;
  select * into known from parley.threads where id = of_thread and team = of_team for update;
  if known.holder is not null and (known.holder <> by_worker or known.boot <> by_boot) then
    return query select 'held', known.epoch, known.seq, null::jsonb, known.holder; return;
  end if;
  if not (coalesce(known.labels, needs) <@ claimant.labels) then
    return query select 'labels', 0::bigint, 0::bigint, null::jsonb, array_to_string(coalesce(known.labels, needs), ', '); return;
  end if;
  if (select count(*) from parley.threads where team = of_team and holder is not null and id <> of_thread) >= limits.max_threads then
    return query select 'team limit', 0::bigint, limits.max_threads::bigint, null::jsonb, null::text; return;
  end if;
  if (select count(*) from parley.threads where holder = by_worker and id <> of_thread) >= claimant.max_threads then
    return query select 'worker limit', 0::bigint, claimant.max_threads::bigint, null::jsonb, null::text; return;
  end if;
  return query
    insert into parley.threads as t (id, team, holder, boot, epoch, labels) values (of_thread, of_team, by_worker, by_boot, 1, needs)
    on conflict (id) do update set holder = by_worker, boot = by_boot, epoch = t.epoch + 1
      where t.team = of_team and (t.holder is null or (t.holder = by_worker and t.boot = by_boot))
    returning 'claimed'::text, t.epoch, t.seq, t.head, null::text;
  if not found then return query select 'held', 0::bigint, 0::bigint, null::jsonb, 'another worker'; end if;
end $$;
-- Whether a claim counts. Whoever holds threads of a team may serve others too, so that the team's role does not see its row.
create function parley.is_alive(of_worker text, of_boot uuid) returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select 1 from parley.workers where name = of_worker and boot = of_boot and not lost)
$$;
-- Whether one more turn may run in the team; it counts as running from here on.
create function parley.begin_turn(of_thread text, by_worker text, by_boot uuid, in_epoch bigint) returns text language plpgsql as $$
declare
  limits parley.teams;
begin
  select teams.* into limits from parley.teams join parley.threads on threads.team = teams.name where threads.id = of_thread;
  if limits.max_turns is not null then
    perform pg_advisory_xact_lock(7274364, hashtext(limits.name));
    if (select count(*) from parley.threads where team = limits.name and state <> 'idle' and id <> of_thread) >= limits.max_turns then
      return limits.max_turns;
    end if;
  end if;
  update parley.threads set state = 'active' where id = of_thread and holder = by_worker and boot = by_boot and epoch = in_epoch;
  return case when found then 'begun' else 'lost' end;
end $$;
${rowRights()}`;

/**
 * What a team's role may see and change (roles.ts grants it the tables). The tables' owner is not limited: it is who signs in for fronts and
 * for workers that serve everybody. A worker's row is visible to its own teams alone, so that no other team's worker can be declared lost.
 */
function rowRights(): string {
  const ofTeam = "team in (select name from parley.teams)";
  const ofThread = (table: string): string => `exists (select 1 from parley.threads as mine where mine.id = ${table}.thread)`;
  const rights: Readonly<Record<string, string>> = {
    teams: "pg_has_role(to_regrole(quote_ident(role)), 'usage')",
    tokens: "false",
    workers: "teams <> '{}' and teams <@ array(select name from parley.teams)",
    threads: ofTeam,
    log: ofThread("log"),
    questions: ofThread("questions"),
    belongings: ofThread("belongings"),
    audit: ofTeam,
    counters: "exists (select 1 from parley.workers as mine where mine.name = counters.worker)",
  };
  const policies = Object.entries(rights).map(
    ([table, rule]) =>
      `alter table parley.${table} enable row level security;\ncreate policy own on parley.${table} using (${rule}) with check (${rule});\n`,
  );
  // Without it a view shows everything to whoever may read the view; before version 15 no team's role may read them.
  const views = `do $$ begin if current_setting('server_version_num')::int >= 150000 then
    alter view parley.v_log set (security_invoker = true);
    alter view parley.v_threads set (security_invoker = true);
  end if; end $$;`;
  return policies.join("") + views;
}

/**
 * Appends are a function, so that the engine plans them once for each connection. The plan must go by the threads' keys, for one thread and for
 * a thousand, also while a new table has no statistics: a plan that reads the whole table, or all threads of a holder, would be kept while they
 * become more. Each thread's lines are one text, so that nothing has to be joined but the threads. Records are only added by a statement that
 * has locked and changed their thread's row, so that the engine need not look for that row again for each of them. What a deleted thread leaves
 * is removed by the tables' owner: a team's role may add records and not remove any.
 */
const second = `
alter table parley.log drop constraint log_thread_fkey;
create function parley.remove_log() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  delete from parley.log where thread = old.id;
  return null;
end $$;
create trigger remove_log after delete on parley.threads for each row when (old.seq > 0) execute function parley.remove_log();
create function parley.append(
  by_worker text, by_boot uuid, of_threads text[], in_epochs bigint[], after_seqs bigint[], counts integer[], to_states text[],
  heads jsonb[], created bigint[], updated bigint[], of_kinds text, of_lines text
) returns setof text language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return query with given as (
    select * from unnest(of_threads, in_epochs, after_seqs, counts, to_states, heads, created, updated,
        string_to_array(of_kinds, E'\\x1e'), string_to_array(of_lines, E'\\x1e'))
      as g (id, epoch, last, count, state, head, created_ms, updated_ms, kinds, lines)
  ), taken as (
    update parley.threads t set seq = t.seq + g.count, state = coalesce(g.state, t.state), updated_ms = coalesce(g.updated_ms, t.updated_ms),
      created_ms = coalesce(g.created_ms, t.created_ms), head = case when g.head is null then t.head else coalesce(t.head, '{}') || g.head end
    from given g where t.id = g.id and t.holder is not distinct from by_worker and t.boot = by_boot and t.epoch = g.epoch and t.seq = g.last
    returning t.id, t.epoch, g.last, g.kinds, g.lines
  ), added as (
    insert into parley.log (thread, seq, epoch, worker, kind, line)
    select taken.id, taken.last + l.number, taken.epoch, by_worker, l.kind, l.line
    from taken, unnest(string_to_array(taken.kinds, ','), string_to_array(taken.lines, E'\\n')) with ordinality as l (kind, line, number)
  )
  select taken.id from taken;
end $$;
`;

/**
 * Whoever may execute a trigger's function may make it the trigger of a table of its own, and so have other teams' records removed with the
 * rights of the tables' owner. The trigger itself goes on without anybody's right.
 */
const third = `
revoke execute on function parley.remove_log() from public;
`;

const steps: readonly string[] = [first, second, third];
/** Any number, the same in all versions: two that upgrade at once wait for each other. */
const upgradeLock = 7_274_361;

/** Creates or upgrades the tables; the version before and after. */
export async function upgradeSchema(engine: Engine): Promise<{ readonly from: number; readonly to: number }> {
  return await engine.transaction(async (query) => {
    await query("select pg_advisory_xact_lock($1)", [upgradeLock]);
    await query("create schema if not exists parley");
    await query("create table if not exists parley.schema_version (version integer not null)");
    const from = await versionOf(query);
    if (from > steps.length)
      throw new EngineRefused(`the fleet's tables are of a newer Parley (version ${from}, this one knows ${steps.length})`);
    for (const step of steps.slice(from)) await query(step);
    await query("delete from parley.schema_version");
    await query("insert into parley.schema_version (version) values ($1)", [steps.length]);
    return { from, to: steps.length };
  });
}

/** Throws unless the tables are those of this version. */
export async function checkSchema(engine: Engine): Promise<void> {
  const version = await versionOf(engine.query).catch(noTables);
  if (version === steps.length) return;
  if (version > steps.length)
    throw new EngineRefused(`the fleet's tables are of a newer Parley (version ${version}, this one knows ${steps.length})`);
  throw new EngineRefused(
    version === 0
      ? "the fleet has no tables yet; run: parley fleet init"
      : "the fleet's tables are of an older version; run: parley fleet init",
  );
}

/** An engine that refuses us, or that ends just then, may well have the tables. */
function noTables(error: unknown): 0 {
  if (error instanceof EngineRefused || error instanceof EngineUnreachable) throw error;
  return 0;
}
async function versionOf(query: Query): Promise<number> {
  const [row] = await query<{ version: number }>("select version from parley.schema_version limit 1");
  return row?.version ?? 0;
}

/** Teams and tokens over a real PostgreSQL: what a team's role sees of the others is nothing, by the engine's own rights. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Engine, EngineRefused, openEngine } from "../../src/fleet/engine.ts";
import { Membership, NameTaken } from "../../src/fleet/membership.ts";
import { createRegistry, freeLost } from "../../src/fleet/registry.ts";
import { addressFor, makeWorkerLogin, roleOfWorker } from "../../src/fleet/roles.ts";
import { upgradeSchema } from "../../src/fleet/schema.ts";
import { listTeams, putTeam } from "../../src/fleet/teams.ts";
import { createToken, listTokens, revokeToken, tokensOf } from "../../src/fleet/tokens.ts";
import { atEnd, type Ending } from "../support/ending.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";

/** A fleet whose engine's user is an ordinary one that may make roles, as at a provider of databases. */
async function fleet(t: Ending): Promise<{ postgres: Postgres; engine: Engine; address: string; open: Open }> {
  const postgres = await Postgres.start(t);
  const open: Open = async (address, role) => {
    const engine = await openEngine({ address, name: "test", connections: 2, role });
    closing.push(engine);
    return engine;
  };
  const closing: Engine[] = [];
  atEnd(t, async () => void (await Promise.all(closing.map((engine) => engine.close()))));
  const root = await open(postgres.address);
  await root.query("create role operator login createrole password 'op-1'");
  await root.query("grant create on database postgres to operator");
  const address = postgres.addressOf("operator", "op-1");
  const engine = await open(address);
  await upgradeSchema(engine);
  return { postgres, engine, address, open };
}
type Open = (address: string, role?: string) => Promise<Engine>;

const boot = "00000000-0000-4000-8000-000000000001";
/** One worker, thread, record, question, belonging, audit entry and counter of the team. */
async function fill(engine: Engine, team: string): Promise<void> {
  await engine.query(
    `insert into parley.workers (name, boot, url, link_secret, until, teams) values ('w-' || $1, $2, 'ws://127.0.0.1:1', 'link-' || $1, now(), array[$1])`,
    [team, boot],
  );
  await engine.query("insert into parley.threads (id, team, holder, boot) values ('t-' || $1, $1, 'w-' || $1, $2)", [team, boot]);
  await engine.query("insert into parley.log (thread, seq, epoch, worker, kind, line) values ('t-' || $1, 1, 0, 'w', 'meta', '{}')", [
    team,
  ]);
  await engine.query("insert into parley.questions values ('t-' || $1, '[]')", [team]);
  await engine.query("insert into parley.belongings values ('t-' || $1, 'queue', '[]')", [team]);
  await engine.query("insert into parley.audit (team, thread, entry) values ($1, 't-' || $1, '{}')", [team]);
  await engine.query("insert into parley.counters values ('w-' || $1, 'takeovers', 1)", [team]);
}

const foreign: Readonly<Record<string, string>> = {
  teams: "name = 'b'",
  workers: "name = 'w-b'",
  threads: "team = 'b'",
  log: "thread = 't-b'",
  questions: "thread = 't-b'",
  belongings: "thread = 't-b'",
  audit: "team = 'b'",
  counters: "worker = 'w-b'",
  v_log: "thread_id = 't-b'",
  v_threads: "team = 'b'",
};
const written: Readonly<Record<string, string>> = {
  workers: "lost = true",
  threads: "holder = null, boot = null",
  questions: "lines = '[1]'",
  belongings: "value = '[1]'",
  counters: "value = 9",
};

/** Everything that a role of team `a` tries with the rows of team `b`. */
async function attack(engine: Engine): Promise<void> {
  for (const [table, rows] of Object.entries(foreign)) {
    const [seen] = await engine.query<{ all: string; other: string }>(
      `select count(*) as all, count(*) filter (where ${rows}) as other from parley.${table}`,
    );
    assert.deepEqual(seen, { all: "1", other: "0" }, `rows seen in ${table}`);
  }
  for (const [table, change] of Object.entries(written))
    assert.deepEqual(
      await engine.query(`update parley.${table} set ${change} where ${foreign[table]} returning 1`),
      [],
      `updates of ${table}`,
    );
  for (const table of ["workers", "threads", "questions", "belongings"])
    assert.deepEqual(await engine.query(`delete from parley.${table} where ${foreign[table]} returning 1`), [], `deletes of ${table}`);
  const inserts = [
    "insert into parley.threads (id, team) values ('planted', 'b')",
    "insert into parley.log (thread, seq, epoch, worker, kind, line) values ('t-b', 2, 9, 'w', 'item', '{}')",
    "insert into parley.questions values ('t-b', '[]')",
    "insert into parley.belongings values ('t-b', 'goal', '1')",
    "insert into parley.audit (team, entry) values ('b', '{}')",
    "insert into parley.counters values ('w-b', 'fenced', 1)",
    "update parley.threads set team = 'b' where id = 't-a'",
    `insert into parley.workers (name, boot, url, link_secret, until) values ('all', '${boot}', 'ws://x', 's', now())`,
    `insert into parley.workers (name, boot, url, link_secret, until, teams) values ('both', '${boot}', 'ws://x', 's', now(), '{a,b}')`,
    `insert into parley.workers (name, boot, url, link_secret, until, teams) values ('w-b', '${boot}', 'ws://x', 's', now(), '{a}')
     on conflict (name) do update set url = excluded.url`,
  ];
  for (const insert of inserts) await assert.rejects(engine.query(insert), /row-level security/, insert);
  const refused = [
    "select * from parley.tokens",
    "update parley.teams set max_threads = null",
    "insert into parley.teams (name) values ('c')",
    "update parley.log set line = ''",
    "delete from parley.log",
    "create table parley.mine ()",
    "alter table parley.threads disable row level security",
    "truncate parley.threads",
  ];
  for (const one of refused) await assert.rejects(engine.query(one), /permission denied|must be owner/, one);
}

test("a team's role sees, changes and adds nothing of another team", { skip: noPostgres }, async (t) => {
  const { postgres, engine, address, open } = await fleet(t);
  for (const name of ["a", "b"]) {
    const { role, isNew } = await putTeam(engine, name, {});
    assert.ok(role !== null && isNew);
    await fill(engine, name);
  }
  const role = await roleOfWorker(engine, ["a"]);
  await attack(await open(address, role));
  // The login has its own password, no way to another role, and is limited whatever it says.
  const login = await makeWorkerLogin(engine, "a");
  const limited = await open(addressFor(address, login));
  await attack(limited);
  assert.equal(await roleOfWorker(limited, ["a"]), role);
  await assert.rejects(roleOfWorker(limited, ["b"]), /no team 'b'/);
  await assert.rejects(limited.query("set role operator"), EngineRefused);
  await attack(await open(addressFor(address, login), role));
  const [hidden] = await (await open(postgres.address)).query<{ kept: string }>(
    "select rolpassword as kept from pg_authid where rolname = $1",
    [login.user],
  );
  assert.match(hidden?.kept ?? "", /^SCRAM-SHA-256\$4096:/);
  const renewed = await makeWorkerLogin(engine, "a");
  assert.equal(renewed.user, login.user);
  const old = await open(addressFor(address, login));
  await assert.rejects(old.query("select 1"), EngineRefused);
  // A worker of two teams: both, and no third.
  await putTeam(engine, "c", {});
  await fill(engine, "c");
  const both = await roleOfWorker(engine, ["b", "a"]);
  assert.equal(both, await roleOfWorker(engine, ["a", "b", "a"]));
  const seen = await (await open(address, both)).query<{ name: string }>("select team as name from parley.threads order by team");
  assert.deepEqual(
    seen.map(({ name }) => name),
    ["a", "b"],
  );
});

/** Rows of nobody. */
const common: ReadonlySet<string> = new Set(["schema_version"]);

/** What a role of team `a` calls each function with to reach team `b`. A function without a row here fails the test. */
const calls: Readonly<Record<string, readonly string[]>> = {
  claim: [
    `select * from parley.claim('t-b', 'b', 'w-a', '${boot}', '{}')`,
    `select * from parley.claim('t-b', 'a', 'w-a', '${boot}', '{}')`,
    `select * from parley.claim('t-b', 'b', 'w-b', '${boot}', '{}')`,
  ],
  begin_turn: [`select parley.begin_turn('t-b', 'w-b', '${boot}', 0)`, `select parley.begin_turn('t-b', 'w-a', '${boot}', 0)`],
  append: ["w-a", "w-b"].map(
    (worker) =>
      `select parley.append('${worker}', '${boot}', '{t-b}', '{0}', '{0}', '{1}', '{active}', '{null}', '{1}', '{1}', 'item', '{}')`,
  ),
  // Only the worker that it names knows its boot: this says nothing of others.
  is_alive: ["select parley.is_alive('w-b', '00000000-0000-4000-8000-000000000002')"],
  // The trigger of a table of one's own would run it with the rights of the tables' owner.
  remove_log: [
    "select parley.remove_log()",
    `create temp table mine (id text, seq int); insert into mine values ('t-b', 1);
     create trigger mine after delete on mine for each row execute function parley.remove_log(); delete from mine`,
  ],
};

test("whatever the schema has, a team's role reaches nothing of another team through it", { skip: noPostgres }, async (t) => {
  const { engine, address, open } = await fleet(t);
  for (const name of ["a", "b"]) {
    await putTeam(engine, name, {});
    await fill(engine, name);
  }
  await createToken(engine, { admin: false, team: "b", user: "bob", rights: "look" });
  await engine.query("update parley.threads set seq = 1");
  const role = await open(address, await roleOfWorker(engine, ["a"]));
  const relations = await engine.query<{ name: string; kind: string }>(
    "select relname as name, relkind as kind from pg_class where relnamespace = 'parley'::regnamespace and relkind not in ('i', 'I')",
  );
  const tables = relations.filter(({ kind, name }) => kind !== "S" && !common.has(name)).map(({ name }) => name);
  /** Team `b` is in the text of each of its rows. */
  const theirs = "r::text ~ '\\y(t-b|w-b|b)\\y'";
  const rowsOf = async (by: Engine, table: string): Promise<{ row: string }[]> =>
    await by.query<{ row: string }>(`select to_jsonb(r)::text as row from parley.${table} as r where ${theirs} order by 1`);
  const everything = async (): Promise<string> =>
    JSON.stringify(await Promise.all(tables.map(async (table) => [table, await rowsOf(engine, table)])));
  const before = await everything();
  const reached = async (text: string, values?: readonly unknown[]): Promise<unknown[]> =>
    await role.query(text, values).catch((error: Error) => {
      assert.match(
        error.message,
        /permission denied|row-level security|can only be called as triggers|cannot (?:insert|update|delete)/,
        text,
      );
      return [];
    });

  for (const table of tables) {
    const known = await rowsOf(engine, table);
    assert.ok(known.length > 0, `fill() has no row for parley.${table}`);
    const columns = await engine.query<{ name: string }>(
      "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = ''",
      [`parley.${table}`],
    );
    const same = columns.map(({ name }) => `${name} = r.${name}`).join(", ");
    assert.deepEqual(await reached(`select * from parley.${table} as r where ${theirs}`), [], `read from ${table}`);
    assert.deepEqual(await reached(`update parley.${table} as r set ${same} where ${theirs} returning 1`), [], `updated ${table}`);
    assert.deepEqual(await reached(`delete from parley.${table} as r where ${theirs} returning 1`), [], `deleted from ${table}`);
    const names = columns.map(({ name }) => name).join(", ");
    const planted = `insert into parley.${table} (${names}) select ${names} from jsonb_populate_record(null::parley.${table}, $1::jsonb) returning 1`;
    for (const { row } of known) assert.deepEqual(await reached(planted, [row]), [], `planted in ${table}`);
    await assert.rejects(role.query(`truncate parley.${table}`), /permission denied|is not a table/);
  }
  for (const { name } of relations.filter(({ kind }) => kind === "S"))
    await assert.rejects(role.query(`select last_value from parley.${name}`), /permission denied/, name);

  const functions = await engine.query<{ name: string }>("select proname as name from pg_proc where pronamespace = 'parley'::regnamespace");
  for (const { name } of functions) {
    assert.ok(calls[name] !== undefined, `no attempt with parley.${name}`);
    for (const call of calls[name] ?? []) {
      const answer = JSON.stringify(await reached(call));
      assert.doesNotMatch(answer, /t-b|w-b|link-b|begun|claimed/, call);
    }
  }
  assert.equal(await everything(), before, "nothing of team b has changed");
});

test("teams are made and changed, and say what is wrong with a name or why they have no role", { skip: noPostgres }, async (t) => {
  const { postgres, engine, open } = await fleet(t);
  await putTeam(engine, "core", { maxThreads: 5 });
  const changed = await putTeam(engine, "core", { maxTurns: 2 });
  assert.deepEqual({ ...changed, role: null }, { name: "core", maxThreads: 5, maxTurns: 2, role: null, isNew: false });
  assert.equal((await putTeam(engine, "core", { maxThreads: null })).maxThreads, null);
  for (const name of ["", "-a", "a b", "a'; drop table parley.teams", "x".repeat(64), "ü", "a\nb"])
    await assert.rejects(putTeam(engine, name, {}), /no name for a team/);
  assert.deepEqual(
    (await listTeams(engine.query)).map(({ name }) => name),
    ["core"],
  );
  // Two names that differ only in what roles' names leave out.
  const [dotted, dashed] = [await putTeam(engine, "a.b", {}), await putTeam(engine, "a-b", {})];
  assert.notEqual(dotted.role, dashed.role);
  const root = await open(postgres.address);
  await root.query("alter role operator nocreaterole");
  assert.equal((await putTeam(engine, "later", {})).role, null);
  assert.notEqual((await putTeam(engine, "core", {})).role, null);
  await assert.rejects(roleOfWorker(engine, ["later"]), /has no role in the engine/);
  await assert.rejects(roleOfWorker(engine, ["core", "a.b"]), /may not create roles/);
  await assert.rejects(makeWorkerLogin(engine, "core"), /may not create roles/);
});

test("a token is known by its digest alone, and no longer when it was revoked", { skip: noPostgres }, async (t) => {
  const { engine } = await fleet(t);
  const { find } = tokensOf(engine.query);
  await putTeam(engine, "a", {});
  const token = await createToken(engine, { admin: false, team: "a", user: "ann", rights: "look" });
  const admin = await createToken(engine, { admin: true });
  assert.match(token, /^parley_fleet_[\w-]{43}$/);
  assert.deepEqual(await find(token), { admin: false, team: "a", user: "ann", rights: "look" });
  assert.deepEqual(await find(admin), { admin: true, team: null, user: null, rights: "everything" });
  for (const other of ["", "x", `${token}x`, token.toLowerCase(), "parley_fleet_".padEnd(100_000, "a")])
    assert.equal(await find(other), undefined);
  await assert.rejects(createToken(engine, { admin: false, team: "nobody", user: "ann", rights: "look" }), /no team 'nobody'/);
  await assert.rejects(createToken(engine, { admin: false, team: "a", user: "a b", rights: "look" }), /no name for a user/);
  const stored = JSON.stringify(await engine.query("select *, encode(digest, 'hex') as hex from parley.tokens"));
  assert.ok(!stored.includes(token.slice(13)) && !stored.includes(admin.slice(13)));
  const [mine] = await listTokens(engine.query, "a");
  assert.equal((await listTokens(engine.query, undefined)).length, 2);
  await revokeToken(engine, mine?.id ?? "");
  assert.equal(await find(token), undefined);
  assert.equal((await find(admin))?.admin, true);
  await assert.rejects(revokeToken(engine, mine?.id ?? ""), /no token with the id/);
  await assert.rejects(revokeToken(engine, "%"), /by its id/);
});

test("a team's worker frees what a lost worker held, and nothing of one that lives and serves others too", {
  skip: noPostgres,
}, async (t) => {
  const { engine, address, open } = await fleet(t);
  for (const name of ["a", "b"]) await putTeam(engine, name, {});
  await engine.query(
    "insert into parley.workers (name, boot, url, link_secret, until) values ('all', $1, 'ws://x', 's', now() + interval '1 hour')",
    [boot],
  );
  await engine.query("insert into parley.threads (id, team, holder, boot) values ('t-a', 'a', 'all', $1), ('t-b', 'b', 'all', $1)", [boot]);
  const limited = await open(address, await roleOfWorker(engine, ["a"]));
  const held = async (): Promise<(string | null)[]> =>
    (await engine.query<{ holder: string | null }>("select holder from parley.threads order by id")).map(({ holder }) => holder);
  await freeLost(limited.query);
  assert.deepEqual(await held(), ["all", "all"]);
  await engine.query("update parley.workers set lost = true");
  await freeLost(limited.query);
  assert.deepEqual(await held(), [null, "all"]);
  await freeLost(engine.query);
  assert.deepEqual(await held(), [null, null]);
  // A name that a worker of others has: the words say so.
  const member = new Membership({
    ...{ engine: limited, log: { debug() {}, info() {}, warn() {}, error() {} }, name: "all", version: "", url: "ws://x", linkSecret: "s" },
    ...{ certSha256: null, labels: [], teams: ["a"], maxThreads: null },
  });
  await assert.rejects(member.join(), NameTaken);
  // Nobody but a front sees that a worker of all teams has stopped to beat.
  await engine.query("update parley.workers set lost = false, until = now() - interval '1 second'");
  await engine.query("update parley.threads set holder = 'all', boot = $1", [boot]);
  const registry = createRegistry(engine);
  const until = performance.now() + 20_000;
  while ((await registry.workers())[0]?.state !== "lost" && performance.now() < until) await sleep(100);
  assert.deepEqual(await held(), [null, null]);
});

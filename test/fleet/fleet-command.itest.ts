/** `parley fleet` as operators call it: a real process and a real PostgreSQL. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { FleetCounters } from "../../src/fleet/counters.ts";
import { openEngine } from "../../src/fleet/engine.ts";
import { metricsText, reportOf } from "../../src/fleet/report.ts";
import { tokensOf } from "../../src/fleet/tokens.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";
import { launcher, scratch } from "../support/process.ts";

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

test("the commands of an operator", { skip: noPostgres }, async (t) => {
  const postgres = await Postgres.start(t);
  const home = scratch(t);
  const environment = { PATH: process.env["PATH"], HOME: home, CODEX_HOME: path.join(home, "codex") };
  const at =
    (env: Readonly<Record<string, string>>) =>
    (...args: string[]): Ran => {
      const { status, stdout, stderr } = spawnSync(launcher, ["fleet", ...args], { env: { ...environment, ...env }, encoding: "utf8" });
      return { code: status, out: stdout, err: stderr };
    };
  const fleet = at({ PARLEY_FLEET: postgres.address });
  const refused = (ran: Ran, code: number, reason: RegExp): void => {
    assert.equal(ran.code, code, ran.err);
    assert.match(ran.err, reason);
    assert.equal(ran.out, "");
    assert.doesNotMatch(ran.err, /\n\s+at /, "a reason, not a stack");
  };
  const engine = await openEngine({ address: postgres.address, name: "test" });
  t.after(() => engine.close());

  await t.test("before anything was made", () => {
    refused(at({})("status"), 1, /set PARLEY_FLEET/);
    refused(fleet("status"), 1, /run: parley fleet init/);
    const wrong = at({ PARLEY_FLEET: postgres.addressOf("parley", "pass-7781") })("init");
    refused(wrong, 1, /password authentication failed/);
    assert.ok(!wrong.err.includes("7781"));
    const started = performance.now();
    const nobody = at({ PARLEY_FLEET: "postgres://parley:pass-7781@127.0.0.1:1/parley" })("init");
    refused(nobody, 1, /does not answer, trying again.*cannot be reached: .*ECONNREFUSED/s);
    assert.ok(!nobody.err.includes("7781") && performance.now() - started < 10_000);
    const odd = at({ PARLEY_FLEET: "postgres://parley:pass-7781@[127/x" })("init");
    refused(odd, 1, /^error: /);
    assert.ok(!odd.err.includes("7781"), odd.err);
    const version = /were made, of version (\d+)/.exec(fleet("init").out)?.[1] ?? assert.fail("no version");
    assert.deepEqual(fleet("init"), { code: 0, out: `The fleet's tables are there, of version ${version}.\n`, err: "" });
  });

  await t.test("teams", () => {
    assert.match(fleet("team", "core", "--max-threads", "3").out, /'core' was made: at most 3 live threads, any number of running turns/);
    assert.match(fleet("team", "core", "--max-turns", "0", "--max-threads", "none").out, /changed: any number of live.*at most 0 running/);
    refused(fleet("team", "a b"), 1, /no name for a team/);
    const listed = JSON.parse(fleet("team", "--list", "--json").out);
    assert.deepEqual(
      listed.map(({ name, maxThreads, maxTurns }: Record<string, unknown>) => ({ name, maxThreads, maxTurns })),
      [{ name: "core", maxThreads: null, maxTurns: 0 }],
    );
    const address = fleet("team", "core", "--worker-address").out.trim();
    assert.match(address, /^postgres:\/\/parley_core_\w+_login:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/);
    const limited = at({ PARLEY_FLEET: address });
    assert.equal(JSON.parse(limited("team", "--list", "--json").out).length, 1);
    refused(limited("token", "--admin"), 1, /permission denied/);
    refused(limited("init"), 1, /permission denied/);
  });

  await t.test("tokens", async () => {
    const { find } = tokensOf(engine.query);
    const made = fleet("token", "--team", "core", "--user", "ann", "--rights", "answer");
    assert.match(made.out, /^parley_fleet_[\w-]{43}\n$/);
    assert.deepEqual(await find(made.out.trim()), { admin: false, team: "core", user: "ann", rights: "answer" });
    assert.equal((await find(fleet("token", "--team", "core", "--user", "bob").out.trim()))?.rights, "everything");
    assert.equal((await find(fleet("token", "--admin").out.trim()))?.admin, true);
    refused(fleet("token", "--team", "nobody", "--user", "x"), 1, /no team 'nobody'/);
    const [first] = JSON.parse(fleet("token", "--list", "--team", "core", "--json").out);
    assert.equal(fleet("token", "--revoke", first.id).code, 0);
    assert.equal(await find(made.out.trim()), undefined);
    refused(fleet("token", "--revoke", first.id), 1, /no token with the id/);
    assert.match(fleet("token", "--list").out, /^ID .*\n[0-9a-f]{12} +core +bob +everything +just now\n[0-9a-f]{12} +- +- +admin /);
  });

  await t.test("the state, where a thread is, metrics and draining", async () => {
    assert.match(fleet("status").out, /There is no worker/);
    await engine.query(
      `insert into parley.workers (name, boot, url, link_secret, until, labels, draining, lost) values
       ('w1', gen_random_uuid(), 'ws://x', 's', now() + interval '1 hour', '{gpu}', false, false),
       ('w2', gen_random_uuid(), 'ws://x', 's', now() + interval '1 hour', '{}', true, false),
       ('w3', gen_random_uuid(), 'ws://x', 's', now() - interval '1 second', '{}', true, false)`,
    );
    await engine.query(
      `insert into parley.threads (id, team, holder, boot, state, epoch, seq) select name, 'core', holder, boot, state, 4, 9 from
       (values ('t1', 'w1', 'active'), ('t2', 'w1', 'waiting'), ('t3', 'w1', 'idle'), ('t4', null, 'active'), ('t5', null, 'idle')) as t (name, holder, state)
       left join (select name as worker, boot from parley.workers) as w on worker = holder`,
    );
    const status = {
      workers: [
        { name: "w1", state: "up", threads: 3, labels: ["gpu"] },
        { name: "w2", state: "draining", threads: 0, labels: [] },
        { name: "w3", state: "lost", threads: 0, labels: [] },
      ],
      threads: { live: 3, active: 2, waiting: 1 },
    };
    assert.deepEqual(JSON.parse(fleet("status", "--json").out), status);
    assert.match(fleet("status").out, /w1 +up +3 +gpu\nw2 +draining +0\nw3 +lost +0\n\n3 live threads: 2 with a running turn, 1 waiting/);
    const { place } = reportOf(engine.query);
    assert.deepEqual(await place("t1", null), { threadId: "t1", team: "core", worker: "w1", epoch: 4, seq: 9 });
    assert.equal((await place("t4", "core"))?.worker, null);
    assert.deepEqual([await place("t1", "other"), await place("missing", null)], [undefined, undefined]);
    await countsAndMetrics(engine.query);
    refused(fleet("drain", "nobody"), 1, /no worker 'nobody'/);
    refused(fleet("drain", "w3"), 1, /is lost/);
    assert.match(fleet("drain", "w1").out, /takes nothing new/);
    assert.deepEqual(await engine.query("select name from parley.workers where draining order by name"), [
      { name: "w1" },
      { name: "w2" },
      { name: "w3" },
    ]);
  });

  await t.test("the address in a file", () => {
    mkdirSync(environment.CODEX_HOME, { recursive: true });
    const file = path.join(home, "address");
    writeFileSync(file, `${postgres.address}\n`, { mode: 0o644 });
    refused(at({})("status", "--fleet-file", file), 1, /chmod 600/);
    chmodSync(file, 0o600);
    assert.equal(at({})("status", "--fleet-file", file).code, 0);
    refused(at({})("status", "--fleet-file", path.join(home, "none")), 1, /no such file/);
    refused(fleet("status", "--fleet", postgres.address), 2, /unexpected argument '--fleet'/);
  });
});

async function countsAndMetrics(query: Parameters<typeof metricsText>[0]): Promise<void> {
  const [one, two] = [new FleetCounters("w1"), new FleetCounters("w3")];
  one.add("takeovers");
  one.appended(0.004, 10);
  one.set("links", 7);
  await one.flush(query);
  one.add("takeovers", 2);
  one.set("links", 5);
  one.appended(0.004, 1);
  await assert.rejects(one.flush(() => Promise.reject(new Error("gone"))));
  await one.flush(query);
  two.add("takeovers");
  two.add("fenced");
  two.appended(9, 1);
  two.set("links", 3);
  await two.flush(query);
  const lines = (await metricsText(query)).split("\n");
  const expected = [
    'parley_fleet_workers{state="up"} 1',
    'parley_fleet_workers{state="draining"} 1',
    'parley_fleet_workers{state="lost"} 1',
    'parley_fleet_threads{state="live"} 3',
    'parley_fleet_threads{state="active"} 2',
    'parley_fleet_worker_threads{worker="w1"} 3',
    "parley_fleet_takeovers_total 4",
    "parley_fleet_fenced_appends_total 1",
    "parley_fleet_appended_records_total 12",
    "# TYPE parley_fleet_append_seconds histogram",
    'parley_fleet_append_seconds_bucket{le="0.0025"} 0',
    'parley_fleet_append_seconds_bucket{le="0.005"} 2',
    'parley_fleet_append_seconds_bucket{le="5"} 2',
    'parley_fleet_append_seconds_bucket{le="+Inf"} 3',
    "parley_fleet_append_seconds_sum 9.008",
    "parley_fleet_append_seconds_count 3",
    'parley_fleet_links{worker="w1"} 5',
  ];
  for (const line of expected) assert.ok(lines.includes(line), `${line} in\n${lines.join("\n")}`);
  assert.ok(!lines.some((line) => line.startsWith('parley_fleet_links{worker="w3"}')), "what a lost worker had is not there now");
  for (const line of lines.slice(0, -1)) assert.match(line, /^(?:# (?:HELP|TYPE) \w+ .+|\w+(?:\{\w+="[^"\n]*"\})? [\d.e+-]+)$/);
}

/** A home's threads into a fleet and out again: the lines are the same, nothing is overwritten, and both may be repeated. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, globSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import type { ThreadRecord, ThreadStore } from "../../src/core/ports/thread-store.ts";
import { openEngine } from "../../src/fleet/engine.ts";
import { upgradeSchema } from "../../src/fleet/schema.ts";
import { putTeam } from "../../src/fleet/teams.ts";
import { randomUuid } from "../../src/lib/random.ts";
import { exportHome, importHome } from "../../src/main/fleet-transfer.ts";
import { createLocalStore } from "../../src/store/local.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";
import { launcher, scratch } from "../support/process.ts";

const records = (id: string, texts: readonly string[]): ThreadRecord[] => [
  {
    type: "meta",
    meta: {
      ...{ id, createdAtMs: Date.UTC(2026, 1, 3), cwd: "/work", originator: "test", cliVersion: "1", source: "vscode" },
      ...{ modelProvider: "scripted", baseInstructions: "Be brief." },
    },
  },
  ...texts.flatMap((text, i): ThreadRecord[] => [
    { type: "turnStarted", turnId: `t${i}`, atMs: 5, contextWindow: undefined, mode: "default" },
    {
      ...{ type: "item", turnId: `t${i}`, startedAtMs: 5, completedAtMs: 6 },
      item: { type: "userMessage", id: `m${i}`, content: [{ type: "text", text }] },
    },
    { ...{ type: "turnEnded", turnId: `t${i}`, status: "completed", error: null, lastAgentMessage: null, atMs: 9, durationMs: 4 } },
  ]),
];

async function add(store: ThreadStore, texts: readonly string[]): Promise<string> {
  const id = randomUuid();
  await store.append(id, records(id, texts));
  return id;
}

test("a home goes into a fleet and comes back as it was", { skip: noPostgres }, async (t) => {
  const postgres = await Postgres.start(t);
  const engine = await openEngine({ address: postgres.address, name: "test", connections: 2 });
  t.after(() => engine.close());
  await upgradeSchema(engine);
  for (const name of ["a", "b"]) await putTeam(engine, name, {});

  const [home, back] = [path.join(scratch(t), "home"), path.join(scratch(t), "back")];
  mkdirSync(home);
  const store = createLocalStore({ home });
  const plain = await add(store, ['First\0 "thread" \ud800']);
  // More lines than one statement takes.
  const long = await add(
    store,
    Array.from({ length: 900 }, (_, i) => `message ${i}`),
  );
  const put = await add(store, ["old"]);
  await store.archive(put);
  await store.rename(plain, "Named");
  const held = await add(store, ["in use"]);
  await store.close();
  // Another process has this one open; a crash tore the last line of that one.
  const other = createLocalStore({ home });
  const lease = await other.lease(held, "somebody");
  const torn = globSync(path.join(home, `sessions/**/*${long}.jsonl`))[0] ?? "";
  appendFileSync(torn, '{"timestamp":"2026-');

  const first = await importHome(engine, "a", home);
  assert.deepEqual({ moved: first.moved, known: first.known }, { moved: 3, known: 0 });
  assert.match(first.failed.join(), new RegExp(`^${held}: thread is open in another process`));
  lease.release();
  await other.close();
  assert.deepEqual(await importHome(engine, "b", home), { moved: 1, known: 3, failed: [] });
  const rows = await engine.query<{ id: string; team: string; archived: boolean; name: string | null; lines: string; seq: string }>(
    `select id, team, archived, head ->> 'name' as name, seq,
       (select count(*) from parley.log where thread = id) as lines from parley.threads order by seq, team`,
  );
  assert.ok(rows.every(({ lines, seq }) => lines === seq && Number(seq) > 0));
  assert.deepEqual(
    rows.filter(({ archived }) => archived).map(({ id }) => id),
    [put],
  );
  assert.equal(rows.find(({ id }) => id === plain)?.name, "Named");
  assert.equal(rows.find(({ id }) => id === held)?.team, "b");
  const broken = await engine.query("select thread_id from parley.v_log group by thread_id having count(*) <> max(seq) or max(epoch) <> 0");
  assert.deepEqual(broken, []);

  assert.deepEqual(await exportHome(engine, { team: "a" }, back), { moved: 3, known: 0, failed: [] });
  const files = (folder: string, id: string): string[] => globSync(path.join(folder, `{sessions/**,archived_sessions}/*${id}.jsonl`));
  for (const id of [plain, put, long]) {
    const [[was = ""], [is = ""]] = [files(home, id), files(back, id)];
    assert.equal(path.relative(back, is), path.relative(home, was));
    assert.equal(readFileSync(is, "utf8"), readFileSync(was, "utf8").replace(/\{"timestamp":"2026-$/, ""));
  }
  const again = createLocalStore({ home: back });
  assert.equal((await again.find(plain))?.name, "Named");
  await again.close();

  const fleet = (...args: string[]) =>
    spawnSync(launcher, ["fleet", ...args], {
      env: { PATH: process.env["PATH"], HOME: back, CODEX_HOME: path.join(back, "x"), PARLEY_FLEET: postgres.address },
      encoding: "utf8",
    });
  appendFileSync(files(back, plain)[0] ?? "", "kept\n");
  assert.match(fleet("export", "--all", back).stdout, /^1 thread was exported to .*\. 3 were there already and stayed as they are\.\n$/);
  assert.match(readFileSync(files(back, plain)[0] ?? "", "utf8"), /kept\n$/);
  const none = fleet("export", randomUuid(), back);
  assert.deepEqual([none.status, none.stdout], [1, ""]);
  assert.match(none.stderr, /there is no thread/);
  assert.match(fleet("import", home, "--team", "nobody").stderr, /no team 'nobody'/);
  assert.match(fleet("import", "/dev", "--team", "a").stderr, /is no home/);
  assert.equal(
    fleet("import", home, "--team", "a").stdout,
    `0 threads were imported from ${home}. 4 were there already and stayed as they are.\n`,
  );
});

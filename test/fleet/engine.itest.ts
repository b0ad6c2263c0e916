/** The connection to the engine and its tables, over a real PostgreSQL. */
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { EngineRefused, EngineUnreachable, engineAddress, openEngine } from "../../src/fleet/engine.ts";
import { checkSchema, upgradeSchema } from "../../src/fleet/schema.ts";
import { noPostgres, Postgres } from "../support/postgres.ts";
import { scratch } from "../support/process.ts";

test("the tables are made once, and an engine that is killed is reached again", { skip: noPostgres }, async (t) => {
  const postgres = await Postgres.start(t);
  const engine = await openEngine({ address: postgres.address, name: "test" });
  t.after(() => engine.close());
  await assert.rejects(checkSchema(engine), /run: parley fleet init/);
  const both = await Promise.all([upgradeSchema(engine), upgradeSchema(engine)]);
  assert.deepEqual(both.map(({ from }) => from).toSorted(), [0, 3]);
  await checkSchema(engine);
  await engine.query("insert into parley.teams (name) values ('a')");
  await assert.rejects(
    engine.transaction(async (query) => {
      await query("insert into parley.teams (name) values ('b')");
      throw new Error("half-way");
    }),
    /half-way/,
  );
  assert.deepEqual(await engine.query("select name from parley.teams"), [{ name: "a" }]);
  const asleep = [
    engine.own("select pg_sleep(60)"),
    engine.query("select pg_sleep(60)"),
    engine.transaction((query) => query("select pg_sleep(60)")),
  ].map((waiting) => assert.rejects(waiting, EngineUnreachable));
  await engine.query("select 1");
  await postgres.kill();
  await Promise.all(asleep);
  await assert.rejects(engine.query("select 1"), EngineUnreachable);
  await assert.rejects(engine.own("select 1"), EngineUnreachable);
  await postgres.up();
  assert.deepEqual(await engine.query("select name from parley.teams"), [{ name: "a" }]);
  const wrong = await openEngine({ address: postgres.addressOf("parley", "not%20it-9431"), name: "test" });
  t.after(() => wrong.close());
  await assert.rejects(
    wrong.query("select 1"),
    (error) => error instanceof EngineRefused && /password/.test(error.message) && !/9431/.test(error.message),
  );
});

test("the engine's address comes from the environment or from a file that only its owner reads", (t) => {
  const file = path.join(scratch(t), "address");
  writeFileSync(file, "postgres://u:p@h/db\n", { mode: 0o600 });
  assert.equal(engineAddress({}, file), "postgres://u:p@h/db");
  assert.equal(engineAddress({ PARLEY_FLEET: "postgresql://u@h/db" }, undefined), "postgresql://u@h/db");
  chmodSync(file, 0o640);
  assert.throws(() => engineAddress({}, file), /chmod 600/);
  assert.throws(() => engineAddress({}, undefined), /PARLEY_FLEET/);
  assert.throws(
    () => engineAddress({ PARLEY_FLEET: "mysql://x:secret@h" }, undefined),
    (error) => error instanceof EngineRefused && !/secret/.test(error.message),
  );
});

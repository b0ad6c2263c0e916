import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineRefused, EngineUnreachable } from "./engine.ts";
import { reachEngine } from "./reach.ts";

const engine = { query: async () => [] };

test("an engine that ends between two statements of a start is waited for like one that is not there", async () => {
  const waits: string[] = [];
  let tries = 0;
  const found = await reachEngine(engine, { onWait: (why) => waits.push(why) }, async () => {
    if (++tries === 1) throw new EngineUnreachable("it ended");
    return "version 3";
  });
  assert.deepEqual([found, tries, waits], ["version 3", 2, ["it ended"]]);
});

test("an engine that refuses is not asked again", async () => {
  let tries = 0;
  const refused = reachEngine(engine, { onWait: () => {} }, async () => {
    tries++;
    throw new EngineRefused("no such password");
  });
  await assert.rejects(refused, EngineRefused);
  assert.equal(tries, 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineRefused, EngineUnreachable } from "./engine.ts";
import { reachEngine } from "./reach.ts";

test("an engine that ends between two statements of a start is waited for like one that is not there", async () => {
  const waits: string[] = [];
  let tries = 0;
  const first = async (): Promise<string> => {
    if (++tries === 1) throw new EngineUnreachable("it ended");
    return "version 3";
  };
  const found = await reachEngine(first, { onWait: (why) => waits.push(why) });
  assert.deepEqual([found, tries, waits], ["version 3", 2, ["it ended"]]);
});

test("an engine that refuses is not asked again", async () => {
  let tries = 0;
  const first = async (): Promise<never> => {
    tries++;
    throw new EngineRefused("no such password");
  };
  await assert.rejects(reachEngine(first, { onWait: () => {} }), EngineRefused);
  assert.equal(tries, 1);
});

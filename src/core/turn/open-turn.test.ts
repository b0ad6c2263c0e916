import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadRecord } from "../ports/thread-store.ts";
import { findLostTurn } from "./open-turn.ts";

const begun: ThreadRecord = { type: "turnStarted", turnId: "t", atMs: 1, contextWindow: undefined, mode: "default" };

test("a turn that is lost again and again ends: it may itself be the cause", () => {
  let records: readonly ThreadRecord[] = [begun];
  for (let loss = 1; loss <= 3; loss++) {
    const { settled, revived } = findLostTurn(records, { nowMs: 2, continues: true });
    assert.equal(revived?.turnId, "t", `after ${loss} losses`);
    assert.match(JSON.stringify(settled), /worker_lost/);
    records = [...records, ...settled];
  }
  const { settled, revived } = findLostTurn(records, { nowMs: 3, continues: true });
  assert.equal(revived, undefined);
  assert.equal(settled.at(-1)?.type, "turnEnded");
  assert.deepEqual(findLostTurn([...records, ...settled], { nowMs: 4, continues: true }).settled, []);
  assert.equal(findLostTurn([begun], { nowMs: 2, continues: false }).settled.at(-1)?.type, "turnEnded");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { type FleetWorker, inOrder, inShort } from "./fleet.ts";

const worker = (name: string, state: FleetWorker["state"]): FleetWorker => ({ name, state, threads: 0, labels: [] });

test("lost workers come first, then those that leave; names count as people do", () => {
  const workers = [worker("host-10", "up"), worker("host-2", "up"), worker("a", "draining"), worker("z", "lost")];
  assert.deepEqual(
    inOrder(workers).map(({ name }) => name),
    ["z", "a", "host-2", "host-10"],
  );
});

test("a fleet in one sentence", () => {
  assert.equal(inShort([]), "No workers.");
  assert.equal(inShort([worker("a", "up")]), "1 worker: 1 up.");
  assert.equal(inShort([worker("a", "up"), worker("b", "lost"), worker("c", "up")]), "3 workers: 2 up, 1 lost.");
});

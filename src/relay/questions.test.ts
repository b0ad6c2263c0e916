import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../rpc/peer.ts";
import { type Asker, Questions } from "./questions.ts";

const method = "item/commandExecution/requestApproval";
const asked = (startedAtMs: number, more: object = {}): object => ({ threadId: "x", turnId: "t", itemId: "i", startedAtMs, ...more });
const yes: Outcome = { result: { decision: "accept" } };

/** A process, with the answers that it got. */
function asker(): Asker & { readonly got: (string | number)[] } {
  const got: (string | number)[] = [];
  return { got, answer: (theirs) => void got.push(theirs) };
}

function questions(): Questions {
  let next = 100;
  return new Questions(() => next++);
}

test("a question that another process puts again keeps its id, and an answer that the first one took along counts", () => {
  const all = questions();
  const [one, two] = [asker(), asker()];
  assert.equal(all.put(one, 7, method, asked(1)).id, 100);
  all.answered(100, yes);
  assert.deepEqual(one.got, [7]);
  all.leave(one, "x");
  assert.deepEqual(all.put(two, 3, method, asked(2)), { id: undefined, instead: [] });
  assert.deepEqual(two.got, [3], "it was answered before");
  assert.equal(all.resolved(two, 3)?.ours, 100);
});

test("a process that has opened the thread anew puts its question under another id: the client's first id stays good", () => {
  const all = questions();
  const one = asker();
  assert.equal(all.put(one, 7, method, asked(1)).id, 100);
  assert.deepEqual(all.put(one, 8, method, asked(2)), { id: undefined, instead: [] });
  all.answered(100, yes);
  assert.deepEqual(one.got, [8]);
  assert.equal(all.put(one, 9, method, asked(3, { reason: "again, outside the sandbox" })).id, 101, "it asks something else");
});

test("a question that is sent again on the same connection is the same question, and one that nobody puts again ends", () => {
  const all = questions();
  const [one, two] = [asker(), asker()];
  assert.equal(all.put(one, 7, method, asked(1)).id, 100);
  assert.equal(all.put(one, 7, method, asked(1)).id, 100);
  all.leave(one);
  all.answered(100, yes);
  const { id, instead } = all.put(two, 1, method, asked(2, { command: "another" }));
  assert.deepEqual([id, instead.map(({ ours }) => ours)], [101, [100]]);
  assert.deepEqual(two.got, [], "an answer counts for the very same question alone");
  assert.deepEqual(
    all.drop(() => true),
    [],
    "somebody asks it",
  );
});

/** What is read beside turns has the end of every turn that is over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readBesideTurn } from "./read-beside-turn.ts";

test("a thread is read again if a turn has ended meanwhile, also one that had not begun before", async () => {
  const thread = { endedTurns: 3 };
  let stored = "begun";
  const read = async (): Promise<string> => {
    const found = stored;
    await Promise.resolve();
    if (stored === "begun") {
      stored = "begun and ended";
      thread.endedTurns++;
    }
    return found;
  };
  assert.equal(await readBesideTurn(thread, read), "begun and ended");
});

test("it is read once if no turn ends, and not for ever where turns end all the time", async () => {
  const thread = { endedTurns: 0 };
  let reads = 0;
  assert.equal(await readBesideTurn(thread, async () => ++reads), 1);
  await readBesideTurn(thread, async () => {
    thread.endedTurns++;
    reads++;
  });
  assert.equal(reads, 21);
});

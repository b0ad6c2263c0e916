/** Long lists of sessions are shown in few batches. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionSummary } from "./model.ts";
import { type SessionBatch, type SessionPage, sessionBatches } from "./session-batches.ts";

const page = (from: number, next: string | null): SessionPage => ({
  sessions: Array.from({ length: 200 }, (_, i) => ({ sessionId: `s${from + i}` }) as SessionSummary),
  nextCursor: next,
  seq: from,
});

async function batches(read: (cursor: string) => Promise<SessionPage>): Promise<SessionBatch[]> {
  const found: SessionBatch[] = [];
  const shown = (): number => 200 + found.reduce((sum, batch) => sum + batch.sessions.length, 0);
  for await (const batch of sessionBatches("200", read, shown)) found.push(batch);
  return found;
}

test("ten thousand sessions come in batches as long as what is shown by then, each as old as its first page", async () => {
  const found = await batches(async (cursor) => page(Number(cursor), Number(cursor) + 200 < 10_000 ? String(Number(cursor) + 200) : null));
  assert.deepEqual(
    found.map(({ sessions, complete, seq }) => [sessions.length, complete, seq]),
    [
      [200, false, 200],
      [400, false, 400],
      [800, false, 800],
      [1600, false, 1600],
      [3200, false, 3200],
      [3600, true, 6400],
    ],
  );
  assert.equal(new Set(found.flatMap(({ sessions }) => sessions.map(({ sessionId }) => sessionId))).size, 9800);
});

test("what was read before a page failed is shown, and the list is not called complete", async () => {
  const found = await batches(async (cursor) => {
    if (cursor === "600") throw new Error("gone");
    return page(Number(cursor), String(Number(cursor) + 200));
  });
  assert.deepEqual(
    found.map(({ sessions, complete }) => [sessions.length, complete]),
    [
      [200, false],
      [200, false],
    ],
  );
});

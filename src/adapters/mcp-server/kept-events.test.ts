import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptEvents } from "./kept-events.ts";

const message = (text: string) => ({ jsonrpc: "2.0" as const, method: "m", params: { text } });

test("the number of events and characters is limited, and the oldest are dropped first", async () => {
  const kept = new KeptEvents({ events: 3, characters: 1_000 });
  const small: string[] = [];
  for (const text of ["a", "b", "c", "d"]) small.push(await kept.storeEvent("s", message(text)));
  assert.deepEqual(await Promise.all(small.map((id) => kept.getStreamIdForEventId(id))), [undefined, "s", "s", "s"]);
  const large = await kept.storeEvent("s", message("x".repeat(860)));
  assert.deepEqual(await Promise.all([...small, large].map((id) => kept.getStreamIdForEventId(id))), [
    ...[undefined, undefined, undefined, "s"],
    "s",
  ]);
  const over = await kept.storeEvent("s", message("x".repeat(2_000)));
  assert.equal(await kept.getStreamIdForEventId(over), undefined);
});

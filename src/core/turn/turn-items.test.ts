import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Audience } from "../ports/audience.ts";
import type { Timers } from "../ports/clock.ts";
import type { ModelItem } from "../ports/model-client.ts";
import type { ThreadRecord } from "../ports/thread-store.ts";
import { Steering } from "./steering.ts";
import { TurnItems } from "./turn-items.ts";

/** Items of a thread that records events in order. */
function stage() {
  const seen: string[] = [];
  const audience: Pick<Audience, "toThread"> = { toThread: (_thread, method) => void seen.push(method) };
  const thread = {
    history: { add: (item: ModelItem) => void seen.push(`history: ${item.type}`) },
    ports: { audience: audience as Audience, clock: { now: () => 7 } as Timers },
    record: async (records: readonly ThreadRecord[]) => void seen.push(`stored: ${records.map(({ type }) => type).join(", ")}`),
  };
  return { seen, items: new TurnItems({ threadId: "thread", turnId: "turn" }, thread, 1) };
}
const message = (id: string) => ({ type: "userMessage" as const, id, content: [], clientId: `client-${id}` });
const forModel: ModelItem = { type: "message", role: "user", content: [] };

describe("the items of a turn", () => {
  it("are stored, and known to the model, before clients are notified of their completion", async () => {
    const { seen, items } = stage();
    items.start(message("a"));
    assert.deepEqual(
      items.open.map(({ id }) => id),
      ["a"],
    );
    await items.complete(message("a"), [forModel]);
    assert.deepEqual(seen, ["item/started", "history: message", "stored: modelItem, item", "item/completed", "rawResponseItem/completed"]);
    assert.deepEqual([items.open, items.byId("a")?.startedAtMs], [[], 7]);
  });

  it("are announced with the turn when they were stored before it began", async () => {
    const { seen, items } = stage();
    await items.storeEarly(message("a"), [], []);
    assert.deepEqual(seen, ["stored: item"]);
    items.announceStored();
    items.announceStored();
    assert.deepEqual(seen, ["stored: item", "item/started", "item/completed"]);
  });

  it("leave nothing behind when they are abandoned", () => {
    const { seen, items } = stage();
    items.start(message("a"));
    items.abandon(message("a"));
    assert.deepEqual([seen, items.open, items.all], [["item/started", "item/completed"], [], []]);
  });
});

describe("input that is added to a turn", () => {
  it("counts once, whether the first copy is still pending or was taken in", async () => {
    const { items } = stage();
    const steering = new Steering(items);
    const input = { content: [], clientId: "client-a" };
    assert.deepEqual([steering.add(input), steering.add(input), steering.count], [true, false, 1]);
    assert.deepEqual([steering.take(), steering.count], [[input], 0]);
    await items.complete(message("a"));
    assert.deepEqual([steering.add(input), steering.add({ content: [] }), steering.add({ content: [] })], [false, true, true]);
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Picker } from "../ask/picker.ts";
import { chooseThread } from "./sessions.ts";

test("the list to choose from has every session, however many pages they are, but the open one", async () => {
  const all = Array.from({ length: 250 }, (_, i) => ({
    id: `t-${i}`,
    preview: `session ${i}`,
    updatedAt: 1,
    cwd: "/w",
    status: { type: "notLoaded" },
  }));
  const call = async (_method: string, { cursor, limit }: { cursor: string | null; limit: number }) => {
    const from = Number(cursor ?? 0);
    return { data: all.slice(from, from + limit), nextCursor: from + limit < all.length ? `${from + limit}` : null };
  };
  const shown: Picker[] = [];
  const shell = {
    store: { conversation: { threadId: "t-0" }, setUi: () => {} },
    client: () => ({ call }),
    now: () => 0,
    pick: async (picker: Picker) => void shown.push(picker),
  };
  await chooseThread(shell as never, "resume");
  assert.deepEqual(
    shown[0]?.items.map(({ id }) => id),
    all.slice(1).map(({ id }) => id),
  );
});

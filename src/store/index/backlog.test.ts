import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThreadQuery } from "../../core/ports/thread-store.ts";
import { Backlog } from "./backlog.ts";
import type { FoundFile } from "./folders.ts";
import type { IndexRow } from "./sqlite-index.ts";

const day = 86_400_000;
const file = (n: number): FoundFile => ({
  ...{ id: `id-${n}`, segment: `id-${n}`, namedMs: n * 30 * day, path: `/s/${n}`, folder: "/s", archived: false },
});
const query = (sortDirection: "asc" | "desc"): ThreadQuery => ({
  ...{ cursor: null, limit: 25, sortKey: "created_at", sortDirection, archived: false, searchTerm: null },
  ...{ modelProviders: [], sourceKinds: [], cwds: [] },
});

test("however far the border is, one round reads no more than its portion, nearest to the page's beginning first", () => {
  const backlog = new Backlog();
  backlog.add(Array.from({ length: 1000 }, (_, n) => file(n)));
  const far = { createdMs: 2000 * 30 * day } as IndexRow;
  const ids = (direction: "asc" | "desc", border: IndexRow | undefined): readonly string[] =>
    backlog.neededFor(query(direction), border, 3).map(({ id }) => id);
  assert.deepEqual(ids("asc", far), ["id-0", "id-1", "id-2"]);
  assert.deepEqual(ids("asc", undefined), ["id-0", "id-1", "id-2"]);
  assert.deepEqual(ids("desc", { createdMs: 0 } as IndexRow), ["id-999", "id-998", "id-997"]);
  assert.deepEqual(ids("desc", far), []);
  assert.deepEqual(ids("asc", { createdMs: 30 * day } as IndexRow), ["id-0", "id-1"]);
});

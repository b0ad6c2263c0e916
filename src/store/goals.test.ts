/** Goals on disk: Codex's own file where it has made one. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { deletedWith } from "../../test/support/ending.ts";
import type { StoredGoal } from "../core/ports/goal-store.ts";
import { createGoalStore } from "./goals.ts";

const [one, two] = ["0199a3f0-0000-7000-8000-000000000001", "0199a3f0-0000-7000-8000-000000000002"];
const goal: StoredGoal = {
  ...{ goalId: "g", objective: "find it", status: "usageLimited", tokenBudget: null },
  ...{ tokensUsed: 5, timeUsedSeconds: 2, createdAtMs: 1000, updatedAtMs: 2000 },
};

test("goals are kept, changed and removed, and move into Codex's file when it appears", async (t) => {
  const home = mkdtempSync(path.join(tmpdir(), "parley-goals-"));
  deletedWith(t, home);
  const store = createGoalStore(home, assert.fail);
  assert.equal(await store.read(one), undefined);
  assert.equal(await store.change(one, () => undefined), undefined);
  assert.equal(await store.remove(one), false);
  assert.equal(existsSync(path.join(home, "parley")), false, "no file for a goal that nobody set");
  assert.deepEqual(await store.change(one, () => goal), goal);
  assert.deepEqual(await createGoalStore(home, assert.fail).read(one), goal, "as another process sees it");
  await assert.rejects(
    store.change(one, () => {
      throw new Error("refused");
    }),
    /refused/,
  );
  assert.deepEqual(await store.read(one), goal);

  const db = new DatabaseSync(path.join(home, "goals_1.sqlite"));
  db.exec(`CREATE TABLE thread_goals (thread_id TEXT PRIMARY KEY NOT NULL, goal_id TEXT NOT NULL, objective TEXT NOT NULL,
      status TEXT NOT NULL CHECK(status IN ('active', 'paused', 'blocked', 'usage_limited', 'budget_limited', 'complete')),
      token_budget INTEGER, tokens_used INTEGER NOT NULL DEFAULT 0, time_used_seconds INTEGER NOT NULL DEFAULT 0,
      created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL);
    CREATE TABLE thread_goal_continuation_deferrals (thread_id TEXT PRIMARY KEY NOT NULL REFERENCES thread_goals(thread_id) ON DELETE CASCADE);
    INSERT INTO thread_goals VALUES ('${two}', 'theirs', 'Codex set it', 'budget_limited', 7, 7, 1, 1, 1);
    INSERT INTO thread_goal_continuation_deferrals VALUES ('${two}');`);
  assert.deepEqual(await store.read(one), goal, "moved");
  const theirs = await store.change(two, (stored) => stored && { ...stored, status: "complete" });
  assert.deepEqual([theirs?.objective, theirs?.status, theirs?.tokenBudget], ["Codex set it", "complete", 7]);
  const stored = db.prepare("SELECT thread_id, status FROM thread_goals ORDER BY thread_id").all();
  assert.deepEqual(
    stored.map((row) => [row["thread_id"], row["status"]]),
    [
      [one, "usage_limited"],
      [two, "complete"],
    ],
  );
  assert.equal(db.prepare("SELECT COUNT(*) AS n FROM thread_goal_continuation_deferrals").get()?.["n"], 1, "Codex's other rows stay");
  db.close();
});

test("numbers of Codex's that are larger than ours are read as the largest, and the goal can be changed", async (t) => {
  const home = mkdtempSync(path.join(tmpdir(), "parley-goals-"));
  deletedWith(t, home);
  const store = createGoalStore(home, assert.fail);
  const large = { ...goal, tokenBudget: 5000 };
  await store.change(one, () => large);
  const db = new DatabaseSync(path.join(home, "parley/goals_1.sqlite"));
  db.exec("UPDATE thread_goals SET token_budget = 9223372036854775807");
  db.close();
  assert.equal((await store.read(one))?.tokenBudget, Number.MAX_SAFE_INTEGER);
  assert.equal((await store.change(one, (before) => before && { ...before, tokenBudget: 10 }))?.tokenBudget, 10);
});

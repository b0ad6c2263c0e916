/** The goals of threads, in the table of Codex's `goals_1.sqlite` or one of the same form. */
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { GoalStore, StoredGoal } from "../core/ports/goal-store.ts";
import type { ThreadGoalStatus } from "../protocol/thread-goal.ts";
import { SharedTable, type TableForm } from "./shared-table.ts";

const onDisk: Readonly<Record<ThreadGoalStatus, string>> = {
  active: "active",
  paused: "paused",
  blocked: "blocked",
  usageLimited: "usage_limited",
  budgetLimited: "budget_limited",
  complete: "complete",
};
const fromDisk = new Map(Object.entries(onDisk).map(([status, stored]) => [stored, status as ThreadGoalStatus]));

const columns = [
  ...["thread_id", "goal_id", "objective", "status", "token_budget"],
  ...["tokens_used", "time_used_seconds", "created_at_ms", "updated_at_ms"],
];
const insert = `INSERT INTO thread_goals (${columns.join(", ")}) VALUES (${columns.map((column) => `:${column}`).join(", ")}) ON CONFLICT(thread_id)`;
const insertOrUpdate = `${insert} DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`;

const form: TableForm = {
  file: "goals_1.sqlite",
  table: "thread_goals",
  columns,
  create: `CREATE TABLE thread_goals (
    thread_id TEXT PRIMARY KEY NOT NULL, goal_id TEXT NOT NULL, objective TEXT NOT NULL, status TEXT NOT NULL, token_budget INTEGER,
    tokens_used INTEGER NOT NULL DEFAULT 0, time_used_seconds INTEGER NOT NULL DEFAULT 0,
    created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER NOT NULL
  )`,
  order: "thread_id",
  moveIn(db, row) {
    db.prepare(`${insert} DO NOTHING`).run(Object.fromEntries(columns.map((column) => [column, row[column] ?? null])));
  },
};

export function createGoalStore(home: string, report: (message: string) => void): GoalStore {
  const table = new SharedTable(home, form, report);
  return {
    read: (threadId) => table.read((db) => goalOf(db, threadId)),
    async change(threadId, next) {
      // Makes no file for a thread that gets no goal.
      const before = (await table.read((db) => goalOf(db, threadId))) === undefined ? next(undefined) : true;
      if (before === undefined) return undefined;
      return await table.write((db) => {
        const goal = goalOf(db, threadId);
        const changed = next(goal);
        if (changed !== undefined && changed !== goal) db.prepare(insertOrUpdate).run(rowOf(threadId, changed));
        return changed ?? goal;
      });
    },
    async remove(threadId) {
      if ((await table.read((db) => goalOf(db, threadId))) === undefined) return false;
      return await table.write((db) => Number(db.prepare("DELETE FROM thread_goals WHERE thread_id = ?").run(threadId).changes) > 0);
    },
  };
}

function goalOf(db: DatabaseSync, threadId: string): StoredGoal | undefined {
  const read = db.prepare(`SELECT ${columns.join(", ")} FROM thread_goals WHERE thread_id = ?`);
  read.setReadBigInts(true); // Codex counts further than a number does, and such a row must not be unreadable
  const row = read.get(threadId);
  const status = fromDisk.get(String(row?.["status"]));
  if (row === undefined || status === undefined) return undefined; // a status of a later version is not ours to judge
  const number = (column: string): number => numberOf(row[column]);
  return {
    goalId: String(row["goal_id"]),
    objective: String(row["objective"]),
    status,
    tokenBudget: row["token_budget"] === null ? null : number("token_budget"),
    tokensUsed: number("tokens_used"),
    timeUsedSeconds: number("time_used_seconds"),
    createdAtMs: number("created_at_ms"),
    updatedAtMs: number("updated_at_ms"),
  };
}

const numberOf = (value: SQLOutputValue | undefined): number =>
  typeof value === "bigint" ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : typeof value === "number" ? value : 0;

const rowOf = (threadId: string, goal: StoredGoal): Record<string, string | number | null> => ({
  thread_id: threadId,
  goal_id: goal.goalId,
  objective: goal.objective,
  status: onDisk[goal.status],
  token_budget: goal.tokenBudget,
  tokens_used: goal.tokensUsed,
  time_used_seconds: goal.timeUsedSeconds,
  created_at_ms: goal.createdAtMs,
  updated_at_ms: goal.updatedAtMs,
});

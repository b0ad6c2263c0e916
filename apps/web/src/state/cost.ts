/** Sums over what was spent: by day, project or model. */
import type { UsageTable } from "../connection/more-calls.ts";
import { folderName } from "./format.ts";
import type { Project } from "./model.ts";

export type CostKey = "day" | "project" | "model";

export interface CostGroup {
  readonly key: string;
  readonly label: string;
  /** Null if the price of one of its models is not known. */
  readonly money: number | null;
  readonly tokens: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

type Row = UsageTable["rows"][number];

function groupOf(row: Row, kind: CostKey, projects: readonly Project[]): readonly [key: string, label: string] {
  if (kind === "day") return [row.day, row.day];
  if (kind === "model") return [`${row.model} ${row.provider ?? ""}`, row.model];
  const project = row.projectId === null ? undefined : projects.find((p) => p.projectId === row.projectId);
  if (project !== undefined) return [project.projectId, project.name];
  return row.cwd === null ? ["", "Sessions that are gone"] : [row.cwd, folderName(row.cwd)];
}

/** Days newest first, everything else the most expensive first. */
export function costBy({ rows }: UsageTable, kind: CostKey, projects: readonly Project[]): readonly CostGroup[] {
  const groups = new Map<string, CostGroup>();
  for (const row of rows) {
    const [key, label] = groupOf(row, kind, projects);
    const before = groups.get(key);
    groups.set(key, {
      ...{ key, label },
      money: row.money === null || before?.money === null ? null : (before?.money ?? 0) + row.money,
      tokens: (before?.tokens ?? 0) + row.totalTokens,
      input: (before?.input ?? 0) + row.inputTokens,
      cached: (before?.cached ?? 0) + row.cachedInputTokens,
      output: (before?.output ?? 0) + row.outputTokens,
    });
  }
  const all = [...groups.values()];
  return kind === "day"
    ? all.sort((a, b) => (a.key < b.key ? 1 : -1))
    : all.sort((a, b) => (b.money ?? 0) - (a.money ?? 0) || b.tokens - a.tokens);
}

export interface DayBar {
  readonly day: string;
  /** What of it has a price. */
  readonly money: number;
  readonly tokens: number;
}

/** One bar for each day up to today, oldest first, also for days without any use. */
export function daysOf(table: UsageTable, days: number): readonly DayBar[] {
  const today = Date.parse(`${table.today.day}T00:00:00Z`);
  return Array.from({ length: days }, (_, i) => {
    const day = new Date(today - (days - 1 - i) * 86_400_000).toISOString().slice(0, 10);
    const rows = table.rows.filter((row) => row.day === day);
    return {
      day,
      money: rows.reduce((sum, row) => sum + (row.money ?? 0), 0),
      tokens: rows.reduce((sum, row) => sum + row.totalTokens, 0),
    };
  });
}

/** An amount as people write it; small ones with more digits. */
export function money(amount: number, currency: string): string {
  const digits = amount !== 0 && Math.abs(amount) < 0.1 ? 4 : 2;
  try {
    return amount.toLocaleString(undefined, { style: "currency", currency, minimumFractionDigits: digits, maximumFractionDigits: digits });
  } catch {
    // A name that is no currency code.
    return `${amount.toFixed(digits)} ${currency}`;
  }
}

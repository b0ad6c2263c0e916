/** The last full runs side by side, for docs/performance.md: whether the rows hold on every day, not only on a good one. */
import { type BenchRow, benchRows, verdictOf } from "./rows.ts";

/** What the history stores of a run, as far as it is shown here. */
export interface StoredRun {
  readonly kind: string;
  readonly when: string;
  readonly commit: string;
  readonly rounds: number;
  readonly load: { readonly before: number; readonly mean?: number; readonly highest: number; readonly busy?: number };
  readonly rows: Readonly<Record<string, { readonly ratio: number | null }>>;
}

const shownRuns = 3;
/** A limit that holds only on a good day does not hold: this much of it must be left. */
const room = 0.15;

/** Whether a row is inside its limit with room to spare. */
export const hasRoom = (row: BenchRow, ratio: number): boolean =>
  row.better === "more" ? ratio >= row.must * (1 + room) : ratio <= row.must * (1 - room);

const digits = (ratio: number): string => `${Number(ratio.toPrecision(ratio < 1 ? 2 : 3))}×`;

function cellOf(row: BenchRow, ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return "–";
  if (!hasRoom(row, ratio)) return `**${digits(ratio)}**`;
  return verdictOf(row, ratio) === "aim" ? `${digits(ratio)} ✓` : digits(ratio);
}

export function lastRuns(history: readonly StoredRun[]): string {
  const runs = history.filter(({ kind }) => kind === "full").slice(-shownRuns);
  if (runs.length < 2) return "";
  const counted = (fits: (row: BenchRow, ratio: number) => boolean): string =>
    runs
      .map(({ rows: own }) => benchRows.filter((row) => own[row.id]?.ratio != null && fits(row, own[row.id]?.ratio ?? 0)).length)
      .join(" | ");
  const rows = benchRows.map((row) => {
    const cells = runs.map((run) => cellOf(row, run.rows[row.id]?.ratio));
    return `| ${row.name} | ${cells.join(" | ")} | ${row.better === "more" ? "≥ " : ""}${row.must}× |`;
  });
  return `
## The last runs

Whole runs, each with the medians of its rounds (${runs.map(({ rounds }) => rounds).join(", ")}). A tick: the aim is reached. Bold: less than ${room * 100} % of the limit is left.

| | ${runs.map(({ when, commit }) => `${when.slice(0, 16).replace("T", " ")}, ${commit}`).join(" | ")} | must |
|---|${runs.map(() => "---:|").join("")}---:|
| other work beside it, in processors | ${runs.map(({ load }) => (load.busy ?? 0).toFixed(1)).join(" | ")} | |
| load average before the run, mean, highest | ${runs.map(({ load }) => `${load.before.toFixed(1)}, ${load.mean?.toFixed(1) ?? "–"}, ${load.highest.toFixed(1)}`).join(" | ")} | |
| rows at their aim, of ${benchRows.length} | ${counted((row, ratio) => verdictOf(row, ratio) === "aim")} | |
| rows with ${room * 100} % of their limit left | ${counted(hasRoom)} | |
${rows.join("\n")}
`;
}

/** Tables for a terminal: one line per row, never wider than the terminal, safe whatever the cells contain. */
import { dayOf } from "../../lib/local-time.ts";
import { cleanLine } from "../../lib/terminal-text.ts";
import { shorten, shortenMiddle, textWidth } from "../../tui/text/width.ts";

export interface Column {
  readonly title: string;
  /** "middle" for paths, whose ends are the most informative. */
  readonly cut?: "end" | "middle";
  readonly right?: boolean;
  /** The column may shrink to this width to make room. Without it the column keeps its width. */
  readonly least?: number;
}

const gap = 2;

export function table(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string {
  const cells = rows.map((row) => columns.map((_, i) => cleanLine(row[i] ?? "")));
  const widths = fitted(columns, cells, width - gap * (columns.length - 1));
  const line = (row: readonly string[]): string =>
    columns
      .map((column, i) => cell(row[i] ?? "", column, widths[i] ?? 0))
      .join(" ".repeat(gap))
      .trimEnd();
  return [columns.map(({ title }) => title), ...cells].map((row) => `${line(row)}\n`).join("");
}

function fitted(columns: readonly Column[], rows: readonly (readonly string[])[], room: number): readonly number[] {
  const widths = columns.map(({ title }, i) => Math.max(textWidth(title), ...rows.map((row) => textWidth(row[i] ?? ""))));
  const over = (): number => widths.reduce((sum, width) => sum + width, 0) - room;
  while (over() > 0) {
    const [widest] = columns
      .map(({ least }, i) => ({ i, width: widths[i] ?? 0, least }))
      .filter((column) => column.least !== undefined && column.width > column.least)
      .sort((a, b) => b.width - a.width);
    if (widest === undefined) break;
    widths[widest.i] = Math.max(widest.least ?? 0, widest.width - over());
  }
  return widths;
}

function cell(text: string, { cut, right }: Column, width: number): string {
  const fit = cut === "middle" ? shortenMiddle(text, width) : shorten(text, width);
  const space = " ".repeat(Math.max(0, width - textWidth(fit)));
  return right === true ? space + fit : fit + space;
}

/** The terminal's width; a pipe gets one that suits most readers. */
export const outputWidth = (): number => process.stdout.columns ?? (Number(process.env["COLUMNS"]) || 120);

/** "3 h ago" for recent times, else the date. */
export function timeAgo(seconds: number, nowMs: number): string {
  const ago = Math.max(0, nowMs / 1000 - seconds);
  if (ago < 60) return "just now";
  if (ago < 3600) return `${Math.floor(ago / 60)} min ago`;
  if (ago < 86_400) return `${Math.floor(ago / 3600)} h ago`;
  if (ago < 7 * 86_400) return `${Math.floor(ago / 86_400)} d ago`;
  return dayOf(seconds);
}
/** With `~` for the user's home. */
export const shortPath = (path: string, home: string): string =>
  home !== "" && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;

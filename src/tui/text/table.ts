/** Tables in a terminal: columns as wide as they need, narrower where they must, stacked records where nothing else fits. */
import { type Line, lineWidth, muted, padded, restyle, span, wrap } from "./spans.ts";

const minColumn = 6;
const gap = "  ";

export type Align = "left" | "center" | "right" | null;

/** The first row is the header. */
export function tableLines(rows: readonly (readonly Line[])[], width: number, aligns: readonly Align[] = []): Line[] {
  const [header, ...body] = rows;
  if (header === undefined) return [];
  const widths = columnWidths(rows, width - gap.length * (header.length - 1));
  if (widths === undefined) return records(header, body, width);
  const rule: Line = [muted(widths.map((w) => "─".repeat(w)).join("──"))];
  return [...rowLines(header, widths, aligns), rule, ...body.flatMap((row) => rowLines(row, widths, aligns))];
}

/** Undefined when not even the narrowest columns fit side by side. */
function columnWidths(rows: readonly (readonly Line[])[], room: number): number[] | undefined {
  const count = rows[0]?.length ?? 0;
  const natural = Array.from({ length: count }, (_, i) => Math.max(1, ...rows.map((row) => lineWidth(row[i] ?? []))));
  const widths = [...natural];
  for (let over = sum(widths) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= minColumn) return undefined;
    widths[widest] = width - 1;
  }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function rowLines(cells: readonly Line[], widths: readonly number[], aligns: readonly Align[]): Line[] {
  const wrapped = widths.map((width, i) => wrap(cells[i] ?? [], width));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, y) =>
    widths.flatMap((width, x) => {
      const isLast = x === widths.length - 1;
      const cell = aligned(wrapped[x]?.[y] ?? [], width, aligns[x] ?? null);
      return isLast ? cell : [...padded(cell, width), span(gap)];
    }),
  );
}

/** Spaces before the cell; those after it follow from the column. */
function aligned(cell: Line, width: number, align: Align): Line {
  const free = Math.max(0, width - lineWidth(cell));
  const before = align === "right" ? free : align === "center" ? Math.floor(free / 2) : 0;
  return before === 0 || cell.length === 0 ? cell : [span(" ".repeat(before)), ...cell];
}

function records(header: readonly Line[], body: readonly (readonly Line[])[], width: number): Line[] {
  return body.flatMap((row, i) => [
    ...(i === 0 ? [] : [[muted("─".repeat(Math.min(width, 12)))]]),
    ...row.flatMap((cell, x) => wrap([...restyle(header[x] ?? [], { bold: true }), span(": "), ...cell], width)),
  ]);
}

/** Draws the curves as an SVG that is readable on light and on dark pages. */
import type { Curve } from "./curves.ts";
import { type SizeFigures, type SizeName, type SizeRow, sizes } from "./sizes.ts";

const [width, height] = [330, 260];
const [left, right, top, bottom] = [52, 22, 40, 44];
const colours = { ours: "#2f7ed8", codex: "#d8702f" } as const;
const names = { ours: "Parley", codex: "Codex" } as const;

/** One curve's axes; a limit is drawn across it. */
type Panel = Pick<Curve, "title" | "x" | "y" | "points"> & { readonly limit?: number | undefined };

export const plot = (curves: readonly Curve[]): string => grid(curves, { columns: curves.length, label: "How costs grow with history" });

/** Every size that has a limit, one panel each. */
export function plotSizes({ points }: SizeFigures): string {
  const panels = (Object.keys(sizes) as SizeName[]).flatMap((size) => {
    const at = points.filter((point) => point.size === size);
    const of = (server: "ours" | "codex", row: string): readonly (readonly [number, number])[] =>
      at.flatMap((point) => {
        const value = point[server]?.[row]?.median;
        return value === undefined || Number.isNaN(value) ? [] : [[point.at, value] as const];
      });
    return Object.entries<SizeRow>(sizes[size].rows).flatMap(([row, { name, unit, limit }]): Panel[] => {
      if (limit === undefined || of("ours", row).length === 0) return [];
      const codex = of("codex", row);
      const own = { ours: of("ours", row), ...(codex.length === 0 ? {} : { codex }) };
      return [{ title: titleOf(size, name), x: sizes[size].x, y: unit, points: own, limit }];
    });
  });
  return grid(panels, { columns: sizeColumns, label: "What users meet at the sizes that they reach, with its limits" });
}
const sizeColumns = 3;

/** Short enough for a panel. */
function titleOf(size: SizeName, row: string): string {
  const text = row.startsWith("ratio") ? `${size === "threads" ? "thread/start" : "a command"}: ${row}` : row;
  return text.length > longestTitle ? `${text.slice(0, longestTitle - 1)}…` : text;
}
const longestTitle = 46;

function grid(panels: readonly Panel[], { columns, label: what }: { readonly columns: number; readonly label: string }): string {
  const drawn = panels.map(
    (one, i) => `<g transform="translate(${(i % columns) * width} ${Math.floor(i / columns) * height})">${panel(one)}</g>`,
  );
  const below = Math.ceil(panels.length / columns) * height;
  const legend = (["ours", "codex"] as const)
    .filter((name) => panels.some(({ points }) => points[name] !== undefined))
    .map((name, i) => {
      const x = left + i * 90;
      return `<circle cx="${x}" cy="${below + 12}" r="4" fill="${colours[name]}"/><text x="${x + 9}" y="${below + 16}">${names[name]}</text>`;
    });
  const hasLimits = panels.some(({ limit }) => limit !== undefined);
  if (hasLimits)
    legend.push(
      `<line class="limit" x1="${left + 176}" x2="${left + 196}" y1="${below + 12}" y2="${below + 12}"/><text x="${left + 202}" y="${below + 16}">limit</text>`,
    );
  const style = `<style>text{font:11px system-ui,sans-serif;fill:#777}.title{font-weight:600;font-size:12px}.grid{stroke:#7774;stroke-width:1}.limit{stroke:#c33;stroke-width:1.5;stroke-dasharray:5 4}</style>`;
  const size = `viewBox="0 0 ${width * columns} ${below + 28}" width="${width * columns}" height="${below + 28}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${what}">${style}${drawn.join("")}${legend.join("")}</svg>\n`;
}

function panel({ title, x, y, points, limit }: Panel): string {
  const all = Object.values(points).flat();
  if (all.length === 0) return "";
  const xs = scale(
    all.map(([at]) => at),
    left,
    width - right,
  );
  const ys = scale([...all.map(([, at]) => at), ...(limit === undefined ? [] : [limit])], height - bottom, top);
  const axes = [
    ...xs.ticks.map((at) => `<text x="${xs.place(at)}" y="${height - bottom + 16}" text-anchor="middle">${label(at)}</text>`),
    ...ys.ticks.flatMap((at) => [
      `<line class="grid" x1="${left}" x2="${width - right}" y1="${ys.place(at)}" y2="${ys.place(at)}"/>`,
      `<text x="${left - 6}" y="${ys.place(at) + 4}" text-anchor="end">${label(at)}</text>`,
    ]),
  ];
  const lines = (["codex", "ours"] as const).flatMap((name) => {
    const own = points[name] ?? [];
    const path = own.map(([px, py]) => `${xs.place(px).toFixed(1)},${ys.place(py).toFixed(1)}`).join(" ");
    const dots = own.map(
      ([px, py]) => `<circle cx="${xs.place(px).toFixed(1)}" cy="${ys.place(py).toFixed(1)}" r="3" fill="${colours[name]}"/>`,
    );
    return [`<polyline points="${path}" fill="none" stroke="${colours[name]}" stroke-width="2"/>`, ...dots];
  });
  const across =
    limit === undefined ? [] : [`<line class="limit" x1="${left}" x2="${width - right}" y1="${ys.place(limit)}" y2="${ys.place(limit)}"/>`];
  const labels = [
    `<text class="title" x="${left}" y="18">${title}</text>`,
    `<text x="${left}" y="32">${y}</text>`,
    `<text x="${(left + width - right) / 2}" y="${height - bottom + 34}" text-anchor="middle">${x}</text>`,
  ];
  return [...axes, ...across, ...lines, ...labels].join("");
}

/** Logarithmic, from one power of ten to another. */
function scale(values: readonly number[], from: number, to: number): { place: (at: number) => number; ticks: readonly number[] } {
  const low = Math.floor(Math.log10(Math.max(1e-3, Math.min(...values))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const place = (at: number): number => from + ((Math.log10(at) - low) / (high - low)) * (to - from);
  return { place, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) };
}

const label = (at: number): string => (at >= 1 ? at.toLocaleString("en-US") : String(Number(at.toPrecision(1))));

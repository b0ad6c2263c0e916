/** Draws the curves as an SVG that is readable on light and on dark pages. */
import type { Curve } from "./curves.ts";

const [width, height] = [330, 260];
const [left, right, top, bottom] = [52, 22, 40, 44];
const colours = { ours: "#2f7ed8", codex: "#d8702f" } as const;
const names = { ours: "Parley", codex: "Codex" } as const;

export function plot(curves: readonly Curve[]): string {
  const panels = curves.map((curve, i) => `<g transform="translate(${i * width} 0)">${panel(curve)}</g>`);
  const legend = (["ours", "codex"] as const)
    .filter((name) => curves.some(({ points }) => points[name] !== undefined))
    .map((name, i) => {
      const x = left + i * 90;
      return `<circle cx="${x}" cy="${height + 12}" r="4" fill="${colours[name]}"/><text x="${x + 9}" y="${height + 16}">${names[name]}</text>`;
    });
  const style = `<style>text{font:11px system-ui,sans-serif;fill:#777}.title{font-weight:600;font-size:12px}.grid{stroke:#7774;stroke-width:1}</style>`;
  const size = `viewBox="0 0 ${width * curves.length} ${height + 28}" width="${width * curves.length}" height="${height + 28}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="How costs grow with history">${style}${panels.join("")}${legend.join("")}</svg>\n`;
}

function panel({ title, x, y, points }: Curve): string {
  const all = Object.values(points).flat();
  if (all.length === 0) return "";
  const xs = scale(
    all.map(([at]) => at),
    left,
    width - right,
  );
  const ys = scale(
    all.map(([, at]) => at),
    height - bottom,
    top,
  );
  const grid = [
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
  const labels = [
    `<text class="title" x="${left}" y="18">${title}</text>`,
    `<text x="${left}" y="32">${y}</text>`,
    `<text x="${(left + width - right) / 2}" y="${height - bottom + 34}" text-anchor="middle">${x}</text>`,
  ];
  return [...grid, ...lines, ...labels].join("");
}

/** Logarithmic, from one power of ten to another. */
function scale(values: readonly number[], from: number, to: number): { place: (at: number) => number; ticks: readonly number[] } {
  const low = Math.floor(Math.log10(Math.max(1e-3, Math.min(...values))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const place = (at: number): number => from + ((Math.log10(at) - low) / (high - low)) * (to - from);
  return { place, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) };
}

const label = (at: number): string => (at >= 1 ? at.toLocaleString("en-US") : String(Number(at.toPrecision(1))));

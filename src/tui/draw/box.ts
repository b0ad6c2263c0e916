/** Frames and columns that several parts of the screen share. */
import { type Line, lineWidth, muted, padded, prefixed, type Span, span, truncate, wrap } from "../text/spans.ts";
import type { Theme } from "../text/theme.ts";
import { textWidth } from "../text/width.ts";

/** A rounded frame; lines that are too long are cut. A label may be set into the upper edge. */
export function box(lines: readonly Line[], width: number, theme: Theme, edge: Span["style"] = { color: "muted" }, label = ""): Line[] {
  const [topLeft = "", topRight = "", bottomLeft = "", bottomRight = ""] = theme.marks.box;
  const { rule, bar } = theme.marks;
  const inner = Math.max(1, width - 4);
  const name = label === "" ? "" : ` ${label} `;
  const top = `${topLeft}${rule}${name}${rule.repeat(Math.max(0, width - 3 - textWidth(name)))}${topRight}`;
  return [
    [span(top, edge)],
    ...lines.map((of): Line => [span(`${bar} `, edge), ...padded(truncate(of, inner), inner), span(` ${bar}`, edge)]),
    [span(`${bottomLeft}${rule.repeat(Math.max(0, width - 2))}${bottomRight}`, edge)],
  ];
}

/** Names on the left, values on the right. */
export function keyValues(rows: readonly (readonly [string, string])[], width: number): Line[] {
  const column = Math.min(18, Math.max(0, ...rows.map(([name]) => textWidth(name))) + 2);
  return rows.flatMap(([name, value]) => {
    const lines = value.split("\n").flatMap((text) => wrap([span(text)], Math.max(8, width - column)));
    return prefixed(lines, padded([muted(name)], column), [span(" ".repeat(column))]);
  });
}

/** Both ends of a line; the right one is dropped first where there is no room. */
export function spread(left: Line, right: Line, width: number): Line {
  const room = width - lineWidth(right);
  if (room < lineWidth(left) + 2) return truncate(left, width);
  return [...padded(left, room), ...right];
}

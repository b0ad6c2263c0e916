/** Cuts the rows of a long table into parts, each to be drawn by itself. */

/** A part has this many rows. */
export const partRows = 100;

/** The rows in parts; `before` is the result for fewer rows of the same table, whose full parts stay the same arrays. */
export function cutRows<Row>(before: readonly (readonly Row[])[] | undefined, rows: readonly Row[]): readonly (readonly Row[])[] {
  const parts: (readonly Row[])[] = [];
  for (let at = 0; at < rows.length || at === 0; at += partRows) {
    const known = before?.[parts.length];
    const last = at + partRows - 1;
    const isSame = known?.length === partRows && known[0] === rows[at] && known[partRows - 1] === rows[last];
    parts.push(isSame ? known : rows.slice(at, last + 1));
  }
  return parts;
}

/** Of each column the longest cell, which says how wide it has to be. */
export function longestCells<Cell extends { readonly text: string }>(rows: readonly (readonly Cell[])[]): readonly Cell[] {
  const longest: Cell[] = [];
  for (const row of rows)
    for (const [i, cell] of row.entries()) {
      const known = longest[i];
      if (known === undefined || cell.text.length > known.text.length) longest[i] = cell;
    }
  return longest;
}

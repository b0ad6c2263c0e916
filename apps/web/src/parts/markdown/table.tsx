/** Tables of markdown. A long one is drawn in parts, so that rows which stream in make the browser lay out the last part only; who hears it hears one table. */
import type { Tokens } from "marked";
import { memo, type ReactElement, type RefObject, useLayoutEffect, useRef, useState } from "react";
import { cutRows, longestCells, partRows } from "./cut-rows.ts";
import { inline } from "./inline.tsx";
import { useLaidOut } from "./laid-out.ts";

type Cells = readonly Tokens.TableCell[];

/** `settled` is false while the last row may still grow. */
export function Table({ token, settled, depth }: { token: Tokens.Table; settled: boolean; depth: number }): ReactElement {
  const last = useRef<readonly (readonly Cells[])[]>(undefined);
  const [first = [], ...more] = cutRows(last.current, token.rows);
  last.current = [first, ...more];
  const isCut = more.length > 0;
  const table = useRef<HTMLTableElement>(null);
  const widths = useWidths(table, isCut);
  const role = (name: string): string | undefined => (isCut ? name : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table wider than the page scrolls and must be reachable by keyboard
    <div className="md-table" tabIndex={0}>
      <div role={role("table")}>
        <table ref={table} role={role("none")}>
          <thead role={role("rowgroup")}>
            <tr role={role("row")}>
              {token.header.map((cell, i) => (
                <th key={i} scope="col" role={role("columnheader")} dir="auto" style={{ textAlign: token.align[i] ?? undefined }}>
                  {inline(cell.tokens, depth)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role={role("rowgroup")}>
            {first.map((row, r) => (
              <Row key={r} row={row} depth={depth} isCut={isCut} />
            ))}
            {isCut ? <Longest rows={settled ? token.rows : token.rows.slice(0, -1)} depth={depth} /> : null}
          </tbody>
        </table>
        {more.map((rows, i) => (
          <Part key={i} rows={rows} widths={widths} depth={depth} />
        ))}
      </div>
    </div>
  );
}

/** The first part is laid out by its content, and these are its columns' widths, which the other parts take over. */
function useWidths(table: RefObject<HTMLTableElement | null>, isCut: boolean): readonly number[] {
  const [widths, setWidths] = useState<readonly number[]>([]);
  useLayoutEffect(() => {
    const cells = [...(table.current?.tHead?.rows[0]?.cells ?? [])];
    if (!isCut) return;
    const measure = (): void => {
      const found = cells.map((cell) => cell.getBoundingClientRect().width);
      setWidths((before) => (before.length === found.length && before.every((width, i) => width === found[i]) ? before : found));
    };
    measure();
    const observer = new ResizeObserver(measure);
    for (const cell of cells) observer.observe(cell);
    return () => observer.disconnect();
  }, [table, isCut]);
  return widths;
}

/** A row that nobody sees or hears: it makes the first part's columns as wide as the whole table needs them. */
function Longest({ rows, depth }: { rows: readonly Cells[]; depth: number }): ReactElement {
  return (
    <tr className="md-longest">
      {longestCells(rows).map((cell, i) => (
        <td key={i}>{inline(cell.tokens, depth)}</td>
      ))}
    </tr>
  );
}

interface PartProps {
  readonly rows: readonly Cells[];
  readonly widths: readonly number[];
  readonly depth: number;
}

const Part = memo(function Part({ rows, widths, depth }: PartProps): ReactElement {
  const isLaidOut = useLaidOut(rows.length === partRows && widths.length > 0);
  return (
    <div
      className={isLaidOut ? "md-rows md-rows-full" : "md-rows"}
      style={{ width: widths.length === 0 ? undefined : widths.reduce((sum, width) => sum + width, 0) }}
    >
      <table role="none">
        <colgroup>
          {widths.map((width, i) => (
            <col key={i} style={{ width }} />
          ))}
        </colgroup>
        {/* biome-ignore lint/a11y/noRedundantRoles: the table is none by itself, so what is in it would be nothing without a role */}
        <tbody role="rowgroup">
          {rows.map((row, r) => (
            <Row key={r} row={row} depth={depth} isCut />
          ))}
        </tbody>
      </table>
    </div>
  );
});

const Row = memo(function Row({ row, depth, isCut }: { row: Cells; depth: number; isCut: boolean }): ReactElement {
  return (
    <tr role={isCut ? "row" : undefined}>
      {row.map((cell, i) => (
        <td key={i} role={isCut ? "cell" : undefined} dir="auto" style={{ textAlign: cell.align ?? undefined }}>
          {inline(cell.tokens, depth)}
        </td>
      ))}
    </tr>
  );
});

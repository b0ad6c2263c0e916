/** Which printed lines are still on the screen: what has scrolled away is the terminal's, and must not be drawn a second time. */
import type { Size } from "../draw/frame.ts";
import type { Entry } from "../state/entry.ts";
import { type Line, lineText } from "../text/spans.ts";
import { textWidth } from "../text/width.ts";

/** A line as the terminal has it. */
interface Row {
  readonly width: number;
  /** How much there is to read in it, whatever it was indented or padded to. */
  readonly characters: number;
}

interface Block {
  readonly entry: Entry;
  /** Those that are still on the screen. */
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
}

/** The lower part as it was drawn last. */
export interface DrawnFrame {
  readonly lines: readonly Line[];
  readonly cursor?: { readonly x: number; readonly y: number } | undefined;
}

/**
 * What a terminal does with lines that become longer than its rows. "push": wraps them, and each new row pushes one out at the top, even
 * when rows below are free. "fill": wraps them into the free rows first. "cut": does not wrap them.
 */
export type Reflow = "push" | "fill" | "cut";

export function reflowOf(env: Readonly<Record<string, string | undefined>>): Reflow {
  if (env["TMUX"] || env["TERM"]?.startsWith("tmux")) return "push";
  return env["XTERM_VERSION"] || env["STY"] || env["TERM"] === "linux" ? "cut" : "fill";
}

export class OnScreen {
  #blocks: readonly Block[] = [];
  /** Of the terminal when the frame was drawn. */
  #rows = 0;
  readonly #reflow: Reflow;

  constructor(reflow: Reflow) {
    this.#reflow = reflow;
  }

  get entries(): readonly Entry[] {
    return this.#blocks.map(({ entry }) => entry);
  }

  printed(entry: Entry, lines: readonly Line[], isWhole = true): void {
    this.#blocks = [...this.#blocks, { entry, rows: lines.map(rowOf), isWhole }];
  }

  cleared(): void {
    this.#blocks = [];
  }

  /** The frame below was drawn: what is above the first row has scrolled away. One row stays free below the frame. */
  framed(frame: readonly Line[], { rows }: Size): void {
    this.#rows = rows;
    this.#scroll(this.#rowsAt(Number.POSITIVE_INFINITY) + frame.length + 1 - rows, Number.POSITIVE_INFINITY);
  }

  /** The terminal has another size, and has wrapped and scrolled what was there. */
  resized(frame: DrawnFrame, { columns, rows }: Size): void {
    if (this.#reflow === "cut") return;
    const added =
      this.#rowsAt(columns) - this.#rowsAt(Number.POSITIVE_INFINITY) + rowsIn(frame.lines.map(rowOf), columns) - frame.lines.length;
    this.#scroll(this.#rowsAt(columns) + this.#frameRows(frame, { columns, rows }) - rows, columns);
    // Messages that were pushed out although there is room come back for the person to see; a second banner helps nobody.
    if (this.#reflow === "push" && added > 0 && this.#blocks[0]?.entry.kind === "welcome") this.#blocks = this.#blocks.slice(1);
  }

  /** With the free row below it. A terminal that loses rows drops those below the cursor before it scrolls. */
  #frameRows({ lines, cursor }: DrawnFrame, { columns, rows }: Size): number {
    const below = cursor === undefined ? 0 : lines.length - cursor.y;
    const dropped = Math.max(0, Math.min(below, this.#rows - rows));
    const [free, left] = dropped > 0 ? [0, lines.slice(0, lines.length - dropped + 1)] : [1, lines];
    return rowsIn(left.map(rowOf), columns) + free;
  }

  /** How far above the cursor the frame begins in a terminal of this width, or what was printed before it. */
  rowsAbove({ lines, cursor }: DrawnFrame, from: "frame" | "printed", columns: number): number {
    const width = this.#reflow === "cut" ? Number.POSITIVE_INFINITY : columns;
    const inFrame = rowsIn(lines.slice(0, cursor?.y).map(rowOf), width) + (cursor === undefined ? 0 : Math.floor(cursor.x / width));
    return inFrame + (from === "frame" ? 0 : this.#rowsAt(width));
  }

  /**
   * Lays out anew what is on the screen, and takes it as printed. Of an entry whose beginning has scrolled away it returns the lines with the
   * part that is still there: without the rest it would be in the scrollback twice, with less of it nowhere.
   */
  again(layout: (entry: Entry) => readonly Line[]): Line[] {
    const before = this.#blocks;
    this.#blocks = [];
    return before.flatMap(({ entry, rows, isWhole }) => {
      const all = layout(entry);
      const lines = isWhole ? all : lastWith(all, charactersIn(rows));
      this.printed(entry, lines, isWhole);
      return lines;
    });
  }

  #rowsAt(columns: number): number {
    return this.#blocks.reduce((sum, { rows }) => sum + rowsIn(rows, columns), 0);
  }

  /** A banner of which only a part is left is not worth a second one. */
  #scroll(count: number, columns: number): void {
    let left = count;
    while (left > 0) {
      const [first, ...rest] = this.#blocks;
      if (first === undefined) return;
      const [gone, ...rows] = first.entry.kind === "welcome" ? [first.rows] : [first.rows.slice(0, 1), ...first.rows.slice(1)];
      left -= rowsIn(gone ?? [], columns);
      this.#blocks = rows.length === 0 ? rest : [{ ...first, rows, isWhole: false }, ...rest];
    }
  }
}

/** The last lines that contain this many characters. */
function lastWith(lines: readonly Line[], characters: number): readonly Line[] {
  let first = lines.length;
  for (let count = 0; first > 0 && count < characters; ) {
    first--;
    count += rowOf(lines[first] ?? []).characters;
  }
  return lines.slice(first);
}

/** Spaces at the end are not drawn unless they have a colour. */
function rowOf(line: Line): Row {
  const text = lineText(line);
  const hasBackground = line.at(-1)?.style?.background !== undefined;
  return { width: textWidth(hasBackground ? text : text.trimEnd()), characters: text.replace(/\s/g, "").length };
}

const rowsOf = (width: number, columns: number): number => Math.max(1, Math.ceil(width / columns));
const rowsIn = (rows: readonly Row[], columns: number): number => rows.reduce((sum, { width }) => sum + rowsOf(width, columns), 0);
const charactersIn = (rows: readonly Row[]): number => rows.reduce((sum, { characters }) => sum + characters, 0);

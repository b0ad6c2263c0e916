/** Which printed entries are still on the screen: what has scrolled away is the terminal's, and must not be drawn a second time. */
import type { Size } from "../draw/frame.ts";
import type { Entry } from "../state/entry.ts";
import { type Line, lineWidth } from "../text/spans.ts";

interface Block {
  readonly entry: Entry;
  readonly widths: readonly number[];
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
  readonly #reflow: Reflow;

  constructor(reflow: Reflow) {
    this.#reflow = reflow;
  }

  get entries(): readonly Entry[] {
    return this.#blocks.map(({ entry }) => entry);
  }

  printed(entry: Entry, lines: readonly Line[]): void {
    this.#blocks = [...this.#blocks, { entry, widths: lines.map(lineWidth) }];
  }

  cleared(): void {
    this.#blocks = [];
  }

  /** The frame below was drawn: what is above the first row has scrolled away. One row stays free below the frame. */
  framed(frame: readonly Line[], { rows }: Size): void {
    this.#scroll(this.#rowsAt(Number.POSITIVE_INFINITY) + frame.length + 1 - rows, (widths) => widths.length);
  }

  /** The terminal has another size, and has wrapped and scrolled what was there. */
  resized(frame: readonly Line[], { columns, rows }: Size): void {
    if (this.#reflow === "cut") return;
    const frameRows = frame.reduce((sum, line) => sum + rowsOf(lineWidth(line), columns), 0);
    const added = this.#rowsAt(columns) - this.#rowsAt(Number.POSITIVE_INFINITY) + frameRows - frame.length;
    this.#scroll(this.#rowsAt(columns) + frameRows + 1 - rows, (widths) => sumOf(widths, columns));
    // Messages that were pushed out although there is room come back for the person to see; a second banner helps nobody.
    if (this.#reflow === "push" && added > 0 && this.#blocks[0]?.entry.kind === "welcome") this.#blocks = this.#blocks.slice(1);
  }

  #rowsAt(columns: number): number {
    return this.#blocks.reduce((sum, { widths }) => sum + sumOf(widths, columns), 0);
  }

  /** A banner of which only a part is left is not worth a second one. */
  #scroll(count: number, rowsIn: (widths: readonly number[]) => number): void {
    let left = count;
    while (left > 0) {
      const [first, ...rest] = this.#blocks;
      if (first === undefined || (left < rowsIn(first.widths) && first.entry.kind !== "welcome")) return;
      this.#blocks = rest;
      left -= rowsIn(first.widths);
    }
  }
}

const rowsOf = (width: number, columns: number): number => Math.max(1, Math.ceil(width / columns));
const sumOf = (widths: readonly number[], columns: number): number => widths.reduce((sum, width) => sum + rowsOf(width, columns), 0);

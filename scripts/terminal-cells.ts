/** Parses a terminal's screen, as text with escape sequences for the colours, into runs with equal style. */
import { textWidth } from "../src/tui/text/width.ts";

export interface Cell {
  readonly text: string;
  readonly columns: number;
  /** `#rrggbb`; undefined is the terminal's default. */
  readonly color: string | undefined;
  readonly background: string | undefined;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isStruck: boolean;
  readonly isUnderlined: boolean;
}

type Look = Omit<Cell, "text" | "columns">;
const plain: Look = { color: undefined, background: undefined, isBold: false, isItalic: false, isStruck: false, isUnderlined: false };

/** The style carries over from line to line until something changes it. */
export function cellsOf(styled: string): Cell[][] {
  let look = plain;
  return styled.split("\n").map((line) => {
    const cells: Cell[] = [];
    for (const [, codes, text] of line.matchAll(/\u001b\[([0-9;]*)m|([^\u001b]+)/g)) {
      if (codes !== undefined) look = changed(look, codes.split(";").map(Number));
      else if (text !== undefined) cells.push({ text, columns: textWidth(text), ...look });
    }
    return cells;
  });
}

function changed(look: Look, codes: readonly number[]): Look {
  const [code = 0, ...rest] = codes;
  if (codes.length === 0) return look;
  if (code === 38 || code === 48) {
    const isTable = rest[0] === 5;
    const [red = 0, green = 0, blue = 0] = rest.slice(1);
    const color = isTable ? tableColor(red) : hex(red, green, blue);
    return changed(code === 38 ? { ...look, color } : { ...look, background: color }, rest.slice(isTable ? 2 : 4));
  }
  return changed({ ...look, ...single(code) }, rest);
}

function single(code: number): Partial<Look> {
  if (code >= 30 && code <= 37) return { color: tableColor(code - 30) };
  if (code >= 90 && code <= 97) return { color: tableColor(code - 82) };
  const known: Readonly<Record<number, Partial<Look>>> = {
    0: plain,
    1: { isBold: true },
    3: { isItalic: true },
    4: { isUnderlined: true },
    9: { isStruck: true },
    22: { isBold: false },
    23: { isItalic: false },
    24: { isUnderlined: false },
    29: { isStruck: false },
    39: { color: undefined },
    49: { background: undefined },
  };
  return known[code] ?? {};
}

const sixteen =
  "#1c1c1c #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #d6d9e0 #6b7280 #ff7b85 #b5e890 #ffd68a #82c4ff #e298f5 #7fdbe6 #ffffff".split(
    " ",
  );

/** The 256-colour palette: sixteen named colours, a cube of six by six by six, and greys. */
function tableColor(number: number): string {
  if (number < 16) return sixteen[number] ?? "#ffffff";
  if (number >= 232) return hex(8 + (number - 232) * 10, 8 + (number - 232) * 10, 8 + (number - 232) * 10);
  const step = (at: number): number => (at === 0 ? 0 : 55 + at * 40);
  const index = number - 16;
  return hex(step(Math.floor(index / 36)), step(Math.floor(index / 6) % 6), step(index % 6));
}

const hex = (...parts: readonly number[]): string => `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

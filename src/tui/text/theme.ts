/** Maps roles to colours: for dark and light terminals, with as many colours as the terminal has, or with none. */
import { cleanLine } from "../../lib/terminal-text.ts";
import type { Background, Color, Line, Span, Style } from "./spans.ts";

export type Brightness = "dark" | "light";
/** Colour depth in bits: 1 is none, 4 the sixteen ANSI colours, 8 the 256-colour palette, 24 true colour. */
export type Depth = 1 | 4 | 8 | 24;

export interface Theme {
  readonly brightness: Brightness;
  readonly depth: Depth;
  /** Box lines, bullets and symbols; ASCII where the terminal has nothing else. */
  readonly marks: Marks;
  /** No boxes, no moving parts, words instead of symbols: for screen readers. */
  readonly spoken: boolean;
  paint(line: Line): string;
}

const unicode = {
  bullet: "•",
  prompt: "›",
  corner: "└",
  bar: "│",
  rule: "─",
  done: "✔",
  failed: "✗",
  current: "▸",
  pending: "○",
  chosen: "●",
  checked: "☑",
  unchecked: "☐",
  arrow: "→",
  up: "↑",
  down: "↓",
  enter: "⏎",
  dot: "·",
  warning: "⚠",
  branch: "⎇",
  box: ["╭", "╮", "╰", "╯"],
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
} as const;

export type Marks = { readonly [K in keyof typeof unicode]: (typeof unicode)[K] extends string ? string : readonly string[] };

const asciiMarks: Marks = {
  bullet: "*",
  prompt: ">",
  corner: "|",
  bar: "|",
  rule: "-",
  done: "+",
  failed: "x",
  current: ">",
  pending: "o",
  chosen: "*",
  checked: "[x]",
  unchecked: "[ ]",
  arrow: "->",
  up: "up",
  down: "down",
  enter: "enter",
  dot: "-",
  warning: "!",
  branch: "@",
  box: ["+", "+", "+", "+"],
  spinner: ["-", "\\", "|", "/"],
};

/** What the name of a colour scheme says: for which background it is, and whether it keeps to the sixteen colours that the terminal defines. */
export interface ThemeChoice {
  readonly brightness: Brightness | undefined;
  readonly isAnsi: boolean;
}

export const themeChoice = (name: string): ThemeChoice => ({
  brightness: /light|day|latte/i.test(name) ? "light" : /dark|night|mocha/i.test(name) ? "dark" : undefined,
  isAnsi: /ansi/i.test(name),
});

export interface ThemeOptions {
  readonly brightness: Brightness;
  readonly depth: Depth;
  readonly ascii?: boolean;
  readonly spoken?: boolean;
}

export function createTheme({ brightness, depth, ascii = false, spoken = false }: ThemeOptions): Theme {
  const palette = paletteFor(brightness, depth);
  return {
    brightness,
    depth,
    spoken,
    marks: ascii ? asciiMarks : unicode,
    paint: (line) => line.map((span) => paintSpan(span, palette)).join(""),
  };
}

interface Palette {
  readonly colors: Readonly<Record<Color, string>>;
  readonly backgrounds: Readonly<Record<Background, string>>;
}

/** Everything that is drawn passes through here: uncleaned text cannot control the terminal either. */
function paintSpan({ text: given, style }: Span, palette: Palette): string {
  const text = cleanLine(given);
  if (style === undefined || text === "") return text;
  const codes = codesOf(style, palette);
  return codes === "" ? text : `\u001b[${codes}m${text}\u001b[0m`;
}

function codesOf(style: Style, { colors, backgrounds }: Palette): string {
  const codes = [
    style.bold === true ? "1" : "",
    style.dim === true ? "2" : "",
    style.italic === true ? "3" : "",
    style.underline === true ? "4" : "",
    style.strike === true ? "9" : "",
    style.color === undefined ? "" : colors[style.color],
    style.background === undefined ? "" : backgrounds[style.background],
  ];
  return codes.filter((code) => code !== "").join(";");
}

const noBackgrounds: Palette["backgrounds"] = { added: "", removed: "", user: "", selected: "" };

function paletteFor(brightness: Brightness, depth: Depth): Palette {
  if (depth === 1) return withoutColours;
  const colors = depth === 4 ? sixteen[brightness] : table[brightness];
  if (depth === 4) return { colors, backgrounds: noBackgrounds };
  return { colors, backgrounds: depth === 8 ? tableBackgrounds[brightness] : fullBackgrounds[brightness] };
}

/** Only bold and underline are left; selections are shown by symbols. */
const withoutColours: Palette = {
  colors: {
    accent: "",
    success: "",
    danger: "",
    warning: "",
    muted: "2",
    code: "",
    heading: "1",
    link: "4",
    keyword: "",
    string: "",
    number: "",
    comment: "2",
    added: "",
    removed: "",
  },
  backgrounds: noBackgrounds,
};

/** Users may redefine the sixteen ANSI colours, so they suit most terminals. */
const sixteenDark: Palette["colors"] = {
  accent: "36",
  success: "32",
  danger: "31",
  warning: "33",
  muted: "2",
  code: "36",
  heading: "1;35",
  link: "4;34",
  keyword: "35",
  string: "32",
  number: "33",
  comment: "2",
  added: "32",
  removed: "31",
};
const sixteen: Readonly<Record<Brightness, Palette["colors"]>> = {
  dark: sixteenDark,
  light: { ...sixteenDark, accent: "34", warning: "35", code: "34", number: "34" },
};

const table: Readonly<Record<Brightness, Palette["colors"]>> = {
  dark: {
    accent: "38;5;80",
    success: "38;5;114",
    danger: "38;5;210",
    warning: "38;5;221",
    muted: "38;5;245",
    code: "38;5;117",
    heading: "1;38;5;183",
    link: "4;38;5;111",
    keyword: "38;5;176",
    string: "38;5;150",
    number: "38;5;216",
    comment: "38;5;243",
    added: "38;5;157",
    removed: "38;5;217",
  },
  light: {
    accent: "38;5;30",
    success: "38;5;28",
    danger: "38;5;160",
    warning: "38;5;130",
    muted: "38;5;242",
    code: "38;5;24",
    heading: "1;38;5;90",
    link: "4;38;5;25",
    keyword: "38;5;90",
    string: "38;5;28",
    number: "38;5;130",
    comment: "38;5;245",
    added: "38;5;22",
    removed: "38;5;88",
  },
};

const tableBackgrounds: Readonly<Record<Brightness, Palette["backgrounds"]>> = {
  dark: { added: "48;5;22", removed: "48;5;52", user: "48;5;236", selected: "48;5;238" },
  light: { added: "48;5;194", removed: "48;5;224", user: "48;5;255", selected: "48;5;253" },
};
const fullBackgrounds: Readonly<Record<Brightness, Palette["backgrounds"]>> = {
  dark: { added: "48;2;24;52;36", removed: "48;2;66;30;34", user: "48;2;44;47;54", selected: "48;2;54;58;67" },
  light: { added: "48;2;222;246;228", removed: "48;2;253;228;228", user: "48;2;240;241;244", selected: "48;2;225;229;236" },
};

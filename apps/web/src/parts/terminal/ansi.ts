/** Turns a command's output into lines of styled text. Understands colours and line rewriting; all other control sequences are dropped. */

export interface Span {
  readonly text: string;
  /** Class names of the terminal palette, or empty. */
  readonly style: string;
  readonly color?: string;
  readonly background?: string;
}
export type Line = readonly Span[];

interface Pen {
  readonly flags: ReadonlySet<"bold" | "dim" | "italic" | "underline" | "strike" | "inverse">;
  readonly fg: string | null;
  readonly bg: string | null;
}
const plain: Pen = { flags: new Set(), fg: null, bg: null };

// CSI sequences, OSC strings (title, links), other escapes; then the controls that move within a line.
const escapes = /\x1b\[([0-9;:?<>=!]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)|\x1b[PX^_][^\x1b]*(?:\x1b\\|$)|\x1b[ -/]*[0-~]|\x1b/g;

export function parseAnsi(output: string, maxLines = 20_000): readonly Line[] {
  const lines: Span[][] = [[]];
  let pen = plain;
  let at = 0;
  const write = (text: string): void => writeText(lines, text, pen);
  for (const match of output.matchAll(escapes)) {
    write(output.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") pen = applySgr(pen, match[1] ?? "");
  }
  write(output.slice(at));
  if (lines.length > 1 && lines.at(-1)?.length === 0) lines.pop();
  return lines.length > maxLines ? lines.slice(-maxLines) : lines;
}

function writeText(lines: Span[][], text: string, pen: Pen): void {
  if (text === "") return;
  const rows = text.replace(/\r+\n/g, "\n").split("\n");
  rows.forEach((row, index) => {
    if (index > 0) lines.push([]);
    // A lone carriage return restarts the line: progress bars show their last state.
    const restart = row.lastIndexOf("\r");
    if (restart !== -1 && restart < row.length - 1) lines[lines.length - 1] = [];
    const visible = (
      restart === -1
        ? row
        : restart === row.length - 1
          ? row.slice(row.lastIndexOf("\r", restart - 1) + 1, restart)
          : row.slice(restart + 1)
    )
      .replace(/.\x08/g, "")
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, "");
    if (visible !== "") lines[lines.length - 1]?.push(span(visible, pen));
  });
}

function span(text: string, pen: Pen): Span {
  const inverse = pen.flags.has("inverse");
  const fg = inverse ? (pen.bg ?? "0") : pen.fg;
  const bg = inverse ? (pen.fg ?? "7") : pen.bg;
  const classes = [...pen.flags].filter((f) => f !== "inverse").map((f) => `t-${f}`);
  if (fg !== null && !fg.startsWith("#")) classes.push(`t-fg-${fg}`);
  if (bg !== null && !bg.startsWith("#")) classes.push(`t-bg-${bg}`);
  return {
    text,
    style: classes.join(" "),
    ...(fg?.startsWith("#") === true ? { color: fg } : {}),
    ...(bg?.startsWith("#") === true ? { background: bg } : {}),
  };
}

const flagOn: Readonly<Record<number, "bold" | "dim" | "italic" | "underline" | "strike" | "inverse">> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  7: "inverse",
  9: "strike",
};
const flagOff: Readonly<Record<number, readonly string[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
  29: ["strike"],
};

function applySgr(pen: Pen, parameters: string): Pen {
  const codes = parameters === "" ? [0] : parameters.split(/[;:]/).map((c) => Number(c) || 0);
  let next = pen;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    const on = flagOn[code];
    const off = flagOff[code];
    if (code === 0) next = plain;
    else if (on !== undefined) next = { ...next, flags: new Set([...next.flags, on]) };
    else if (off !== undefined) next = { ...next, flags: new Set([...next.flags].filter((f) => !off.includes(f))) };
    else if (code === 38 || code === 48) {
      const [color, used] = extendedColor(codes.slice(i + 1));
      i += used;
      next = code === 38 ? { ...next, fg: color } : { ...next, bg: color };
    } else if (code === 39) next = { ...next, fg: null };
    else if (code === 49) next = { ...next, bg: null };
    else if (code >= 30 && code <= 37) next = { ...next, fg: String(code - 30) };
    else if (code >= 40 && code <= 47) next = { ...next, bg: String(code - 40) };
    else if (code >= 90 && code <= 97) next = { ...next, fg: String(code - 82) };
    else if (code >= 100 && code <= 107) next = { ...next, bg: String(code - 92) };
  }
  return next;
}

function extendedColor(rest: readonly number[]): [string | null, number] {
  if (rest[0] === 5) return [indexedColor(rest[1] ?? 0), 2];
  if (rest[0] === 2) return [hex(rest[1] ?? 0, rest[2] ?? 0, rest[3] ?? 0), 4];
  return [null, rest.length];
}

function indexedColor(index: number): string {
  if (index < 16) return String(Math.max(0, index));
  if (index >= 232) {
    const grey = 8 + (Math.min(index, 255) - 232) * 10;
    return hex(grey, grey, grey);
  }
  const cube = index - 16;
  const level = (n: number): number => (n === 0 ? 0 : 55 + n * 40);
  return hex(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

const hex = (r: number, g: number, b: number): string =>
  `#${[r, g, b].map((n) => Math.min(255, Math.max(0, n)).toString(16).padStart(2, "0")).join("")}`;

/** Only the text, for copying and for one-line summaries. */
export const plainText = (lines: readonly Line[]): string => lines.map((line) => line.map((s) => s.text).join("")).join("\n");

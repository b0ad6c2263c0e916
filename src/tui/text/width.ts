/** How many columns text takes in a terminal. */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const ascii = /^[\x20-\x7e]*$/;
const invisible = /^[\p{Default_Ignorable_Code_Point}\p{Control}\p{Mark}\p{Surrogate}]+$/u;
const emoji = /^\p{RGI_Emoji}$/v;

/** Starts and ends of the ranges that East Asian fonts draw two columns wide; emoji are recognized by their own property. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/** The graphemes that a cursor steps over as one. */
export function graphemes(text: string): string[] {
  return ascii.test(text) ? [...text] : Array.from(segmenter.segment(text), (piece) => piece.segment);
}

/** The width of a tab in a text that is being written. */
export const tab = "    ";

export function graphemeWidth(piece: string): number {
  if (piece === "\t") return tab.length;
  const code = piece.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f && piece.length === 1) return 1;
  if (invisible.test(piece)) return 0;
  if (emoji.test(piece) || /^\p{Emoji_Presentation}/u.test(piece)) return 2;
  return wide.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const piece of graphemes(text)) width += graphemeWidth(piece);
  return width;
}

/** The longest prefix that fits, never half a character. */
export function cut(text: string, width: number): string {
  if (ascii.test(text)) return text.slice(0, Math.max(0, width));
  let used = 0;
  let end = 0;
  for (const piece of graphemes(text)) {
    used += graphemeWidth(piece);
    if (used > width) break;
    end += piece.length;
  }
  return text.slice(0, end);
}

/** Cut with an ellipsis at the end if it does not fit. */
export function shorten(text: string, width: number): string {
  return textWidth(text) <= width ? text : width < 1 ? "" : `${cut(text, width - 1)}…`;
}

/** Cut in the middle: the ends of a path are the most informative. */
export function shortenMiddle(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width < 5) return shorten(text, width);
  const head = Math.floor((width - 1) / 3);
  const pieces = graphemes(text);
  let tail = "";
  let used = 0;
  for (let i = pieces.length - 1; i >= 0; i--) {
    const piece = pieces[i] ?? "";
    used += graphemeWidth(piece);
    if (used > width - 1 - head) break;
    tail = piece + tail;
  }
  return `${cut(text, head)}…${tail}`;
}

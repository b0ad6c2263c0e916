/** Styled text as data: spans make lines, lines make what is drawn. Colours are roles; the theme maps them to actual colours. */
import { cut, graphemes, graphemeWidth, textWidth } from "./width.ts";

export type Color =
  | "accent"
  | "success"
  | "danger"
  | "warning"
  | "muted"
  | "code"
  | "heading"
  | "link"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "added"
  | "removed";
export type Background = "added" | "removed" | "user" | "selected";

export interface Style {
  readonly color?: Color | undefined;
  readonly background?: Background | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly underline?: boolean | undefined;
  readonly strike?: boolean | undefined;
}
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}
export type Line = readonly Span[];

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style });
export const line = (text: string, style?: Style): Line => [span(text, style)];
export const muted = (text: string): Span => span(text, { color: "muted" });
export const bold = (text: string): Span => span(text, { bold: true });
export const empty: Line = [];

export const lineText = (of: Line): string => of.map((s) => s.text).join("");
export const lineWidth = (of: Line): number => of.reduce((sum, s) => sum + textWidth(s.text), 0);
export const restyle = (of: Line, style: Style): Line => of.map((s) => ({ text: s.text, style: { ...style, ...s.style } }));

/** Prefixes the first line with one thing and the rest with another. */
export function prefixed(lines: readonly Line[], first: Line, rest: Line = [span(" ".repeat(lineWidth(first)))]): Line[] {
  return lines.map((of, i) => [...(i === 0 ? first : rest), ...of]);
}

/** The part of a line that fits, with an ellipsis where it was cut. */
export function truncate(of: Line, width: number): Line {
  if (lineWidth(of) <= width) return of;
  const out: Span[] = [];
  let room = width - 1;
  for (const { text, style } of of) {
    const part = cut(text, room);
    if (part !== "") out.push({ text: part, style });
    room -= textWidth(part);
    if (part.length < text.length) break;
  }
  return width < 1 ? [] : [...out, span("…", out.at(-1)?.style)];
}

/** Pads with spaces up to the width, in their own style. */
export function padded(of: Line, width: number, style?: Style): Line {
  const room = width - lineWidth(of);
  return room <= 0 ? of : [...of, span(" ".repeat(room), style)];
}

/** Breaks between words, or inside one that is longer than a line; spaces at a break are dropped, leading ones stay. */
export function wrap(of: Line, width: number): Line[] {
  const room = Math.max(1, width);
  if (lineWidth(of) <= room) return [of];
  const wrapper = new Wrapper(room);
  for (const { text, style } of of) for (const word of text.split(/(\s+)/)) if (word !== "") wrapper.add(word, style);
  return wrapper.end();
}

/** Spans are collected until a space ends the word: a word may change its style in the middle. */
class Wrapper {
  readonly #width: number;
  readonly #lines: Line[] = [];
  #line: Span[] = [];
  #used = 0;
  #word: Span[] = [];
  #wordWidth = 0;
  #space: Span[] = [];

  constructor(width: number) {
    this.#width = width;
  }
  add(text: string, style: Style | undefined): void {
    if (/^\s/.test(text)) {
      this.#endWord();
      this.#space.push(span(text, style));
      return;
    }
    this.#word.push(span(text, style));
    this.#wordWidth += textWidth(text);
  }
  end(): Line[] {
    this.#endWord();
    if (this.#line.length > 0 || this.#lines.length === 0) this.#lines.push(this.#line);
    return this.#lines;
  }

  #endWord(): void {
    if (this.#word.length === 0) return;
    const space = lineWidth(this.#space);
    if (this.#used + space + this.#wordWidth <= this.#width) {
      this.#put([...this.#space, ...this.#word], space + this.#wordWidth);
    } else {
      if (this.#used > 0) this.#break();
      else if (space < this.#width && this.#lines.length === 0) this.#put(this.#space, space);
      this.#putBroken();
    }
    this.#space = [];
    this.#word = [];
    this.#wordWidth = 0;
  }
  #put(spans: readonly Span[], width: number): void {
    this.#line.push(...spans);
    this.#used += width;
  }
  #break(): void {
    this.#lines.push(this.#line);
    this.#line = [];
    this.#used = 0;
  }
  #putBroken(): void {
    if (this.#used + this.#wordWidth <= this.#width) return this.#put(this.#word, this.#wordWidth);
    for (const { text, style } of this.#word) {
      let part = "";
      for (const piece of graphemes(text)) {
        const width = graphemeWidth(piece);
        if (this.#used + width > this.#width && this.#used > 0) {
          if (part !== "") this.#line.push(span(part, style));
          part = "";
          this.#break();
        }
        part += piece;
        this.#used += width;
      }
      if (part !== "") this.#line.push(span(part, style));
    }
  }
}

export const wrapAll = (lines: readonly Line[], width: number): Line[] => lines.flatMap((of) => wrap(of, width));

/** Markdown as terminal lines. The text has been cleaned before; links show their target, so that no text can hide it. */
import { marked, type Token, type Tokens } from "marked";
import { expandTabs } from "../../lib/terminal-text.ts";
import { highlight } from "./code.ts";
import { type Line, line, lineWidth, muted, prefixed, restyle, type Span, type Style, span, wrap } from "./spans.ts";
import { tableLines } from "./table.ts";

/** Blocks of Markdown text; unclosed ones count as closed at the end. */
export const blocksOf = (text: string): Token[] => marked.lexer(text, { gfm: true });

export function markdownLines(text: string, width: number): Line[] {
  const out: Line[] = [];
  for (const block of blocksOf(text)) {
    if (block.type === "space" || block.type === "def") continue;
    const lines = blockLines(block, Math.max(8, width));
    if (lines.length === 0) continue;
    if (out.length > 0) out.push([]);
    out.push(...lines);
  }
  return out;
}

function blockLines(token: Token, width: number): Line[] {
  switch (token.type) {
    case "heading":
      return splitLines(heading(token as Tokens.Heading)).flatMap((of) => wrap(of, width));
    case "code":
      return codeLines(token as Tokens.Code, width);
    case "blockquote": {
      const inner = nested((token as Tokens.Blockquote).tokens, width - 2);
      return prefixed(
        inner.map((of) => restyle(of, { italic: true, color: "muted" })),
        [muted("│ ")],
        [muted("│ ")],
      );
    }
    case "list":
      return listLines(token as Tokens.List, width);
    case "table":
      return tableLines(cellsOf(token as Tokens.Table), width, (token as Tokens.Table).align);
    case "hr":
      return [line("─".repeat(Math.min(width, 40)), { color: "muted" })];
    case "html":
      return token.raw
        .trimEnd()
        .split("\n")
        .flatMap((text) => wrap(line(text, { color: "muted" }), width));
    default:
      return paragraphLines(token, width);
  }
}

function paragraphLines(token: Token, width: number): Line[] {
  const inner = "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : [span(token.raw)];
  return splitLines(inner).flatMap((of) => wrap(of, width));
}

const heading = (token: Tokens.Heading): Line => restyle(inline(token.tokens), token.depth <= 2 ? { color: "heading" } : { bold: true });

function codeLines(token: Tokens.Code, width: number): Line[] {
  const language = token.lang?.trim().split(/\s/)[0];
  return token.text.split("\n").flatMap((text) => indented(highlight(expandTabs(text), language), width));
}

/** Long lines of code are wrapped: what is cut off cannot be copied. */
function indented(of: Line, width: number): Line[] {
  return prefixed(wrap(of, width - 2), [span("  ")], [span("  ")]);
}

function listLines(list: Tokens.List, width: number): Line[] {
  const first = typeof list.start === "number" ? list.start : 1;
  return list.items.flatMap((item, i) => {
    const mark = list.ordered ? `${first + i}. ` : "• ";
    const task = item.task ? [span(item.checked === true ? "☑ " : "☐ ")] : [];
    const head: Line = [span(mark, { color: "accent" }), ...task];
    const tokens = item.task ? item.tokens.filter((token) => token.type !== "checkbox") : item.tokens;
    const inner = nested(tokens, width - lineWidth(head));
    return prefixed(inner.length === 0 ? [[]] : inner, head);
  });
}

/** The blocks inside a list item or a quote: without blank lines, as lists are usually set. */
function nested(tokens: readonly Token[], width: number): Line[] {
  return tokens.flatMap((token) => (token.type === "space" ? [] : blockLines(token, Math.max(8, width))));
}

function cellsOf(token: Tokens.Table): Line[][] {
  return [
    token.header.map((cell) => restyle(inline(cell.tokens), { bold: true })),
    ...token.rows.map((row) => row.map((cell) => inline(cell.tokens))),
  ];
}

/** A line break inside a paragraph is kept: models mean it. */
function splitLines(of: Line): Line[] {
  const lines: Span[][] = [[]];
  for (const { text, style } of of)
    for (const [i, part] of text.split("\n").entries()) {
      if (i > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push(span(part, style));
    }
  return lines;
}

function inline(tokens: readonly Token[], style: Style = {}): Line {
  return tokens.flatMap((token) => inlineSpans(token, style));
}

function inlineSpans(token: Token, style: Style): Line {
  switch (token.type) {
    case "strong":
      return inline((token as Tokens.Strong).tokens, { ...style, bold: true });
    case "em":
      return inline((token as Tokens.Em).tokens, { ...style, italic: true });
    case "del":
      return inline((token as Tokens.Del).tokens, { ...style, strike: true });
    case "codespan":
      return [span((token as Tokens.Codespan).text, { ...style, color: "code" })];
    case "br":
      return [span("\n")];
    case "link":
      return linkSpans(token as Tokens.Link, style);
    case "image":
      return [span(`[image: ${(token as Tokens.Image).text || (token as Tokens.Image).href}]`, { ...style, color: "muted" })];
    case "escape":
      return [span((token as Tokens.Escape).text, style)];
    default:
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens, style) : [span(textOf(token), style)];
  }
}

const textOf = (token: Token): string => ("text" in token && typeof token.text === "string" ? token.text : token.raw);

function linkSpans(token: Tokens.Link, style: Style): Line {
  const label = inline(token.tokens, { ...style, color: "link" });
  const text = label.map((part) => part.text).join("");
  const isSame = text === token.href || `mailto:${text}` === token.href || `http://${text}` === token.href;
  return isSame ? label : [...label, span(` (${token.href})`, { ...style, color: "muted" })];
}

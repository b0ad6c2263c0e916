/** Splits growing markdown into blocks so that each streamed piece only re-parses the last block. Never produces HTML. */
import { Lexer, type Token } from "marked";
import { type CutList, continued, grown, listCut, listPartOf, partsOfList, startAfter } from "./growing.ts";

export interface Blocks {
  readonly source: string;
  /** Blocks that later text cannot change; the same objects are reused from step to step. */
  readonly frozen: readonly Token[];
  readonly frozenLength: number;
  /** The number of the next item, if a long list was cut at the end of `frozen`. */
  readonly nextItem: CutList["start"] | undefined;
  /** The block that is still growing, and blank space after it. */
  readonly open: readonly Token[];
}

const nothing: Blocks = { source: "", frozen: [], frozenLength: 0, nextItem: undefined, open: [] };

/** The blocks of `source`; `before` is the result for an earlier, shorter version of the same text. */
export function advance(before: Blocks | undefined, source: string): Blocks {
  const base = before !== undefined && source.startsWith(before.source) ? before : nothing;
  if (base.source === source && base !== nothing) return base;
  // Offsets count the characters that the lexer sees, which knows one kind of line break.
  let rest = (source.includes("\r") ? source.replace(/\r\n?/g, "\n") : source).slice(base.frozenLength);
  const longer = grown(base.open, rest, lex);
  if (longer !== undefined) return { ...base, source, open: [longer] };
  const added: Token[] = [];
  let { nextItem, frozenLength } = base;
  const freeze = (tokens: readonly Token[], length: number): void => {
    for (const token of tokens) added.push(token);
    frozenLength += length;
    rest = rest.slice(length);
  };
  for (;;) {
    const cut = listCut(rest);
    const part = cut === 0 ? undefined : listPartOf(rest.slice(0, cut), nextItem, lex);
    if (part !== undefined) {
      freeze([part], cut);
      nextItem = startAfter(part);
      continue;
    }
    const done = continued(finished(rest), nextItem);
    if (done.length === 0) break;
    const length = done.reduce((sum, token) => sum + token.raw.length, 0);
    freeze(
      done.flatMap((token) => (token.type === "list" ? partsOfList(token, lex) : [token])),
      length,
    );
    nextItem = undefined;
  }
  return {
    source,
    frozen: added.length === 0 ? base.frozen : [...base.frozen, ...added],
    frozenLength,
    nextItem,
    open: continued(lex(rest), nextItem),
  };
}

/** The leading blocks that no later text can change: those before a blank line that is followed by another block with a complete line. */
function finished(text: string): Token[] {
  const end = text.lastIndexOf("\n\n", text.lastIndexOf("\n") - 1);
  if (end === -1) return [];
  const tokens = lex(text.slice(0, text.lastIndexOf("\n") + 1));
  let keep = 0;
  let before = "";
  tokens.forEach((token, index) => {
    if (index > 0 && token.type !== "space" && /\n[ \t]*\n$/.test(before)) keep = index;
    before = token.type === "space" ? before + token.raw : token.raw;
  });
  return tokens.slice(0, keep);
}

function lex(text: string): Token[] {
  try {
    return [...new Lexer({ gfm: true, breaks: false }).lex(text)]; // without the list of links, which is the lexer's own
  } catch {
    // The lexer refuses pathological nesting; the text is then shown as it is.
    return [{ type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text }] } as Token];
  }
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  copy: "©",
};

/** Character references are markup in markdown; their meaning is plain text. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name as string] ?? whole;
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex as string, 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}

/** An address that a click may open; anything that could run or read something is refused. */
export function safeHref(href: string): string | undefined {
  const trimmed = href.trim();
  if (!/^(https?:|mailto:)/i.test(trimmed)) return undefined;
  try {
    const url = new URL(trimmed);
    return ["http:", "https:", "mailto:"].includes(url.protocol) && url.username === "" && url.password === "" ? url.href : undefined;
  } catch {
    return undefined;
  }
}

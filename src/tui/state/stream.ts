/** Markdown while it streams: separates what can go to the scrollback for good from what may still change. */
import type { Token, Tokens } from "marked";
import { clean } from "../../lib/terminal-text.ts";
import { blocksOf } from "../text/markdown.ts";

/** A part of a message that will not change any more. A joined piece continues the one before without a blank line. */
export type Piece =
  | { readonly kind: "markdown"; readonly text: string; readonly joined: boolean }
  | { readonly kind: "code"; readonly lines: readonly string[]; readonly language: string | undefined; readonly joined: boolean };

export interface Stream {
  /** What may still change. */
  readonly rest: string;
  /** What `rest` continues: a code block that was opened by this line, or a list. */
  readonly within: { readonly kind: "code"; readonly opener: string } | { readonly kind: "list" } | undefined;
  /** Characters received so far, unchanged. */
  readonly received: number;
  /** Whether a piece was released. */
  readonly begun: boolean;
}

export const emptyStream: Stream = { rest: "", within: undefined, received: 0, begun: false };

export const append = (stream: Stream, delta: string): Stream => ({
  ...stream,
  rest: stream.rest + delta,
  received: stream.received + delta.length,
});

interface Settled {
  readonly pieces: readonly Piece[];
  readonly stream: Stream;
}

/** Releases the finished part; with `isWhole` nothing more will come and everything is finished. */
export function settle(stream: Stream, isWhole: boolean): Settled {
  const rest = clean(stream.rest);
  if (rest === "" || (!isWhole && !rest.includes("\n"))) return { pieces: [], stream };
  const pieces: Piece[] = [];
  const left = new Splitter(stream.within, (piece) => pieces.push(piece)).split(rest, isWhole);
  if (pieces.length === 0 && left.rest === rest) return { pieces, stream };
  return { pieces, stream: { ...stream, ...left, begun: stream.begun || pieces.length > 0 } };
}

/** The current unfinished part, as one text. */
export const openText = ({ rest, within }: Stream): string => (within?.kind === "code" ? `${within.opener}\n${clean(rest)}` : clean(rest));

class Splitter {
  #within: Stream["within"];
  readonly #give: (piece: Piece) => void;

  constructor(within: Stream["within"], give: (piece: Piece) => void) {
    this.#within = within;
    this.#give = give;
  }

  split(rest: string, isWhole: boolean): Pick<Stream, "rest" | "within"> {
    let text = rest;
    if (this.#within?.kind === "code") {
      const left = this.#inCode(this.#within.opener, text, isWhole);
      if (left.within !== undefined) return left;
      text = left.rest;
    }
    const tokens = blocksOf(text);
    const last = tokens.findLastIndex((token) => token.type !== "space");
    const done = tokens.slice(0, isWhole ? tokens.length : Math.max(0, last));
    for (const token of done) this.#block(token);
    const open = isWhole ? undefined : tokens[last];
    if (open === undefined) return { rest: isWhole || last < 0 ? "" : text, within: this.#within };
    return this.#open(open, text.slice(done.reduce((n, token) => n + token.raw.length, 0)));
  }

  /** The last block, which may still grow. */
  #open(token: Token, raw: string): Pick<Stream, "rest" | "within"> {
    const opener = openerOf(token.raw);
    if (token.type === "code" && opener !== undefined) {
      const newline = raw.indexOf("\n");
      if (newline < 0) return { rest: raw, within: this.#within };
      this.#within = undefined;
      return this.#inCode(opener, raw.slice(newline + 1), false, true);
    }
    if (token.type === "list" && (token as Tokens.List).items.length > 1) return this.#openList(token as Tokens.List, raw);
    if (/\n[ \t]*\n$/.test(raw) && ["paragraph", "heading", "table", "blockquote", "hr"].includes(token.type)) {
      this.#block(token);
      return { rest: "", within: undefined };
    }
    return { rest: raw, within: this.#within };
  }

  #openList(list: Tokens.List, raw: string): Pick<Stream, "rest" | "within"> {
    const finished = list.items.slice(0, -1).reduce((n, item) => n + item.raw.length, 0);
    this.#give({ kind: "markdown", text: raw.slice(0, finished), joined: this.#within?.kind === "list" });
    this.#within = { kind: "list" };
    return { rest: raw.slice(finished), within: this.#within };
  }

  #block(token: Token): void {
    if (token.type === "space" || token.type === "def") return;
    const opener = openerOf(token.raw);
    if (token.type === "code" && opener !== undefined) {
      this.#within = undefined;
      this.#inCode(opener, token.raw.slice(token.raw.indexOf("\n") + 1), true, true);
      return;
    }
    this.#give({ kind: "markdown", text: token.raw, joined: token.type === "list" && this.#within?.kind === "list" });
    this.#within = undefined;
  }

  /** Complete lines of code are final; the closing line ends the block. */
  #inCode(opener: string, body: string, isWhole: boolean, isFirst = false): Pick<Stream, "rest" | "within"> {
    const lines = body.split("\n");
    const closing = lines.findIndex((line) => closes(opener, line));
    // The last line is not complete yet: even a closing fence may turn out to be longer.
    const isClosed = closing >= 0 && (isWhole || closing < lines.length - 1);
    const whole = isClosed ? lines.slice(0, closing) : isWhole && lines.at(-1) !== "" ? lines : lines.slice(0, -1);
    if (whole.length > 0) this.#give({ kind: "code", lines: whole, language: languageOf(opener), joined: !isFirst });
    this.#within = undefined;
    if (isClosed) return { rest: lines.slice(closing + 1).join("\n"), within: undefined };
    if (isWhole) return { rest: "", within: undefined };
    if (whole.length === 0 && isFirst) return { rest: `${opener}\n${body}`, within: undefined };
    return { rest: lines.at(-1) ?? "", within: { kind: "code", opener } };
  }
}

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** The line that opens a fenced block; undefined for code that is only indented. */
function openerOf(raw: string): string | undefined {
  const [first = ""] = raw.split("\n", 1);
  return fence.test(first) ? first : undefined;
}

function closes(opener: string, line: string): boolean {
  const mark = fence.exec(opener)?.[1] ?? "```";
  const found = fence.exec(line);
  return found !== null && found[2]?.trim() === "" && (found[1]?.startsWith(mark) ?? false);
}

const languageOf = (opener: string): string | undefined => fence.exec(opener)?.[2]?.trim().split(/\s/)[0] || undefined;

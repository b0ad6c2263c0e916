/** Blocks that grow for long: a fence or a table is read on from where it was, and a long list is cut into lists of a bounded length. */
import type { Token, Tokens } from "marked";

type Lex = (text: string) => Token[];

/** A list that goes on in the next block. */
export type CutList = Tokens.List & { readonly goesOn?: true };

/** The open block of a text that has grown, without reading all of it again; undefined where it takes a look at the whole block. */
export function grown(open: readonly Token[], text: string, lex: Lex): Token | undefined {
  const [token] = open;
  if (token === undefined || open.length !== 1 || token.raw.length > text.length) return undefined;
  if (token.type === "code") return grownFence(token as Tokens.Code, text);
  return token.type === "table" ? grownTable(token as Tokens.Table, text, lex) : undefined;
}

function grownFence(token: Tokens.Code, text: string): Token | undefined {
  const head = /^(`{3,}|~{3,})[^\n]*\n/.exec(token.raw);
  if (head === null) return undefined;
  // Of a fence that has ended, the last line ends it.
  const lastLine = Math.max(head[0].length, token.raw.trimEnd().lastIndexOf("\n") + 1);
  if (new RegExp(`^ {0,3}${head[1]}[~\`]* *$`, "m").test(text.slice(lastLine))) return undefined;
  const body = text.slice(head[0].length);
  return { ...token, raw: text, text: body.endsWith("\n") ? body.slice(0, -1) : body };
}

/** Its complete rows stay the same objects, so that they are not drawn again. */
function grownTable(token: Tokens.Table, text: string, lex: Lex): Token | undefined {
  const complete = token.raw.lastIndexOf("\n") + 1;
  const head = /^[^\n]*\n[^\n]*\n/.exec(token.raw)?.[0];
  const more = text.slice(complete);
  if (head === undefined || complete < head.length || token.raw.endsWith("\n\n") || /\n[ \t]*\n/.test(more) || /^[ \t]*\n/.test(more))
    return undefined;
  const [next, ...others] = lex(head + more);
  if (next?.type !== "table" || others.length > 0) return undefined;
  const kept = token.rows.slice(0, token.rows.length - (complete === token.raw.length ? 0 : 1));
  return { ...token, raw: text, rows: [...kept, ...(next as Tokens.Table).rows] };
}

/** A longer list is cut after this many items. */
const listPart = 32;
const itemStart = /^( {0,3})(?:([-*+])|\d{1,9}([.)])) +\S/;
const ruler = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** How many characters at the beginning of the text are the first part of a long list; 0 if none are. It depends on nothing that comes later. */
export function listCut(text: string): number {
  const first = itemStart.exec(text);
  if (first === null) return 0;
  let items = 0;
  let cut = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    if (end === -1) return 0;
    const line = text.slice(at, Math.min(end, at + 200));
    const item = itemStart.exec(line);
    if (item !== null && !ruler.test(line) && item[1] === first[1]) {
      if (item[2] !== first[2] || item[3] !== first[3]) return 0;
      items++;
      if (items === listPart + 1) cut = at;
      if (items === listPart + 2) return cut;
    } else if (/^\S/.test(line)) return 0; // it may have ended
    at = end + 1;
  }
  return 0;
}

/** Cuts a list that has ended, as it was cut if it grew. */
export function partsOfList(token: Token, lex: Lex): Token[] {
  const parts: Token[] = [];
  let text = token.raw;
  let start: CutList["start"] | undefined;
  for (let cut = listCut(`${text}\n`); cut > 0; cut = listCut(`${text}\n`)) {
    const part = listPartOf(text.slice(0, cut), start, lex);
    if (part === undefined) break;
    parts.push(part);
    start = startAfter(part);
    text = text.slice(cut);
  }
  if (parts.length === 0) return [token];
  return [...parts, ...continued(lex(text), start)];
}

/** The list that this text is, as one that goes on; undefined if it is something else. */
export function listPartOf(text: string, start: CutList["start"] | undefined, lex: Lex): CutList | undefined {
  const [token, ...others] = lex(text);
  if (token?.type !== "list" || others.some(({ type }) => type !== "space")) return undefined;
  return { ...(token as Tokens.List), raw: text, goesOn: true, ...(start === undefined ? {} : { start }) };
}

export const startAfter = ({ start, items }: CutList): CutList["start"] => (start === "" ? "" : start + items.length);

/** A list that goes on from another counts on from it. */
export function continued(tokens: Token[], start: CutList["start"] | undefined): Token[] {
  const [first, ...rest] = tokens;
  return first?.type === "list" && start !== undefined && start !== "" ? [{ ...first, start }, ...rest] : tokens;
}

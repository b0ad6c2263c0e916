/** HTML as text that a model can read: headings, paragraphs, lists, links and code; no scripts, styles or navigation. One pass, no tree. */

const skipped = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "title",
  "nav",
  "footer",
  "head",
  "select",
  "object",
  "canvas",
]);
const voids = new Set(["br", "hr", "img", "input", "meta", "link", "source", "wbr", "area", "base", "col", "embed", "track"]);
const blocks = new Set(
  "p div section article main header aside ul ol dl dt dd table tr figure figcaption blockquote form fieldset details summary address".split(
    " ",
  ),
);
const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", copy: "©", reg: "®", trade: "™", hellip: "…", mdash: "—", ndash: "–" },
  ...{ lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", bull: "•", middot: "·", times: "×", rarr: "→", larr: "←" },
  ...{
    euro: "€",
    pound: "£",
    yen: "¥",
    deg: "°",
    plusmn: "±",
    le: "≤",
    ge: "≥",
    ne: "≠",
    para: "¶",
    sect: "§",
    shy: "",
    zwj: "",
    zwnj: "",
  },
};

const maxLinks = 400;

export interface Readable {
  readonly title: string;
  readonly text: string;
}

export function readableText(html: string, base: URL): Readable {
  const title = decodeEntities(/<title\b[^>]{0,500}>([^<]{0,500})/i.exec(html.slice(0, 65_536))?.[1] ?? "").trim();
  const writer = new Writer(base);
  for (const token of tokens(mainPart(html))) {
    if (token.kind === "text") writer.text(token.text);
    else if (token.kind === "open") writer.open(token.name, token.attributes);
    else writer.close(token.name);
  }
  return { title, text: writer.done() };
}

/** The part that the page marks as main, if it is long enough. */
function mainPart(html: string): string {
  for (const name of ["main", "article"]) {
    const start = html.search(new RegExp(`<${name}[\\s>]`, "i"));
    const end = start < 0 ? -1 : html.toLowerCase().lastIndexOf(`</${name}`);
    if (end > start && end - start > 500) return html.slice(start, end);
  }
  return html;
}

type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "open"; readonly name: string; readonly attributes: string }
  | { readonly kind: "close"; readonly name: string };

/** Parsing stops beyond either limit: the model is waiting. */
const most = { characters: 2_000_000, tokens: 100_000 };

/** Each character is read a bounded number of times, whatever the page contains. */
function* tokens(whole: string): Generator<Token> {
  const html = whole.slice(0, most.characters);
  const start = /<[a-zA-Z/!?]/g;
  let at = 0;
  for (let count = 0; at < html.length && count < most.tokens; count++) {
    start.lastIndex = at;
    const tag = start.exec(html)?.index ?? html.length;
    if (tag > at) yield { kind: "text", text: html.slice(at, tag) };
    if (tag === html.length) return;
    if (html.startsWith("<!--", tag)) {
      const end = html.indexOf("-->", tag + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const end = tagEnd(html, tag + 1);
    const inside = html.slice(tag + 1, end);
    const name = /^\/?([a-zA-Z][a-zA-Z0-9-]{0,63})/.exec(inside)?.[1]?.toLowerCase();
    at = end + 1;
    if (name === undefined) continue;
    if (inside.startsWith("/")) yield { kind: "close", name };
    else {
      yield { kind: "open", name, attributes: inside.slice(name.length) };
      if (name === "script" || name === "style") at = rawEnd(html, name, at);
      else if (inside.endsWith("/") && !voids.has(name)) yield { kind: "close", name };
    }
  }
}

/** The end of a tag: a `>` inside a quoted value does not count. */
function tagEnd(html: string, from: number): number {
  const close = html.indexOf(">", from);
  if (close < 0) return html.length;
  const inside = html.slice(from, close);
  if (!/["']/.test(inside)) return close;
  const found = /^(?:[^"'>]|"[^"]{0,4096}"|'[^']{0,4096}')*>/.exec(html.slice(from, from + 65_536));
  return found === null ? close : from + found[0].length - 1;
}

function rawEnd(html: string, name: string, from: number): number {
  const found = new RegExp(`</${name}`, "gi");
  found.lastIndex = from;
  return found.exec(html)?.index ?? html.length;
}

class Writer {
  readonly #base: URL;
  readonly #parts: string[] = [];
  readonly #lists: { readonly ordered: boolean; count: number }[] = [];
  #skip: string[] = [];
  #pre = 0;
  #link: { readonly href: string; readonly at: number } | undefined;
  #links = 0;

  constructor(base: URL) {
    this.#base = base;
  }

  text(raw: string): void {
    if (this.#skip.length > 0) return;
    const text = decodeEntities(raw);
    this.#parts.push(this.#pre > 0 ? text : text.replaceAll(/\s+/g, " "));
  }

  open(name: string, attributes: string): void {
    if (this.#skip.length > 0) {
      if (skipped.has(name) && this.#skip.length < 64) this.#skip.push(name);
      return;
    }
    if (skipped.has(name)) {
      this.#skip.push(name);
      return;
    }
    if (/^h[1-6]$/.test(name)) this.#parts.push("\n\n", `${"#".repeat(Number(name[1]))} `);
    else if (name === "br") this.#parts.push("\n");
    else if (name === "hr") this.#parts.push("\n\n---\n\n");
    else if (name === "li") this.#item();
    else if (name === "td" || name === "th") this.#parts.push(" | ");
    else if (name === "pre") this.#code(true);
    else if (name === "code" && this.#pre === 0) this.#parts.push("`");
    else if (name === "a") this.#link = { href: attribute(attributes, "href"), at: this.#parts.length };
    else if (name === "img") this.#image(attribute(attributes, "alt"));
    else if (blocks.has(name)) this.#parts.push("\n\n");
    if ((name === "ul" || name === "ol") && this.#lists.length < 32) this.#lists.push({ ordered: name === "ol", count: 0 });
  }

  close(name: string): void {
    const skip = this.#skip.lastIndexOf(name);
    if (this.#skip.length > 0) {
      if (skip >= 0) this.#skip = this.#skip.slice(0, skip);
      return;
    }
    if (/^h[1-6]$/.test(name)) this.#parts.push("\n\n");
    else if (name === "pre") this.#code(false);
    else if (name === "code" && this.#pre === 0) this.#parts.push("`");
    else if (name === "a") this.#linkEnd();
    else if (name === "ul" || name === "ol") this.#lists.pop();
    if (blocks.has(name)) this.#parts.push("\n\n");
  }

  done(): string {
    const lines = this.#parts.join("").split("\n");
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .replaceAll(/\n{3,}/g, "\n\n")
      .trim();
  }

  #item(): void {
    const list = this.#lists.at(-1);
    if (list !== undefined) list.count++;
    this.#parts.push("\n", "  ".repeat(Math.max(0, this.#lists.length - 1)), list?.ordered === true ? `${list.count}. ` : "- ");
  }
  #code(begins: boolean): void {
    if (!begins && this.#pre === 0) return;
    this.#pre += begins ? 1 : -1;
    this.#parts.push(begins ? "\n\n```\n" : "\n```\n\n");
  }
  #image(alt: string): void {
    if (alt !== "") this.#parts.push(`[image: ${alt}]`);
  }
  #linkEnd(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined || this.#links >= maxLinks || this.#pre > 0) return;
    const label = this.#parts.slice(link.at).join("").trim();
    const target = URL.parse(link.href, this.#base);
    if (label === "" || label.includes("\n") || target === null || !/^https?:$/.test(target.protocol) || link.href.startsWith("#")) return;
    this.#links++;
    this.#parts.splice(link.at, this.#parts.length - link.at, `[${label}](${target.href})`);
  }
}

function attribute(attributes: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]{0,4096})"|'([^']{0,4096})'|([^\\s"'>]{1,4096}))`, "i").exec(attributes);
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? "").trim();
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "";
    },
  );
}

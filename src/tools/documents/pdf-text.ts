/** Extracts the text of a PDF, page by page, for models that do not read PDFs themselves. Scanned pages have none. */
import { isList, nameOf, type PdfDict, PdfFile, PdfReader, PdfText, type PdfValue } from "./pdf-objects.ts";

const maxPages = 2000;
const maxTree = 20_000;
const maxTreeDepth = 64;
const maxPageText = 200_000;

export interface PdfPages {
  readonly count: number;
  /** From 1. */
  page(number: number): string;
}

/** Undefined for a file that is not a PDF; an error message for one that cannot be read. */
export function pdfPages(bytes: Uint8Array): PdfPages | string {
  if (!Buffer.from(bytes.subarray(0, 1024)).toString("latin1").includes("%PDF-")) return "it is not a PDF";
  const file = new PdfFile(bytes);
  if (file.isEncrypted) return "it is encrypted";
  const pages = pagesOf(file);
  if (pages.length === 0) return "it has no pages that can be found";
  return { count: pages.length, page: (number) => pageText(file, pages[number - 1] ?? new Map()) };
}

/** In reading order if the file's page tree is valid, else in the order of the file. */
function pagesOf(file: PdfFile): PdfDict[] {
  const pages: PdfDict[] = [];
  let steps = 0;
  const walk = (node: PdfDict, inherited: PdfDict, depth: number): void => {
    if (++steps > maxTree || depth > maxTreeDepth || pages.length >= maxPages) return;
    const whole = new Map([...inherited, ...node]);
    const kids = file.value(node.get("Kids"));
    if (!isList(kids)) {
      if (nameOf(node.get("Type")) !== "Catalog") pages.push(whole);
      return;
    }
    const passed = new Map([...whole].filter(([key]) => key === "Resources"));
    for (const kid of kids) walk(file.dict(kid), passed, depth + 1);
  };
  const dicts = [...file.all()].map(({ value }) => file.dict(value));
  const root = dicts.find((dict) => nameOf(dict.get("Type")) === "Catalog");
  if (root?.has("Pages") === true) walk(file.dict(root.get("Pages")), new Map(), 0);
  return pages.length > 0 ? pages : dicts.filter((dict) => nameOf(dict.get("Type")) === "Page").slice(0, maxPages);
}

type Decode = (bytes: string) => string;

function pageText(file: PdfFile, page: PdfDict): string {
  const contents = file.value(page.get("Contents"));
  const parts = isList(contents) ? contents : [page.get("Contents")];
  const content = parts
    .map((part) => {
      const object = file.object(part);
      return Buffer.from((object && file.bytesOf(object)) ?? new Uint8Array()).toString("latin1");
    })
    .join("\n");
  const fonts = file.dict(file.dict(page.get("Resources")).get("Font"));
  const decoders = new Map<string, Decode>();
  const decoderFor = (name: string): Decode => {
    const known = decoders.get(name) ?? fontDecoder(file, file.dict(fonts.get(name)));
    decoders.set(name, known);
    return known;
  };
  return written(content, decoderFor);
}

/** Interprets the text operators. Adds a line break where the position moves down, a space where it moves on by more than a letter's gap. */
function written(content: string, decoderFor: (font: string) => Decode): string {
  const reader = new PdfReader(content);
  const out: string[] = [];
  let [length, decode, operands]: [number, Decode, PdfValue[]] = [0, (bytes) => bytes, []];
  const put = (text: string): void => {
    length += text.length;
    out.push(text);
  };
  while (!reader.isDone && length < maxPageText) {
    const value = reader.value();
    if (typeof value !== "string") {
      if (operands.length < 64) operands.push(value);
      continue;
    }
    const last = operands.at(-1);
    if (value === "Tf") decode = decoderFor(nameOf(operands.at(-2)));
    else if (value === "Tj" && last instanceof PdfText) put(decode(last.bytes));
    else if ((value === "'" || value === '"') && last instanceof PdfText) put(`\n${decode(last.bytes)}`);
    else if (value === "TJ" && isList(last)) put(last.map((piece) => shown(piece, decode)).join(""));
    else if (value === "T*" || value === "ET") put("\n");
    else if (value === "Td" || value === "TD") put(last === 0 ? " " : "\n");
    else if (value === "Tm") put("\n");
    operands = [];
  }
  return out
    .join("")
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .join("\n")
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}

/** Moves in thousandths of the letter size; a fifth of it is a space. */
function shown(piece: PdfValue, decode: Decode): string {
  if (piece instanceof PdfText) return decode(piece.bytes);
  return typeof piece === "number" && piece < -200 ? " " : "";
}

/** By the font's own Unicode table, else as the usual Western one-byte encoding. */
function fontDecoder(file: PdfFile, font: PdfDict): Decode {
  const table = file.object(font.get("ToUnicode"));
  const bytes = table && file.bytesOf(table);
  if (bytes !== undefined) return byTable(unicodeTable(Buffer.from(bytes).toString("latin1")), nameOf(font.get("Subtype")) === "Type0");
  if (nameOf(font.get("Subtype")) === "Type0") return (text) => utf16(text);
  return (text) => new TextDecoder("windows-1252").decode(Buffer.from(text, "latin1"));
}

function byTable(table: ReadonlyMap<number, string>, isWide: boolean): Decode {
  const width = isWide ? 2 : 1;
  return (text) => {
    let out = "";
    for (let at = 0; at + width <= text.length; at += width) {
      const code = isWide ? text.charCodeAt(at) * 256 + text.charCodeAt(at + 1) : text.charCodeAt(at);
      out += table.get(code) ?? (isWide ? "" : String.fromCharCode(code));
    }
    return out;
  };
}

const maxMapped = 70_000;

function unicodeTable(cmap: string): Map<number, string> {
  const table = new Map<number, string>();
  const hex = (digits: string): number => Number.parseInt(digits, 16);
  for (const block of blocksOf(cmap, "bfchar"))
    for (const [, from = "", to = ""] of block.matchAll(/<([0-9a-fA-F]+)>\s*<([0-9a-fA-F\s]+)>/g))
      if (table.size < maxMapped) table.set(hex(from), utf16Hex(to));
  for (const block of blocksOf(cmap, "bfrange"))
    for (const [, from = "", to = "", start, list] of block.matchAll(
      /<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>\s*(?:<([0-9a-fA-F]+)>|\[([^\]]*)\])/g,
    )) {
      const many = list?.match(/<[0-9a-fA-F\s]*>/g)?.map((entry) => entry.slice(1, -1)) ?? [];
      for (let code = hex(from), i = 0; code <= hex(to) && table.size < maxMapped; code++, i++) {
        if (start === undefined) table.set(code, utf16Hex(many[i] ?? ""));
        else table.set(code, nextOf(utf16Hex(start), i));
      }
    }
  return table;
}

const blocksOf = (cmap: string, kind: string): string[] =>
  cmap
    .split(`begin${kind}`)
    .slice(1)
    .map((part) => part.split(`end${kind}`, 1)[0] ?? "");

/** The character `by` places after the last one of a text. */
const nextOf = (text: string, by: number): string => text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + by);
const utf16Hex = (digits: string): string => utf16(Buffer.from(digits.replaceAll(/\s/g, ""), "hex").toString("latin1"));
function utf16(bytes: string): string {
  let out = "";
  for (let at = 0; at + 1 < bytes.length; at += 2) out += String.fromCharCode(bytes.charCodeAt(at) * 256 + bytes.charCodeAt(at + 1));
  return bytes.length === 1 ? bytes : out;
}

/** Finds the objects of a PDF file by scanning it from the start: wrong or missing cross-reference tables do not matter. */
import { inflateSync } from "node:zlib";

export type PdfValue = number | string | boolean | null | PdfName | PdfRef | PdfText | readonly PdfValue[] | PdfDict;
export class PdfName {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}
export class PdfRef {
  readonly id: number;
  constructor(id: number) {
    this.id = id;
  }
}
/** The bytes of a string, one per character. */
export class PdfText {
  readonly bytes: string;
  constructor(bytes: string) {
    this.bytes = bytes;
  }
}
export type PdfDict = ReadonlyMap<string, PdfValue>;

export interface PdfObject {
  readonly value: PdfValue;
  /** As stored in the file. */
  readonly stream: Uint8Array | undefined;
}

/** The most that a file may decompress to in total; a few kilobytes can expand to gigabytes. */
const maxUnpacked = 64 * 1024 * 1024;
const maxObjects = 200_000;
const maxDepth = 50;

export class PdfFile {
  readonly #objects = new Map<number, PdfObject>();
  #unpacked = 0;
  readonly isEncrypted: boolean;

  constructor(bytes: Uint8Array) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
    this.isEncrypted = /\/Encrypt\s*(?:\d+\s+\d+\s+R|<<)/.test(text);
    const start = /(\d{1,9})\s+\d{1,5}\s+obj\b/g;
    for (let found = start.exec(text); found !== null && this.#objects.size < maxObjects; found = start.exec(text)) {
      const reader = new PdfReader(text, start.lastIndex);
      const value = reader.value();
      const stream = streamAfter(text, reader.at, value, bytes);
      this.#objects.set(Number(found[1]), { value, stream: stream?.body });
      start.lastIndex = Math.max(start.lastIndex, stream?.end ?? reader.at);
    }
    for (const object of [...this.#objects.values()]) this.#unpackObjects(object);
  }

  /** Objects packed in a stream. */
  #unpackObjects(object: PdfObject): void {
    const dict = dictOf(object.value);
    if (nameOf(dict.get("Type")) !== "ObjStm") return;
    const text = Buffer.from(this.bytesOf(object) ?? new Uint8Array()).toString("latin1");
    const first = Number(dict.get("First") ?? 0);
    const numbers = text.slice(0, first).trim().split(/\s+/).map(Number);
    for (let i = 0; i + 1 < numbers.length && this.#objects.size < maxObjects; i += 2) {
      const [id = 0, offset = 0, , next = text.length - first] = numbers.slice(i, i + 4);
      if (next <= offset) return; // they are consecutive in every valid file
      this.#objects.set(id, { value: new PdfReader(text.slice(first + offset, first + next)).value(), stream: undefined });
    }
  }

  all(): Iterable<PdfObject> {
    return this.#objects.values();
  }
  object(value: PdfValue | undefined): PdfObject | undefined {
    return value instanceof PdfRef ? this.#objects.get(value.id) : value === undefined ? undefined : { value, stream: undefined };
  }
  /** The value itself, resolving a reference. */
  value(of: PdfValue | undefined): PdfValue | undefined {
    return this.object(of)?.value;
  }
  dict(of: PdfValue | undefined): PdfDict {
    return dictOf(this.value(of));
  }

  /** The content of a stream; undefined for image encodings. */
  bytesOf({ value, stream }: PdfObject): Uint8Array | undefined {
    if (stream === undefined) return undefined;
    const filter = this.value(dictOf(value).get("Filter"));
    const filters = (isList(filter) ? filter : filter === undefined ? [] : [filter]).map((one) => nameOf(this.value(one)));
    let bytes: Uint8Array = stream;
    for (const name of filters) {
      if (name === "ASCIIHexDecode")
        bytes = Buffer.from(
          Buffer.from(bytes)
            .toString("latin1")
            .replaceAll(/[^0-9a-fA-F]/g, ""),
          "hex",
        );
      else if (name === "FlateDecode" || name === "Fl") bytes = this.#inflated(bytes);
      else return undefined;
    }
    return bytes;
  }
  #inflated(bytes: Uint8Array): Uint8Array {
    const room = maxUnpacked - this.#unpacked;
    if (room <= 0) return new Uint8Array();
    try {
      // A truncated stream gives what it has.
      const out = inflateSync(bytes, { maxOutputLength: room, finishFlush: process.getBuiltinModule("node:zlib").constants.Z_SYNC_FLUSH });
      this.#unpacked += out.length;
      return out;
    } catch (error) {
      // Decompressed up to the limit without use: a file may do that only once.
      if (error instanceof RangeError) this.#unpacked = maxUnpacked;
      return new Uint8Array();
    }
  }
}

function streamAfter(text: string, at: number, value: PdfValue, bytes: Uint8Array): { body: Uint8Array; end: number } | undefined {
  const keyword = /\s*stream\r?\n/y;
  keyword.lastIndex = at;
  if (!keyword.test(text)) return undefined;
  const start = keyword.lastIndex;
  const length = dictOf(value).get("Length");
  const declared =
    typeof length === "number" && /^\s*endstream/.test(text.slice(start + length, start + length + 16)) ? start + length : undefined;
  const end = declared ?? text.indexOf("endstream", start);
  return { body: bytes.subarray(start, end < 0 ? bytes.length : end), end: end < 0 ? text.length : end };
}

export const dictOf = (value: PdfValue | undefined): PdfDict => (value instanceof Map ? value : new Map());
export const nameOf = (value: PdfValue | undefined): string => (value instanceof PdfName ? value.name : "");
export const isList = (value: PdfValue | undefined): value is readonly PdfValue[] => Array.isArray(value);

const delimiter = /[\s()<>[\]{}/%]/;

/** Parses one value after another; an operator is returned as a bare string. */
export class PdfReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at = 0) {
    this.#text = text;
    this.at = at;
  }

  get isDone(): boolean {
    this.#space();
    return this.at >= this.#text.length;
  }

  value(depth = 0): PdfValue {
    this.#space();
    const next = this.#text[this.at];
    if (next === undefined || depth > maxDepth) {
      this.at = this.#text.length;
      return null;
    }
    if (next === "(") return this.#string();
    if (next === "[") return this.#list(depth);
    if (next === "/") return this.#name();
    if (this.#text.startsWith("<<", this.at)) return this.#dict(depth);
    if (next === "<") return this.#hex();
    return this.#token();
  }

  #space(): void {
    const space = /(?:\s+|%[^\r\n]*)*/y;
    space.lastIndex = this.at;
    space.exec(this.#text);
    this.at = Math.max(this.at, space.lastIndex);
  }

  #token(): PdfValue {
    const start = this.at;
    while (this.at < this.#text.length && !delimiter.test(this.#text[this.at] ?? " ")) this.at++;
    if (this.at === start) this.at++; // an unmatched closing bracket
    const token = this.#text.slice(start, this.at);
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(token))
      return token === "true" ? true : token === "false" ? false : token === "null" ? null : token;
    const reference = /\s+\d{1,5}\s+R(?![A-Za-z])/y;
    reference.lastIndex = this.at;
    if (!/^\d+$/.test(token) || !reference.test(this.#text)) return Number(token);
    this.at = reference.lastIndex;
    return new PdfRef(Number(token));
  }

  #name(): PdfName {
    const start = ++this.at;
    while (this.at < this.#text.length && !delimiter.test(this.#text[this.at] ?? " ")) this.at++;
    const raw = this.#text.slice(start, this.at);
    return new PdfName(raw.replaceAll(/#([0-9a-fA-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))));
  }

  #list(depth: number): PdfValue[] {
    this.at++;
    const items: PdfValue[] = [];
    for (;;) {
      this.#space();
      if (this.at >= this.#text.length) return items;
      if (this.#text[this.at] === "]") {
        this.at++;
        return items;
      }
      items.push(this.value(depth + 1));
    }
  }

  #dict(depth: number): PdfDict {
    this.at += 2;
    const dict = new Map<string, PdfValue>();
    for (;;) {
      this.#space();
      if (this.at >= this.#text.length) return dict;
      if (this.#text.startsWith(">>", this.at)) {
        this.at += 2;
        return dict;
      }
      const key = this.value(depth + 1);
      if (key instanceof PdfName) dict.set(key.name, this.value(depth + 1));
    }
  }

  #hex(): PdfText {
    const end = this.#text.indexOf(">", this.at);
    const digits = this.#text.slice(this.at + 1, end < 0 ? undefined : end).replaceAll(/[^0-9a-fA-F]/g, "");
    this.at = end < 0 ? this.#text.length : end + 1;
    return new PdfText(Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, "hex").toString("latin1"));
  }

  #string(): PdfText {
    let [out, depth] = ["", 0];
    for (; this.at < this.#text.length; this.at++) {
      const sign = this.#text[this.at] ?? "";
      if (sign === "\\") out += this.#escape();
      else if (sign === "(" && depth++ === 0) continue;
      else if (sign === ")" && --depth === 0) break;
      else out += sign;
    }
    this.at++;
    return new PdfText(out);
  }
  #escape(): string {
    const octal = /[0-7]{1,3}/y;
    octal.lastIndex = this.at + 1;
    const code = octal.exec(this.#text)?.[0];
    this.at += code?.length ?? 1;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 8) & 255);
    const sign = this.#text[this.at] ?? "";
    return { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", "\n": "", "\r": "" }[sign] ?? sign;
  }
}

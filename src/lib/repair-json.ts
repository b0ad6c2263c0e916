/** Parses JSON as weak models write it: fenced, with trailing commas, raw line breaks, a missing brace. Never guesses at truncated text. */

const maxDepth = 64;

/** Thrown inside this file only: the text cannot be parsed without guessing. */
class Unreadable extends Error {}

/**
 * The value, or undefined when the text is ambiguous. A repair never changes the inside of a string: an unterminated string, or one with
 * unescaped quotes in it, is refused.
 */
export function repairJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // parsed below
  }
  try {
    return { value: new Reader(withoutFence(text)).document() };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

/** A Markdown code fence around the text. */
export function withoutFence(text: string): string {
  const fenced = /^\s*(`{3,}|~{3,})[\w+-]*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*\1\s*$/.exec(text);
  return fenced?.[2] ?? text;
}

const literals: Readonly<Record<string, unknown>> = { true: true, True: true, false: false, False: false, null: null, None: null };
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, "");
  }

  document(): unknown {
    const value = this.#value(0);
    this.#space();
    // Some servers send an empty object before the arguments that they stream.
    if (this.#peek() === "{" && isEmptyObject(value)) return this.document();
    while (this.#take("}") || this.#take("]") || this.#take(";")) this.#space();
    if (this.#at < this.#text.length) throw new Unreadable();
    return value;
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }
  #take(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }
  #space(): void {
    while (/\s/.test(this.#peek() ?? "x")) this.#at++;
  }
  /** Consumes the text that matches `pattern` (sticky) at this position. */
  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #value(depth: number): unknown {
    if (depth > maxDepth) throw new Unreadable();
    this.#space();
    const next = this.#peek();
    if (next === "{") return this.#object(depth);
    if (next === "[") return this.#array(depth);
    if (next === '"' || next === "'") return this.#string(next);
    const number = this.#match(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,}\]]|$)/y);
    if (number !== undefined) return Number(number);
    const name = this.#match(/[A-Za-z]+(?=[\s,}\]]|$)/y);
    if (name === undefined || !Object.hasOwn(literals, name)) throw new Unreadable();
    return literals[name];
  }

  #object(depth: number): object {
    this.#at++;
    const entries: [string, unknown][] = [];
    for (this.#space(); !this.#take("}"); ) {
      const quote = this.#peek();
      const key = quote === '"' || quote === "'" ? this.#string(quote) : this.#match(/[A-Za-z_$][\w$-]*/y);
      if (key === undefined) throw new Unreadable();
      this.#space();
      if (!this.#take(":")) throw new Unreadable();
      entries.push([key, this.#value(depth + 1)]);
      if (this.#isLast("}")) break;
    }
    return Object.fromEntries(entries);
  }

  #array(depth: number): unknown[] {
    this.#at++;
    const items: unknown[] = [];
    for (this.#space(); !this.#take("]"); ) {
      items.push(this.#value(depth + 1));
      if (this.#isLast("]")) break;
    }
    return items;
  }

  /** After a member: true at the end of the text, false after a comma. A text that ends after a complete member lacks only its brackets. */
  #isLast(close: "}" | "]"): boolean {
    this.#space();
    if (this.#at >= this.#text.length) return true;
    if (this.#take(",")) {
      this.#space();
      if (this.#at >= this.#text.length) throw new Unreadable(); // truncated before the next member
      return false;
    }
    if (this.#peek() === close) return false; // consumed by the loop
    throw new Unreadable();
  }

  #string(quote: string): string {
    this.#at++;
    let out = "";
    for (;;) {
      const plain = this.#match(quote === '"' ? /[^"\\]+/y : /[^'\\]+/y);
      if (plain !== undefined) out += plain;
      if (this.#take(quote)) return out;
      if (!this.#take("\\")) throw new Unreadable(); // unterminated
      out += this.#escape();
    }
  }

  #escape(): string {
    const code = this.#match(/u[0-9a-fA-F]{4}/y);
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    const letter = this.#peek();
    if (letter === undefined) throw new Unreadable();
    this.#at++;
    if (`"'\\/`.includes(letter)) return letter;
    // An escape that JSON does not have (`\d`, `\$`) is a backslash that the model forgot to double.
    return escapes[letter] ?? `\\${letter}`;
  }
}

const isEmptyObject = (value: unknown): boolean => typeof value === "object" && value !== null && Object.keys(value).length === 0;

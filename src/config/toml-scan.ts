/** Finds the position of each line, key and value of a TOML text, so that an edit can change one of them and nothing else. */
import { parseToml } from "../lib/toml.ts";

/** A range of the text: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
/** Names, and numbers for the entries of `[[lists]]`. */
export type Path = readonly (string | number)[];

export interface Header {
  readonly kind: "header";
  readonly path: Path;
  readonly list: boolean;
  /** The full line with its line break. */
  readonly line: Span;
  /** The comments on it. */
  readonly comments: readonly string[];
}
export interface Pair {
  readonly kind: "pair";
  /** From the root. */
  readonly path: Path;
  /** The section that contains it. */
  readonly section: Path;
  readonly value: Span;
  /** Its line or lines with the line break. */
  readonly line: Span;
  /** All comments inside the value and after it, in order. */
  readonly comments: readonly string[];
  /** The entries, when the value is a list. */
  readonly items: readonly Span[] | undefined;
}
export interface Filler {
  readonly kind: "comment" | "blank";
  readonly line: Span;
}
export type Statement = Header | Pair | Filler;

/** The text must be valid TOML; for other texts the result is meaningless. */
export function scanToml(text: string): Statement[] {
  return new Scanner(text).statements();
}

class Scanner {
  readonly #text: string;
  #at: number;
  #section: Path = [];
  readonly #lengths = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith("\ufeff") ? 1 : 0;
  }

  statements(): Statement[] {
    const found: Statement[] = [];
    while (this.#at < this.#text.length) found.push(this.#statement());
    return found;
  }

  #statement(): Statement {
    const start = this.#at;
    this.#skipSpace();
    const char = this.#text[this.#at];
    if (char === undefined || char === "\n" || char === "\r") return { kind: "blank", line: this.#endLine(start) };
    if (char === "#") {
      this.#comment();
      return { kind: "comment", line: this.#endLine(start) };
    }
    return char === "[" ? this.#header(start) : this.#pair(start);
  }

  #header(start: number): Header {
    const list = this.#text.startsWith("[[", this.#at);
    this.#at += list ? 2 : 1;
    const names = this.#keyPath();
    this.#at += list ? 2 : 1;
    const path = this.#resolve(names, list);
    this.#section = path;
    const comments = this.#restOfLine();
    return { kind: "header", path, list, line: this.#endLine(start), comments };
  }

  /** Inserts the index of the newest entry after each name that is a `[[list]]`. */
  #resolve(names: readonly string[], list: boolean): Path {
    const path: (string | number)[] = [];
    for (const [i, name] of names.entries()) {
      path.push(name);
      const key = JSON.stringify(path);
      const length = this.#lengths.get(key);
      if (list && i === names.length - 1) {
        this.#lengths.set(key, (length ?? 0) + 1);
        path.push(length ?? 0);
      } else if (length !== undefined) path.push(length - 1);
    }
    return path;
  }

  #pair(start: number): Pair {
    const names = this.#keyPath();
    this.#at += 1; // the =
    this.#skipSpace();
    const valueStart = this.#at;
    const { items, comments } = this.#value();
    const value = { start: valueStart, end: this.#at };
    const after = this.#restOfLine();
    const path = [...this.#section, ...names];
    return { kind: "pair", path, section: this.#section, value, line: this.#endLine(start), comments: [...comments, ...after], items };
  }

  #keyPath(): string[] {
    const names: string[] = [];
    for (;;) {
      this.#skipSpace();
      const start = this.#at;
      const quote = this.#text[this.#at];
      if (quote === '"' || quote === "'") {
        this.#string();
        names.push(unquote(this.#text.slice(start, this.#at)));
      } else {
        while (/[A-Za-z0-9_-]/.test(this.#text[this.#at] ?? "")) this.#at++;
        names.push(this.#text.slice(start, this.#at));
      }
      this.#skipSpace();
      if (this.#text[this.#at] !== ".") return names;
      this.#at++;
    }
  }

  #value(): { items: Span[] | undefined; comments: string[] } {
    const char = this.#text[this.#at];
    if (char === "[") return this.#list();
    if (char === "{") return { items: undefined, comments: this.#inlineTable() };
    if (char === '"' || char === "'") this.#string();
    else {
      while (!/[,\]}\n\r#]|^$/.test(this.#text[this.#at] ?? "")) this.#at++;
      while (/[ \t]/.test(this.#text[this.#at - 1] ?? "")) this.#at--;
    }
    return { items: undefined, comments: [] };
  }

  #list(): { items: Span[]; comments: string[] } {
    const items: Span[] = [];
    const comments: string[] = [];
    this.#at++;
    for (;;) {
      comments.push(...this.#skipFiller());
      const char = this.#text[this.#at];
      if (char === "]" || char === undefined) break;
      if (char === ",") {
        this.#at++;
        continue;
      }
      const start = this.#at;
      comments.push(...this.#value().comments);
      items.push({ start, end: this.#at });
    }
    this.#at++;
    return { items, comments };
  }

  #inlineTable(): string[] {
    const comments: string[] = [];
    this.#at++;
    for (;;) {
      comments.push(...this.#skipFiller());
      const char = this.#text[this.#at];
      if (char === "}" || char === undefined) break;
      if (char === ",") {
        this.#at++;
        continue;
      }
      this.#keyPath();
      this.#at++;
      this.#skipSpace();
      comments.push(...this.#value().comments);
    }
    this.#at++;
    return comments;
  }

  #string(): void {
    const quote = this.#text[this.#at] ?? '"';
    const escapes = quote === '"';
    const long = this.#text.startsWith(quote.repeat(3), this.#at);
    const close = long ? quote.repeat(3) : quote;
    this.#at += close.length;
    while (this.#at < this.#text.length && !this.#text.startsWith(close, this.#at))
      this.#at += escapes && this.#text[this.#at] === "\\" ? 2 : 1;
    this.#at += close.length;
    // A multi-line string may end in up to two quotes of its own.
    while (long && this.#text[this.#at] === quote) this.#at++;
  }

  #comment(): string {
    const start = this.#at;
    while (this.#at < this.#text.length && this.#text[this.#at] !== "\n") this.#at++;
    if (this.#text[this.#at - 1] === "\r") this.#at--;
    return this.#text.slice(start, this.#at);
  }

  #skipFiller(): string[] {
    const comments: string[] = [];
    for (;;) {
      while (/[ \t\n\r]/.test(this.#text[this.#at] ?? "")) this.#at++;
      if (this.#text[this.#at] !== "#") return comments;
      comments.push(this.#comment());
    }
  }

  #skipSpace(): void {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
  }
  #restOfLine(): string[] {
    this.#skipSpace();
    return this.#text[this.#at] === "#" ? [this.#comment()] : [];
  }
  #endLine(start: number): Span {
    if (this.#text[this.#at] === "\r") this.#at++;
    if (this.#text[this.#at] === "\n") this.#at++;
    return { start, end: this.#at };
  }
}

function unquote(key: string): string {
  const [name = ""] = Object.keys(parseToml(`${key} = 0`));
  return name;
}

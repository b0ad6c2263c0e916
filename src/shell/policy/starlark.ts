/** Parses the subset of Starlark that `.rules` files use: calls with named arguments, strings, lists, variables, and `+`. */

export type Value = string | boolean | null | readonly Value[];

export interface Call {
  readonly name: string;
  readonly args: ReadonlyMap<string, Value>;
  readonly line: number;
}

/** A mistake in a rules file, with its file, line and column. */
export class RulesError extends Error {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  constructor(file: string, { line, column }: Place, message: string) {
    super(`${file}:${line}: ${message}`);
    this.name = "RulesError";
    this.file = file;
    this.line = line;
    this.column = column;
  }
}

/** All calls of the file in order. Throws RulesError at the first syntax error. */
export function parseCalls(text: string, file: string): Call[] {
  return new Parser(tokenize(text, file), file).file();
}

/** Both count from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

interface Token extends Place {
  readonly kind: "name" | "string" | "mark" | "newline" | "end";
  readonly text: string;
}

const maxNesting = 20;

const pieces = [
  /(?<blank>[ \t\r]+|\\\r?\n|#[^\n]*)/,
  /(?<newline>\n)/,
  /(?<string>r?"""[\s\S]*?"""|r?'''[\s\S]*?'''|r?"(?:[^"\\\n]|\\[\s\S])*"|r?'(?:[^'\\\n]|\\[\s\S])*')/,
  /(?<name>[A-Za-z_]\w*)/,
  /(?<mark>[()[\],=+])/,
];

function tokenize(text: string, file: string): Token[] {
  const piece = new RegExp(pieces.map((pattern) => pattern.source).join("|"), "y");
  const tokens: Token[] = [];
  let line = 1;
  let lineStart = 0;
  let depth = 0;
  while (piece.lastIndex < text.length) {
    const at = piece.lastIndex;
    const place = { line, column: at - lineStart + 1 };
    const found = piece.exec(text);
    if (found === null) {
      const what = /^r?["']/.test(text.slice(at)) ? "a string without its closing quote" : `unexpected ${JSON.stringify(text.charAt(at))}`;
      throw new RulesError(file, place, what);
    }
    const { string, name, mark, newline } = found.groups ?? {};
    if (string !== undefined) tokens.push({ kind: "string", text: decodeString(string, file, place), ...place });
    else if (name !== undefined) tokens.push({ kind: "name", text: name, ...place });
    else if (mark !== undefined) {
      if (mark === "(" || mark === "[") depth++;
      if (mark === ")" || mark === "]") depth = Math.max(0, depth - 1);
      tokens.push({ kind: "mark", text: mark, ...place });
    } else if (newline !== undefined && depth === 0) tokens.push({ kind: "newline", text: "end of line", ...place });
    line += found[0].split("\n").length - 1;
    if (found[0].includes("\n")) lineStart = at + found[0].lastIndexOf("\n") + 1;
  }
  const end = { text: "end of file", line, column: text.length - lineStart + 1 };
  return [...tokens, { kind: "newline", ...end }, { kind: "end", ...end }];
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"', "\n": "" };

function decodeString(written: string, file: string, place: Place): string {
  const isRaw = written.startsWith("r");
  const quoted = isRaw ? written.slice(1) : written;
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const body = quoted.slice(width, -width);
  if (isRaw) return body;
  return body.replaceAll(/\\([\s\S])/g, (_, char: string) => {
    const value = Object.hasOwn(escapes, char) ? escapes[char] : undefined;
    if (value === undefined) throw new RulesError(file, place, `unknown escape \\${char} in a string (use \\\\ for a backslash)`);
    return value;
  });
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #file: string;
  readonly #values = new Map<string, Value>([
    ["True", true],
    ["False", false],
    ["None", null],
  ]);
  #at = 0;

  constructor(tokens: readonly Token[], file: string) {
    this.#tokens = tokens;
    this.#file = file;
  }

  file(): Call[] {
    const calls: Call[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === "end") return calls;
      if (token.kind === "newline") continue;
      if (token.kind !== "name") this.#fail(token, `expected the name of a rule, found ${describe(token)}`);
      const after = this.#next();
      if (after.text === "=" && after.kind === "mark") this.#values.set(token.text, this.#expression(0));
      else if (after.text === "(" && after.kind === "mark") calls.push({ name: token.text, args: this.#arguments(), line: token.line });
      else this.#fail(after, `expected "(" after ${token.text}, found ${describe(after)}`);
      const end = this.#next();
      if (end.kind !== "newline") this.#fail(end, `expected the end of the line, found ${describe(end)}`);
    }
  }

  #arguments(): Map<string, Value> {
    const args = new Map<string, Value>();
    while (!this.#takeMark(")")) {
      const name = this.#next();
      if (name.kind !== "name" || !this.#takeMark("=")) this.#fail(name, "arguments are written as name=value");
      if (args.has(name.text)) this.#fail(name, `argument ${name.text} is given twice`);
      args.set(name.text, this.#expression(0));
      if (this.#takeMark(")")) break;
      if (!this.#takeMark(",")) this.#fail(this.#peek(), `expected "," or ")", found ${describe(this.#peek())}`);
    }
    return args;
  }

  #expression(depth: number): Value {
    let value = this.#term(depth);
    while (this.#takeMark("+")) {
      const token = this.#peek();
      const more = this.#term(depth);
      if (typeof value === "string" && typeof more === "string") value += more;
      else if (Array.isArray(value) && Array.isArray(more)) value = [...value, ...more];
      else this.#fail(token, '"+" joins two strings or two lists');
    }
    return value;
  }

  #term(depth: number): Value {
    const token = this.#next();
    if (depth > maxNesting) this.#fail(token, "nested too deeply");
    if (token.kind === "string") return token.text;
    if (token.kind === "name") {
      const value = this.#values.get(token.text);
      if (value === undefined) this.#fail(token, `${token.text} is not defined`);
      return value;
    }
    if (token.text !== "[" && token.text !== "(") this.#fail(token, `expected a value, found ${describe(token)}`);
    const close = token.text === "[" ? "]" : ")";
    const items: Value[] = [];
    let isList = close === "]";
    while (!this.#takeMark(close)) {
      items.push(this.#expression(depth + 1));
      if (this.#takeMark(close)) break;
      if (!this.#takeMark(",")) this.#fail(this.#peek(), `expected "," or "${close}", found ${describe(this.#peek())}`);
      isList = true;
    }
    // Parentheses around a single value only group it.
    return isList || items.length !== 1 ? items : (items[0] ?? null);
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: "end", text: "end of file", line: 0, column: 1 };
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #takeMark(mark: string): boolean {
    const token = this.#peek();
    if (token.kind !== "mark" || token.text !== mark) return false;
    this.#at++;
    return true;
  }

  #fail(token: Token, message: string): never {
    throw new RulesError(this.#file, token, message);
  }
}

const describe = (token: Token): string =>
  token.kind === "string" ? JSON.stringify(token.text) : token.kind === "mark" ? `"${token.text}"` : token.text;

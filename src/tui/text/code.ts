/** Colours for code blocks: strings, comments, numbers and keywords of common languages, line by line so that it works while text streams. */
import { type Line, type Span, type Style, span } from "./spans.ts";

interface Language {
  readonly keywords: ReadonlySet<string>;
  /** Starts a comment that runs to the end of the line. */
  readonly comments: readonly string[];
  /** Quotes that open a string. */
  readonly quotes: string;
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const cLike =
  "break case catch class const continue default do else enum export extends finally for if import in new return static super switch this throw try typeof var void while";

const script: Language = {
  keywords: wordSet(
    `${cLike} abstract as async await declare function implements interface instanceof keyof let namespace of private protected public readonly satisfies type undefined null true false yield from delete`,
  ),
  comments: ["//"],
  quotes: "\"'`",
};
const python: Language = {
  keywords: wordSet(
    "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case self",
  ),
  comments: ["#"],
  quotes: "\"'",
};
const shell: Language = {
  keywords: wordSet(
    "if then else elif fi for in do done while until case esac function return local export set unset source exit echo cd sudo",
  ),
  comments: ["#"],
  quotes: "\"'",
};
const rust: Language = {
  keywords: wordSet(
    "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while Some None Ok Err",
  ),
  comments: ["//"],
  quotes: '"',
};
const go: Language = {
  keywords: wordSet(
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false string int error bool",
  ),
  comments: ["//"],
  quotes: "\"'`",
};
const cFamily: Language = {
  keywords: wordSet(
    `${cLike} auto bool char double float int long short signed unsigned struct union sizeof typedef namespace template using virtual override public private protected include define true false null nullptr final package boolean string async await let fun val when object data sealed`,
  ),
  comments: ["//"],
  quotes: "\"'",
};
const ruby: Language = {
  keywords: wordSet(
    "begin class def do else elsif end ensure false if in module next nil not or require rescue return self super then true unless until when while yield puts",
  ),
  comments: ["#"],
  quotes: "\"'",
};
const sql: Language = {
  keywords: wordSet(
    "select from where insert into values update set delete create table alter drop index join left right inner outer on group by order having limit and or not null as distinct union primary key references SELECT FROM WHERE INSERT INTO VALUES UPDATE SET DELETE CREATE TABLE ALTER DROP INDEX JOIN LEFT RIGHT INNER OUTER ON GROUP BY ORDER HAVING LIMIT AND OR NOT NULL AS DISTINCT UNION PRIMARY KEY REFERENCES",
  ),
  comments: ["--"],
  quotes: "'",
};
const data: Language = { keywords: wordSet("true false null yes no on off"), comments: ["#", "//"], quotes: "\"'" };

const languages: Readonly<Record<string, Language>> = {
  ...named(script, "js jsx ts tsx javascript typescript mjs cjs mts cts"),
  ...named(python, "py python python3"),
  ...named(shell, "sh bash zsh shell console fish dockerfile makefile"),
  ...named(rust, "rs rust"),
  ...named(go, "go golang"),
  ...named(cFamily, "c h cc cpp cxx hpp java kotlin kt swift cs csharp scala php dart objc"),
  ...named(ruby, "rb ruby elixir ex"),
  ...named(sql, "sql postgres mysql sqlite"),
  ...named(data, "json jsonc json5 yaml yml toml ini hcl tf"),
};

function named(language: Language, names: string): Readonly<Record<string, Language>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, language]));
}

/** The language of a file by its name; undefined when it has no colours. */
export function languageOf(path: string): string | undefined {
  const end = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase();
  return end !== undefined && Object.hasOwn(languages, end) ? end : undefined;
}

export function highlight(text: string, name: string | undefined): Line {
  const language = name === undefined || !Object.hasOwn(languages, name.toLowerCase()) ? undefined : languages[name.toLowerCase()];
  if (language === undefined) return [span(text)];
  const spans: Span[] = [];
  let plain = "";
  const put = (part: string, style: Style | undefined): void => {
    if (style === undefined) {
      plain += part;
      return;
    }
    if (plain !== "") spans.push(span(plain));
    plain = "";
    spans.push(span(part, style));
  };
  for (let at = 0; at < text.length; ) {
    const [part, style] = next(text, at, language);
    put(part, style);
    at += part.length;
  }
  if (plain !== "") spans.push(span(plain));
  return spans;
}

function next(text: string, at: number, language: Language): readonly [string, Style | undefined] {
  const character = text[at] ?? "";
  const isApart = at === 0 || /[\s;(){}[\],]/.test(text[at - 1] ?? "");
  if (isApart && language.comments.some((mark) => text.startsWith(mark, at))) return [text.slice(at), { color: "comment", italic: true }];
  if (language.quotes.includes(character)) return [text.slice(at, endOfString(text, at)), { color: "string" }];
  const rest = text.slice(at, at + 200);
  const word = /^[A-Za-z_][A-Za-z0-9_]*/.exec(rest)?.[0];
  if (word !== undefined) return [word, language.keywords.has(word) ? { color: "keyword" } : undefined];
  const number = /^\d[\d._xa-fA-F]*/.exec(rest)?.[0];
  if (number !== undefined) return [number, { color: "number" }];
  return [character, undefined];
}

function endOfString(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === quote) return at + 1;
  }
  return text.length;
}

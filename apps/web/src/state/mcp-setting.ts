/** What a user writes about an MCP server, as the settings file has it. */

export interface McpDraft {
  readonly name: string;
  /** A command line, or an http address. */
  readonly source: string;
  /** One `NAME=value` a line. */
  readonly variables: string;
}

/** The setting, or in words what is wrong. */
export function mcpSettingOf({ name, source, variables }: McpDraft, taken: readonly string[]): Readonly<Record<string, unknown>> | string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return "A name has letters, digits, hyphens and underscores.";
  if (taken.includes(name)) return `There is already a server named ${name}.`;
  const env = variablesIn(variables);
  if (typeof env === "string") return env;
  const text = source.trim();
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) return "This address cannot be read.";
    return Object.keys(env).length === 0 ? { url: text } : "An address has no environment: only commands do.";
  }
  const words = wordsOf(text);
  if (words === undefined) return "A quotation mark is not closed.";
  const [command, ...args] = words;
  if (command === undefined) return "A command or an address is needed.";
  return { command, args, ...(Object.keys(env).length === 0 ? {} : { env }) };
}

function variablesIn(text: string): Readonly<Record<string, string>> | string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const wrong = lines.find((line) => !/^\s*[A-Za-z_]\w*=/.test(line));
  if (wrong !== undefined) return `Not NAME=value: ${wrong.trim().slice(0, 60)}`;
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")).trim(), line.slice(line.indexOf("=") + 1)]));
}

/** Words as a shell splits them, with quotation marks and backslashes and nothing else; undefined if a mark is not closed. */
export function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    const isEscaped = letter === "\\" && quote !== "'" && at + 1 < text.length;
    if (isEscaped) word = (word ?? "") + (text[++at] ?? "");
    else if (quote !== undefined) {
      if (letter === quote) quote = undefined;
      else word = (word ?? "") + letter;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      word ??= "";
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

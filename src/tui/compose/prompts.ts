/** The person's own prompts, `$CODEX_HOME/prompts/NAME.md`: found, described and expanded as `/prompts:NAME`. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { readBoundedTextSync } from "../../lib/bounded-read.ts";
import { splitWords } from "../../shell/words.ts";

const maxBytes = 1024 * 1024;

export interface CustomPrompt {
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly body: string;
}

export function readPrompts(codexHome: string): CustomPrompt[] {
  const folder = path.join(codexHome, "prompts");
  return namesIn(folder).flatMap((file) => {
    try {
      return [promptFrom(file.slice(0, -".md".length), readBoundedTextSync(path.join(folder, file), maxBytes))];
    } catch {
      return []; // deleted or unreadable meanwhile: not offered
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".md") && name.length > 3)
      .sort();
  } catch {
    return [];
  }
}

export function promptFrom(name: string, text: string): CustomPrompt {
  const [, head, rest] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
  const field = (key: string): string => {
    const [, value = ""] = new RegExp(`^${key}\\s*:\\s*(.*)$`, "m").exec(head ?? "") ?? [];
    return value.trim().replace(/^(["'])(.*)\1$/, "$2");
  };
  const body = (rest ?? text).trim();
  const firstLine = body.split("\n", 1)[0] ?? "";
  return { name, description: field("description") || firstLine.slice(0, 80), argumentHint: field("argument-hint"), body };
}

/** `$1` to `$9`, `$ARGUMENTS`, `$NAME` given as `NAME=value`, and `$$` for a dollar sign. */
export function fillPrompt({ body }: CustomPrompt, given: string): string {
  const args = argumentsIn(given);
  const named = new Map<string, string>();
  const positional: string[] = [];
  for (const arg of args) {
    const [, key, value] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(arg) ?? [];
    if (key === undefined || value === undefined) positional.push(arg);
    else named.set(key, value);
  }
  return body.replace(/\$(\$|[1-9]|[A-Z][A-Z0-9_]*)/g, (whole, name: string) => {
    if (name === "$") return "$";
    if (name === "ARGUMENTS") return positional.join(" ");
    if (/^[1-9]$/.test(name)) return positional[Number(name) - 1] ?? "";
    return named.get(name) ?? whole;
  });
}

/** Names that the prompt requires and that were not given. */
export function missingNames(prompt: CustomPrompt, given: string): string[] {
  const has = new Set(argumentsIn(given).flatMap((arg) => /^([A-Z][A-Z0-9_]*)=/.exec(arg)?.slice(1, 2) ?? []));
  const required = [...prompt.body.matchAll(/(?<!\$)\$([A-Z][A-Z0-9_]*)/g)].map(([, name = ""]) => name);
  return [...new Set(required)].filter((name) => name !== "ARGUMENTS" && !has.has(name));
}

/** Quotes group words as in a shell. In prose such as `it's broken` they are not closed, and are ordinary characters. */
const argumentsIn = (text: string): string[] => splitWords(text) ?? text.split(/\s+/).filter((word) => word !== "");

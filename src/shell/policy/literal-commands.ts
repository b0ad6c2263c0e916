/** Looks for commands in scripts that are not completely understood, so that a rule which forbids one holds there as far as can be seen. */
import type { Command, SyntaxNode } from "unbash";
import { shellCall } from "../command-line.ts";
import type { ShellParser } from "../simple-commands.ts";
import { literalWord } from "../words.ts";

const maxCommands = 256;
const maxDepth = 4;
const maxCharacters = 100_000;

/** The plain words that each command anywhere in the script begins with. Only ever used to be stricter. */
export function literalCommands(source: string, parser: ShellParser, depth = 0): string[][] {
  const text = source.slice(0, maxCharacters);
  const found: string[][] = [];
  const visit = (node: SyntaxNode): void => {
    if (found.length >= maxCommands) return;
    if (node.type === "Command") {
      const words = leadingWords(node, text);
      const call = shellCall(words);
      if (words.length > 0) found.push(words);
      if (call !== undefined && depth < maxDepth) found.push(...literalCommands(call.script, parser, depth + 1));
    }
    parser.forEachChild(node, visit);
  };
  visit(parser.parse(text));
  return found;
}

function leadingWords(command: Command, source: string): string[] {
  const words: string[] = [];
  for (const word of [command.name, ...command.args]) {
    const value = word?.type === "Word" ? (literalWord(source.slice(word.pos, word.end)) ?? literalWord(word.text)) : undefined;
    if (value === undefined) break;
    words.push(value);
  }
  return words;
}

const starters = new Set([
  ...[
    "env",
    "sudo",
    "doas",
    "nohup",
    "nice",
    "ionice",
    "timeout",
    "time",
    "command",
    "builtin",
    "exec",
    "xargs",
    "stdbuf",
    "setsid",
    "busybox",
  ],
]);

/** The words, and what a program that only starts another one would start. */
export function withInner(words: readonly string[]): (readonly string[])[] {
  const found = [words];
  let at = 0;
  while (starters.has((words[at] ?? "").split("/").at(-1) ?? "")) {
    at++;
    // Its own options, settings and numbers.
    while (at < words.length && /^(-.*|\w+=.*|\d+(\.\d+)?[smhd]?)$/.test(words[at] ?? "")) at++;
    if (at >= words.length) break;
    found.push(words.slice(at));
  }
  return found;
}

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
    const value = word?.type === "Word" ? literalOf(source.slice(word.pos, word.end), word.text) : undefined;
    if (value === undefined) break;
    words.push(value);
  }
  return words;
}

/** Braces without anything in them, as xargs and find take them, are not expanded. */
const literalOf = (source: string, text: string): string | undefined =>
  literalWord(source) ?? literalWord(text) ?? literalWord(source.replaceAll("{}", ""));

/** Programs that only start another one, each with its options that take the next word along. */
const starters: Readonly<Record<string, string>> = {
  env: "uC",
  sudo: "ugpCrtTUDRh",
  doas: "uC",
  nohup: "",
  nice: "n",
  ionice: "cn",
  timeout: "sk",
  time: "fo",
  command: "",
  builtin: "",
  exec: "a",
  xargs: "IEndLPsa",
  stdbuf: "ioe",
  setsid: "",
  busybox: "",
  taskset: "",
  chrt: "TPD",
  setarch: "",
  unbuffer: "",
  fakeroot: "",
  pkexec: "",
};
const maxForms = 32;

/** The words, what a program that only starts another one would start, and each of them without what is said before its verb. */
export function withInner(words: readonly string[]): (readonly string[])[] {
  const found = [words];
  for (let inner = startedBy(words); inner !== undefined && found.length < maxForms; inner = startedBy(inner)) found.push(inner);
  return found.flatMap((form) => [form, ...withoutLeadingOptions(form)]).slice(0, maxForms);
}

function startedBy(words: readonly string[]): readonly string[] | undefined {
  const name = (words[0] ?? "").split("/").at(-1) ?? "";
  const valued = Object.hasOwn(starters, name) ? starters[name] : undefined;
  if (valued === undefined) return undefined;
  let at = 1;
  // Its own options, settings and numbers.
  for (; at < words.length && /^(-.*|\w+=.*|\d+(\.\d+)?[smhd]?)$/.test(words[at] ?? ""); at++) {
    const word = words[at] ?? "";
    if (name === "env" && /^(-S|--split-string)/.test(word)) return splitString(words, at);
    const last = /^-[A-Za-z0-9]*$/.test(word) ? word.at(-1) : undefined;
    if (last !== undefined && valued.includes(last)) at++;
  }
  return at < words.length ? words.slice(at) : undefined;
}

/** `env -S 'rm x'`: the rest of the line in one word. */
function splitString(words: readonly string[], at: number): readonly string[] {
  const [attached] = /(?<==|^-S)[^=].*/.exec(words[at] ?? "") ?? [words[at + 1] ?? ""];
  return attached.trim().split(/\s+/);
}

/** `git -C folder push` is a push: which options take a value is each program's own affair, so both readings count. */
function withoutLeadingOptions(words: readonly string[]): (readonly string[])[] {
  const [program = "", ...rest] = words;
  const found: (readonly string[])[] = [];
  for (let at = 0; at < rest.length && found.length < maxForms; at++) {
    const isOption = /^[-+]./.test(rest[at] ?? "");
    const mayBeValue = at > 0 && /^-/.test(rest[at - 1] ?? "");
    if (!isOption && !mayBeValue) break;
    found.push([program, ...rest.slice(at + 1)]);
  }
  return found;
}

/** Finds commands in scripts that could not be parsed completely, so that a rule that forbids one still applies as far as possible. */
import type { Command, SyntaxNode } from "unbash";
import { shellCall } from "../command-line.ts";
import type { ShellParser } from "../simple-commands.ts";
import { literalWord } from "../words.ts";

const maxCommands = 256;
const maxDepth = 4;
const maxCharacters = 100_000;

/** The leading literal arguments of each command anywhere in the script. Only used to make decisions stricter. */
export function literalCommands(source: string, parser: ShellParser, depth = 0): string[][] {
  const text = source.slice(0, maxCharacters);
  const found: string[][] = [];
  const visit = (node: SyntaxNode): void => {
    if (found.length >= maxCommands) return;
    if (node.type === "Command") {
      const argv = leadingArguments(node, text);
      const call = shellCall(argv);
      if (argv.length > 0) found.push(argv);
      if (call !== undefined && depth < maxDepth) found.push(...literalCommands(call.script, parser, depth + 1));
    }
    parser.forEachChild(node, visit);
  };
  visit(parser.parse(text));
  return found;
}

function leadingArguments(command: Command, source: string): string[] {
  const argv: string[] = [];
  for (const word of [command.name, ...command.args]) {
    const value = word?.type === "Word" ? literalOf(source.slice(word.pos, word.end), word.text) : undefined;
    if (value === undefined) break;
    argv.push(value);
  }
  return argv;
}

/** Empty braces, as used by xargs and find, are not expanded. */
const literalOf = (source: string, text: string): string | undefined =>
  literalWord(source) ?? literalWord(text) ?? literalWord(source.replaceAll("{}", ""));

/** Programs that only start another program, each with the one-letter options that take a value. */
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

/** The command itself, the commands it would start through wrapper programs, and each of them without the options before its subcommand. */
export function withInner(argv: readonly string[]): (readonly string[])[] {
  const found = [argv];
  for (let inner = startedBy(argv); inner !== undefined && found.length < maxForms; inner = startedBy(inner)) found.push(inner);
  return found.flatMap((form) => [form, ...withoutLeadingOptions(form)]).slice(0, maxForms);
}

function startedBy(argv: readonly string[]): readonly string[] | undefined {
  const name = (argv[0] ?? "").split("/").at(-1) ?? "";
  const valued = Object.hasOwn(starters, name) ? starters[name] : undefined;
  if (valued === undefined) return undefined;
  let at = 1;
  // Skip the wrapper's own options, assignments and numbers.
  for (; at < argv.length && /^(-.*|\w+=.*|\d+(\.\d+)?[smhd]?)$/.test(argv[at] ?? ""); at++) {
    const arg = argv[at] ?? "";
    if (name === "env" && /^(-S|--split-string)/.test(arg)) return splitString(argv, at);
    const last = /^-[A-Za-z0-9]*$/.test(arg) ? arg.at(-1) : undefined;
    if (last !== undefined && valued.includes(last)) at++;
  }
  return at < argv.length ? argv.slice(at) : undefined;
}

/** `env -S 'rm x'`: a whole command line in one argument. */
function splitString(argv: readonly string[], at: number): readonly string[] {
  const [attached] = /(?<==|^-S)[^=].*/.exec(argv[at] ?? "") ?? [argv[at + 1] ?? ""];
  return attached.trim().split(/\s+/);
}

/** `git -C folder push` is a push: which options take a value differs by program, so both readings are tried. */
function withoutLeadingOptions(argv: readonly string[]): (readonly string[])[] {
  const [program = "", ...rest] = argv;
  const found: (readonly string[])[] = [];
  for (let at = 0; at < rest.length && found.length < maxForms; at++) {
    const isOption = /^[-+]./.test(rest[at] ?? "");
    const mayBeValue = at > 0 && /^-/.test(rest[at - 1] ?? "");
    if (!isOption && !mayBeValue) break;
    found.push([program, ...rest.slice(at + 1)]);
  }
  return found;
}

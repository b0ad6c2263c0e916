/**
 * Whether login files give the same result as long as the files that they look at are the same, and which files those are. Only what is known
 * to depend on nothing else counts as foreseeable: other programs, output to files, anything random or of the time is not. For the capture of snapshots.
 */
import path from "node:path";
import type { Command, For, Redirection, SyntaxNode, Word, WordPart } from "unbash";
import type { ShellParser } from "../../shell/simple-commands.ts";
import { anything, holdsPattern } from "./pattern-values.ts";
import type { Step } from "./trace.ts";
import { isSystemFolder, Watch } from "./watch.ts";
import type { WatchedPaths } from "./watched-files.ts";

export interface LoginFiles {
  readonly steps: readonly Step[];
  /** The texts of the files, by the names in `steps`. */
  readonly texts: ReadonlyMap<string, string>;
  readonly cwd: string;
  readonly home: string;
  /** What the shell was given. */
  readonly env: Readonly<Record<string, string>>;
}

/** They change only the shell, whose state is compared, or print what depends on their arguments alone. */
const plainBuiltins = new Set(
  `: true false export declare typeset readonly local unset return break continue shift shopt umask ulimit alias unalias let for case (( echo
   printf pwd`.split(/\s+/),
);
/** Programs that depend on their arguments, the system, and these files or folders of files. */
const plainPrograms: Readonly<Record<string, readonly string[]>> = {
  ...{ uname: [], arch: [], dirname: [], basename: [], tr: [], mesg: [] },
  id: ["/etc/passwd", "/etc/group"],
  "locale-check": ["/usr/lib/locale"],
};
const testCommands = new Set(["[", "test", "[["]);
const sources = new Set([".", "source"]);
/** What differs from one shell to the next, or would end the trace. */
const unsteady =
  /\$(?:[$!]|\{[$!]\})|\b(?:RANDOM|SRANDOM|SECONDS|EPOCH\w*|BASHPID|PPID|BASH_EXECUTION_STRING|BASH_COMMAND|BASH_MONOSECONDS|BASH_ARGV\w*|HISTCMD|PARLEY_COMMAND_ID|BASH_XTRACEFD|PS4)\b|%\([^)]*\)T|@P\}/;
/** Tests of one file. */
const fileTest = /^-[abcdefghkprsuwxGLOS]$/;
/** Those of links themselves, which are followed when they are watched, and those that compare times. */
const unwatchedTest = /^-(?:nt|ot|ef|[hLN])$/;

/** Nothing else can be done while a text is parsed, for seconds with long words of braces. */
const most = { characters: 64 * 1024, lineCharacters: 4_000 };
const isShort = (text: string): boolean =>
  text.length <= most.characters && text.split("\n").every((line) => line.length <= most.lineCharacters);

/** Undefined where the result cannot be foreseen. */
export function foreseen(files: LoginFiles, parser: ShellParser): WatchedPaths | undefined {
  const watch = new Watch(files);
  const functions = new Set<string>();
  const evaluated = files.steps.filter(({ words }) => words[0] === "eval").map(({ words }) => words.slice(1).join(" "));
  if (!isShort([...files.texts.values(), ...evaluated].join("\n"))) return undefined;
  for (const text of evaluated) if (!new TextCheck(text, undefined, watch, functions).passes(parser)) return undefined;
  for (const [file, text] of files.texts) {
    const ran = [...new Set(files.steps.filter((step) => step.file === file).map(({ line }) => line))].sort((a, b) => a - b);
    if (!new TextCheck(text, ran, watch, functions).passes(parser)) return undefined;
  }
  for (const [i, { words }] of files.steps.entries()) {
    const [name = ""] = words;
    noteValues(words, watch);
    // The next step tells a call from a program of the same name.
    const isCall = functions.has(name) && files.steps[i + 1]?.within === name;
    if (name !== "eval" && !isCall && !isForeseeable(words, watch)) return undefined;
  }
  return watch.isSound && watch.patterns.areNeverUsed ? watch : undefined;
}

/** What variables are set to, where it matters. */
function noteValues(words: readonly string[], watch: Watch): void {
  const [name = ""] = words;
  // Their words are no values, or are shown as they are written.
  const isWritten = testCommands.has(name) || /^(?:for|case|\(\(|let)$/.test(name);
  for (const word of isWritten ? [] : words) {
    const [, variable, plus, value = ""] = assignment.exec(word) ?? [];
    if (variable === "PATH") watch.addSearchPath(value, plus === "+");
    if (variable === "HOME" && value !== watch.home) watch.isSound = false;
    if (holdsPattern(word)) watch.patterns.setBy(variable ?? anything);
  }
  if (name === "printf" && words[1] === "-v" && words.some(holdsPattern)) watch.isSound = false;
  if (name === "cat") watch.patterns.setBy(anything);
}

const assignment = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?(\+?)=(.*)$/s;

function isForeseeable(words: readonly string[], watch: Watch): boolean {
  const [name = "", ...args] = words;
  if (testCommands.has(name)) return name === "[[" ? watchCondition(args, watch) : watchTest(args, watch);
  if (sources.has(name) || name === "cat") {
    const named = name === "cat" ? args : args.slice(0, 1);
    // A name without a folder is searched on the PATH; cat without one reads its input.
    const isPath = named.every((arg) => arg.includes("/") && !arg.startsWith("-"));
    for (const file of named) watch.add(file);
    return named.length > 0 && isPath;
  }
  // Other options of `set` would end the trace.
  if (name === "set") return args[0] === "--";
  const program = path.posix.basename(name);
  if (!Object.hasOwn(plainPrograms, program)) return assignment.test(name) || plainBuiltins.has(name);
  if (name === program) watch.searchFor(name);
  else if (!isSystemFolder(path.posix.dirname(name))) return false;
  for (const file of plainPrograms[program] ?? []) watch.add(file, "listed");
  return true;
}

/** Each operand of a test for files is watched. */
function watchTest(args: readonly string[], watch: Watch): boolean {
  for (const [i, arg] of args.entries()) {
    if (unwatchedTest.test(arg)) return false;
    const operand = args[i + 1];
    if (fileTest.test(arg) && operand !== undefined && operand !== "") watch.add(operand);
  }
  return true;
}

/** Each part of a condition is shown by itself, without quotes. */
function watchCondition(args: readonly string[], watch: Watch): boolean {
  if (args.some((arg) => unwatchedTest.test(arg))) return false;
  const [operator = "", operand = "", end, ...more] = args[0] === "!" ? args.slice(1) : args;
  if (!fileTest.test(operator)) return true;
  watch.add(operand);
  return end === "]]" && more.length === 0;
}

/** What a trace does not show: redirections, patterns for file names, what runs in the background. */
class TextCheck {
  readonly #text: string;
  readonly #ran: readonly number[] | undefined;
  readonly #watch: Watch;
  readonly #functions: Set<string>;
  readonly #starts: readonly number[];
  #passes = true;

  /** Only what stands on a line of `ran`, which is sorted, counts; without it all of the text. */
  constructor(text: string, ran: readonly number[] | undefined, watch: Watch, functions: Set<string>) {
    this.#text = text;
    this.#ran = ran;
    this.#watch = watch;
    this.#functions = functions;
    this.#starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  }

  passes({ parse, forEachChild }: ShellParser): boolean {
    if (unsteady.test(this.#text)) return false;
    const script = parse(this.#text);
    if ((script.errors?.length ?? 0) > 0) return false;
    const visit = (node: SyntaxNode): void => {
      this.#check(node);
      if (this.#passes) forEachChild(node, visit);
    };
    visit(script);
    return this.#passes;
  }

  #check(node: SyntaxNode): void {
    // The positions in it are those of another text.
    if (node.type === "Script" && node.source !== undefined) this.#passes = false;
    if (node.type === "Function") this.#functions.add(node.name.value);
    // A trace does not show redirections without a command.
    const isTraced = node.type !== "Command" || node.name !== undefined || node.prefix.every(({ type }) => type === "Assignment");
    if (isTraced && !this.#mayHaveRun(node)) return;
    if (node.type === "ProcessSubstitution" || node.type === "Coproc" || node.type === "Select") this.#passes = false;
    if (node.type === "Statement" && node.background === true) this.#passes = false;
    if (node.type === "Command") this.#checkCommand(node);
    if (node.type === "Redirected") for (const each of node.redirects) this.#redirect(each);
    if (node.type === "For") this.#checkLoop(node);
  }

  #checkLoop({ name, wordlist }: For): void {
    for (const word of wordlist ?? []) this.#pattern(word);
    // Which value it has in turn is not shown.
    if (wordlist === undefined || wordlist.some(mayHidePattern)) this.#watch.patterns.setBy(name.value);
  }

  #checkCommand(command: Command): void {
    for (const each of command.redirects) this.#redirect(each);
    for (const word of [command.name, ...command.args]) if (word?.type === "Word") this.#pattern(word);
    for (const each of [...command.prefix, ...command.args])
      if (each.type === "Assignment" && each.value.type === "ArrayValue") for (const word of each.value.elements) this.#pattern(word);
  }

  #redirect(redirection: Redirection): void {
    if (redirection.type !== "Redirect") return; // The text itself is the input.
    const target = redirection.target?.value ?? "";
    const isPlain = target === redirection.target?.text;
    if (/^[<>]&$/.test(redirection.operator) && /^(?:\d+|-)$/.test(target)) return;
    if (isPlain && target === "/dev/null") return;
    this.#watch.patterns.setBy(anything);
    if (redirection.operator === "<" && isPlain && target.startsWith("/")) this.#watch.add(target);
    else this.#passes = false;
  }

  /** The folder of a pattern for file names is watched with its list of names. */
  #pattern(word: Word): void {
    const parts = word.parts ?? [];
    this.#watch.patterns.usedIn(parts);
    const at = parts.findIndex(({ type }) => type === "Glob" || type === "ExtendedGlob");
    if (at === -1) return;
    const start = parts.slice(0, at).map((part, i) => this.#valueOf(part, i === 0));
    const after = this.#text.slice(parts[at]?.pos, word.end);
    const known = start.every((value) => value !== undefined) ? start.join("") : "";
    if (!known.startsWith("/") || after.includes("/")) this.#passes = false;
    else this.#watch.add(known.slice(0, known.lastIndexOf("/") + 1), "listed");
  }

  #valueOf(part: WordPart, isFirst: boolean): string | undefined {
    if (part.type === "Literal") return isFirst && part.value.startsWith("~/") ? `${this.#watch.home}${part.value.slice(1)}` : part.value;
    if (part.type === "SingleQuoted") return part.value;
    if (part.type === "SimpleExpansion" || part.type === "ParameterExpansion")
      return /^\$(?:HOME|\{HOME\})$/.test(part.text) ? this.#watch.home : undefined;
    if (part.type !== "DoubleQuoted") return undefined;
    const values = part.parts.map((inner) => (inner.type === "Literal" ? inner.value : this.#valueOf(inner, false)));
    return values.every((value) => value !== undefined) ? values.join("") : undefined;
  }

  #mayHaveRun({ pos, end }: { readonly pos: number; readonly end: number }): boolean {
    if (this.#ran === undefined) return true;
    const before = countUntil(this.#ran, this.#lineAt(pos) - 1);
    return before < countUntil(this.#ran, this.#lineAt(end));
  }

  #lineAt(position: number): number {
    return countUntil(this.#starts, position);
  }
}

/** How many of the sorted numbers are not larger. */
function countUntil(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Quoted text and values stay as they are in a loop's variable, which may be used without quotes. */
const mayHidePattern = ({ parts = [] }: Word): boolean =>
  parts.some(({ type, text }) => /Quoted$/.test(type) && (holdsPattern(text) || /`|\$(?!HOME\b|\{HOME\})/.test(text)));

/** Classifies commands for display in a client: read a file, list files, search, or unknown. For display only, never for a decision. */
import path from "node:path";
import type { CommandAction } from "../protocol/item.ts";
import type { CommandLine } from "./command-line.ts";
import { quoteCommand } from "./quote.ts";

/** Matches the real server: one action per command that produces output; if any of them is unknown, the whole line is unknown. */
export function commandActions(line: CommandLine, cwd: string): CommandAction[] {
  const unknown: CommandAction[] = [{ type: "unknown", command: line.script ?? line.display }];
  if (line.commands === undefined || line.isNested) return unknown;
  const actions: CommandAction[] = [];
  let folder = cwd;
  const shown = line.commands.length > 1 ? line.commands.filter((argv) => !isHelper(argv)) : line.commands;
  for (const argv of shown) {
    const [program, target] = argv;
    if (program === "cd" && line.commands.length > 1) {
      folder = path.resolve(folder, target ?? "");
      continue;
    }
    const action = actionOf(argv, folder);
    if (action === undefined) return unknown;
    actions.push(withRange(action, line));
  }
  return actions.length === 0 ? unknown : actions;
}

/** `cat file | sed -n 1,5p` counts as one read of part of a file. */
function withRange(action: CommandAction, { commands, script }: CommandLine): CommandAction {
  const second = commands?.length === 2 ? commands[1] : undefined;
  const isPair = second?.[0] === "sed" && second.length === 3 && isRange(second) && script?.includes("|") === true;
  return isPair && action.type === "read" ? { ...action, command: script.trim() } : action;
}

/** Commands without an action of their own when combined with others: they only format output, or do nothing. */
function isHelper(argv: readonly string[]): boolean {
  const [program = "", ...rest] = argv;
  if (["wc", "tr", "cut", "sort", "uniq", "tee", "column", "yes", "printf", "echo", "true"].includes(program)) return true;
  if (program === "head" || program === "tail") return linesOf(rest)?.length === 0;
  if (program === "sed") return rest.length === 2 && isRange(argv);
  if (program === "awk") return operands(rest, "Fvf").length <= 1;
  return program === "nl" && operands(rest, "bswvifhln").length === 0;
}

const isRange = (argv: readonly string[]): boolean => argv[1] === "-n" && /^\d+(,\d+)?p$/.test(argv[2] ?? "");

function actionOf(argv: readonly string[], cwd: string): CommandAction | undefined {
  const [program = "", ...rest] = argv;
  const command = quoteCommand(argv);
  const list = (target: string | undefined): CommandAction => ({ type: "listFiles", command, path: shortPath(target) });
  const search = (query: string | undefined, target: string | undefined): CommandAction => ({
    type: "search",
    command,
    query: query ?? null,
    path: shortPath(target),
  });
  const read = (files: readonly string[] | undefined): CommandAction | undefined => {
    const [file, more] = files ?? [];
    if (file === undefined || more !== undefined) return undefined;
    return { type: "read", command, name: shortPath(file) ?? file, path: path.resolve(cwd, file) };
  };
  switch (program) {
    case "ls":
    case "eza":
    case "exa":
      return list(operands(rest, "Iw", ["block-size", "ignore", "time-style", "sort", "level"])[0]);
    case "tree":
      return list(operands(rest, "LPIo", ["charset", "filelimit", "sort"])[0]);
    case "du":
      return list(operands(rest, "dBtX", ["max-depth", "block-size", "exclude", "threshold"])[0]);
    case "cat":
      return read(operands(rest, ""));
    case "bat":
    case "batcat":
    case "less":
    case "more":
      return read(operands(rest, "rlHpPj", ["theme", "style", "language", "line-range", "pager", "paging"]));
    case "nl":
      return read(operands(rest, "bswvifhln"));
    case "head":
    case "tail":
      return read(linesOf(rest));
    case "sed":
      return isRange(argv) ? read(rest.slice(2)) : undefined;
    case "awk":
      return read(operands(rest, "Fvf").slice(1));
    case "rg":
      return ripgrep(rest, list, search);
    case "grep":
    case "egrep":
    case "fgrep":
      return searchWith(rest, search, grepValues);
    case "ag":
    case "ack":
    case "pt":
      return searchWith(rest, search);
    case "fd":
    case "fdfind": {
      const [query, target] = operands(rest, "tedEjxSo", ["type", "extension", "exclude", "max-depth", "min-depth"]);
      return query === undefined ? list(undefined) : search(query, target);
    }
    case "find":
      return find(rest, list, search);
    case "git":
      if (rest[0] === "grep") return searchWith(rest.slice(1), search, grepValues);
      return rest[0] === "ls-files" ? list(operands(rest.slice(1), "xX", ["exclude"])[0]) : undefined;
    default:
      return undefined;
  }
}

type List = (target: string | undefined) => CommandAction;
type Search = (query: string | undefined, target: string | undefined) => CommandAction;

function ripgrep(rest: readonly string[], list: List, search: Search): CommandAction {
  if (rest.includes("--files"))
    return list(
      operands(
        rest.filter((arg) => arg !== "--files"),
        "gt",
        ["glob", "type"],
      )[0],
    );
  return searchWith(rest, search);
}

/** One-letter options that take a value; `-E` takes one in ripgrep but not in grep. */
const ripgrepValues = "ABCgtTmMjdfE";
const grepValues = "ABCDdfm";

function searchWith(rest: readonly string[], search: Search, short = ripgrepValues): CommandAction {
  const at = rest.findIndex((arg) => arg === "-e" || arg === "--regexp");
  const pattern = at < 0 ? undefined : rest[at + 1];
  const others = at < 0 ? rest : [...rest.slice(0, at), ...rest.slice(at + 2)];
  const found = operands(others, short, ["glob", "type", "type-not", "max-count", "max-depth", "context", "include", "exclude"]);
  return pattern === undefined ? search(found[0], found[1]) : search(pattern, found[0]);
}

function find(rest: readonly string[], list: List, search: Search): CommandAction | undefined {
  if (rest.some((arg) => /^-(exec|execdir|ok|okdir|delete|fprint|fprintf|fprint0|fls)$/.test(arg))) return undefined;
  const target = rest[0] === undefined || /^[-(!]/.test(rest[0]) ? undefined : rest[0];
  const at = rest.findIndex((arg) => /^-(i?name|i?path|i?regex|i?wholename)$/.test(arg));
  return at < 0 ? list(target) : search(rest[at + 1], target);
}

/** Arguments that are not options. `short` lists the one-letter options that take a value, `long` the two-dash options that do. */
function operands(argv: readonly string[], short: string, long: readonly string[] = []): string[] {
  const found: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] ?? "";
    if (arg === "--") return [...found, ...argv.slice(i + 1)];
    if (!arg.startsWith("-") || arg === "-") found.push(arg);
    else if (/^-[a-zA-Z]$/.test(arg) ? short.includes(arg.charAt(1)) : long.includes(arg.slice(2))) i++;
  }
  return found;
}

/** The file arguments of head and tail, if the only option is a line count. */
function linesOf(argv: readonly string[]): readonly string[] | undefined {
  const [first = "", second = ""] = argv;
  if (first === "-n" && /^[+-]?\d+$/.test(second)) return argv.slice(2);
  if (/^-n?\d+$/.test(first)) return argv.slice(1);
  return first.startsWith("-") ? undefined : argv;
}

/** The last meaningful path component; null without a path. */
function shortPath(file: string | undefined): string | null {
  if (file === undefined) return null;
  const parts = file
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "");
  return parts.findLast((part) => !["build", "dist", "node_modules", "src"].includes(part)) ?? file;
}

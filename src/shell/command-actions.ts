/** Says what commands do in words a client can show: read a file, list files, search, or unknown. For display only, never for a decision. */
import path from "node:path";
import type { CommandAction } from "../protocol/item.ts";
import type { CommandLine } from "./command-line.ts";
import { quoteCommand } from "./quote.ts";

/** As the real server does it: one action per command that shows something; when one of them is unknown, the whole line is. */
export function commandActions(line: CommandLine, cwd: string): CommandAction[] {
  const unknown: CommandAction[] = [{ type: "unknown", command: line.script ?? line.display }];
  if (line.commands === undefined || line.isNested) return unknown;
  const actions: CommandAction[] = [];
  let folder = cwd;
  const shown = line.commands.length > 1 ? line.commands.filter((words) => !isHelper(words)) : line.commands;
  for (const words of shown) {
    const [program, target] = words;
    if (program === "cd" && line.commands.length > 1) {
      folder = path.resolve(folder, target ?? "");
      continue;
    }
    const action = actionOf(words, folder);
    if (action === undefined) return unknown;
    actions.push(withRange(action, line));
  }
  return actions.length === 0 ? unknown : actions;
}

/** `cat file | sed -n 1,5p` is one look at a part of a file. */
function withRange(action: CommandAction, { commands, script }: CommandLine): CommandAction {
  const second = commands?.length === 2 ? commands[1] : undefined;
  const isPair = second?.[0] === "sed" && second.length === 3 && isRange(second) && script?.includes("|") === true;
  return isPair && action.type === "read" ? { ...action, command: script.trim() } : action;
}

/** Says nothing of its own beside other commands: it shapes their output, or nothing at all. */
function isHelper(words: readonly string[]): boolean {
  const [program = "", ...rest] = words;
  if (["wc", "tr", "cut", "sort", "uniq", "tee", "column", "yes", "printf", "echo", "true"].includes(program)) return true;
  if (program === "head" || program === "tail") return linesOf(rest)?.length === 0;
  if (program === "sed") return rest.length === 2 && isRange(words);
  if (program === "awk") return operands(rest, "Fvf").length <= 1;
  return program === "nl" && operands(rest, "bswvifhln").length === 0;
}

const isRange = (words: readonly string[]): boolean => words[1] === "-n" && /^\d+(,\d+)?p$/.test(words[2] ?? "");

function actionOf(words: readonly string[], cwd: string): CommandAction | undefined {
  const [program = "", ...rest] = words;
  const command = quoteCommand(words);
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
      return isRange(words) ? read(rest.slice(2)) : undefined;
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
        rest.filter((word) => word !== "--files"),
        "gt",
        ["glob", "type"],
      )[0],
    );
  return searchWith(rest, search);
}

/** One-letter options with a value; `-E` is one of ripgrep's and none of grep's. */
const ripgrepValues = "ABCgtTmMjdfE";
const grepValues = "ABCDdfm";

function searchWith(rest: readonly string[], search: Search, short = ripgrepValues): CommandAction {
  const at = rest.findIndex((word) => word === "-e" || word === "--regexp");
  const pattern = at < 0 ? undefined : rest[at + 1];
  const others = at < 0 ? rest : [...rest.slice(0, at), ...rest.slice(at + 2)];
  const found = operands(others, short, ["glob", "type", "type-not", "max-count", "max-depth", "context", "include", "exclude"]);
  return pattern === undefined ? search(found[0], found[1]) : search(pattern, found[0]);
}

function find(rest: readonly string[], list: List, search: Search): CommandAction | undefined {
  if (rest.some((word) => /^-(exec|execdir|ok|okdir|delete|fprint|fprintf|fprint0|fls)$/.test(word))) return undefined;
  const target = rest[0] === undefined || /^[-(!]/.test(rest[0]) ? undefined : rest[0];
  const at = rest.findIndex((word) => /^-(i?name|i?path|i?regex|i?wholename)$/.test(word));
  return at < 0 ? list(target) : search(rest[at + 1], target);
}

/** Words that are no options. `short` names one-letter options with a value of their own, `long` those with two dashes. */
function operands(words: readonly string[], short: string, long: readonly string[] = []): string[] {
  const found: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? "";
    if (word === "--") return [...found, ...words.slice(i + 1)];
    if (!word.startsWith("-") || word === "-") found.push(word);
    else if (/^-[a-zA-Z]$/.test(word) ? short.includes(word.charAt(1)) : long.includes(word.slice(2))) i++;
  }
  return found;
}

/** The files of head and tail, when no more than a number of lines is asked for. */
function linesOf(words: readonly string[]): readonly string[] | undefined {
  const [first = "", second = ""] = words;
  if (first === "-n" && /^[+-]?\d+$/.test(second)) return words.slice(2);
  if (/^-n?\d+$/.test(first)) return words.slice(1);
  return first.startsWith("-") ? undefined : words;
}

/** The last component that says something; null for none. */
function shortPath(file: string | undefined): string | null {
  if (file === undefined) return null;
  const parts = file
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "");
  return parts.findLast((part) => !["build", "dist", "node_modules", "src"].includes(part)) ?? file;
}

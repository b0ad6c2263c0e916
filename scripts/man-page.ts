/** man/parley.1 from what the subcommands say of themselves: the same rows that parse the command line and print --help. */
import { commands } from "../src/cli/commands.ts";
import { helps } from "../src/cli/help/helps.ts";
import { exitCodes, type FlagHelp, globalFlags, type Help } from "../src/cli/help/text.ts";

/** In the order of `parley --help`, each with its subcommands behind it. */
export async function manPage(): Promise<string> {
  const tops = await Promise.all(Object.keys(commands).map(async (name) => [name, await helps[name]?.()] as const));
  const blocks = [
    `.TH PARLEY 1 "" "Parley" "User Commands"`,
    ...section("NAME", "parley \\- a coding agent's server, a drop-in for the Codex app-server"),
    ...section("SYNOPSIS", `.B parley\n[OPTIONS] ["PROMPT"]\n.br\n.B parley\n[OPTIONS] <COMMAND>`),
    ...section("OPTIONS", ...globalFlags.map(flagEntry)),
    ...section("COMMANDS"),
    ...tops.flatMap(([name, help]) => (help === undefined ? [] : commandBlocks(`parley ${name}`, help))),
    ...section("EXIT STATUS", text(`${exitCodes}. A command that means something else by them says so.`)),
    ...section(
      "FILES",
      entry("$CODEX_HOME/config.toml", "The settings. CODEX_HOME is ~/.codex when it is not set."),
      entry("$CODEX_HOME/sessions", "The stored threads."),
    ),
  ];
  return `${blocks.join("\n")}\n`;
}

function commandBlocks(name: string, help: Help): readonly string[] {
  const { says = [], flags = [], groups = {}, notes = {}, commands: inner = {} } = help;
  return [
    `.SS ${text(name)}`,
    text(help.summary),
    ...says.map((paragraph) => `.PP\n${text(paragraph)}`),
    ...help.usage.map((words) => `.PP\n.B ${text(name)}\n${text(words)}`),
    ...flags.map(flagEntry),
    ...Object.entries(groups).flatMap(([title, rows]) => [`.PP\n${text(title)}:`, ...rows.map(flagEntry)]),
    ...Object.entries(notes).map(([title, note]) => `.PP\n${text(title)}:\n.PP\n.nf\n${text(note)}\n.fi`),
    ...(help.exitCodes === undefined ? [] : [`.PP\nExit codes: ${text(help.exitCodes)}.`]),
    ...help.examples.map(([line, meaning]) => `.PP\n${text(meaning)}:\n.PP\n.nf\n.RS\n${text(line)}\n.RE\n.fi`),
    ...Object.entries(inner).flatMap(([word, nested]) => commandBlocks(`${name} ${word}`, nested)),
  ];
}

const section = (title: string, ...blocks: readonly string[]): readonly string[] => [`.SH ${title}`, ...blocks];
const entry = (left: string, right: string): string => `.TP\n.B ${text(left)}\n${text(right)}`;

function flagEntry({ name, short, value, choices, says }: FlagHelp): string {
  const left = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
  return entry(left, choices === undefined || says.includes(choices[0] ?? "") ? says : `${says}: ${choices.join(", ")}`);
}

/** As troff reads it back: no escape, no hyphen in the place of a minus sign, no request at the beginning of a line. */
const text = (plain: string): string =>
  plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&")
    .replaceAll("…", "...");

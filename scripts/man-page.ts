/** man/parley.1 from the subcommands' help: the same rows that parse the command line and print --help. */
import { commands } from "../src/cli/commands.ts";
import { helps } from "../src/cli/help/helps.ts";
import { exitCodes, type FlagHelp, globalFlags, type Help } from "../src/cli/help/text.ts";

/** In the order of `parley --help`, each followed by its subcommands. */
export async function manPage(): Promise<string> {
  const tops = await Promise.all(Object.keys(commands).map(async (name) => [name, await helps[name]?.()] as const));
  const blocks = [
    `.TH PARLEY 1 "" "Parley" "User Commands"`,
    ...section("NAME", "parley \\- a coding agent's server, a drop-in for the Codex app-server"),
    ...section("SYNOPSIS", `.B parley\n[OPTIONS] ["PROMPT"]\n.br\n.B parley\n[OPTIONS] <COMMAND>`),
    ...section("OPTIONS", ...globalFlags.map(flagEntry)),
    ...section("COMMANDS"),
    ...tops.flatMap(([name, help]) => (help === undefined ? [] : commandBlocks(`parley ${name}`, help))),
    ...section("EXIT STATUS", text(`${exitCodes}. Commands with other exit codes list them.`)),
    ...section(
      "FILES",
      entry("$CODEX_HOME/config.toml", "The settings. CODEX_HOME is ~/.codex when it is not set."),
      entry("$CODEX_HOME/sessions", "The stored threads."),
    ),
  ];
  return `${blocks.join("\n")}\n`;
}

function commandBlocks(name: string, help: Help): readonly string[] {
  const { text: paragraphs = [], flags = [], groups = {}, notes = {}, commands: inner = {} } = help;
  return [
    `.SS ${text(name)}`,
    text(help.summary),
    ...paragraphs.map((paragraph) => `.PP\n${text(paragraph)}`),
    ...help.usage.map((form) => `.PP\n.B ${text(name)}\n${text(form)}`),
    ...flags.map(flagEntry),
    ...Object.entries(groups).flatMap(([title, rows]) => [`.PP\n${text(title)}:`, ...rows.map(flagEntry)]),
    ...Object.entries(notes).map(([title, note]) => `.PP\n${text(title)}:\n.PP\n.nf\n${text(note)}\n.fi`),
    ...(help.exitCodes === undefined ? [] : [`.PP\nExit codes: ${text(help.exitCodes)}.`]),
    ...help.examples.map(([line, meaning]) => `.PP\n${text(meaning)}:\n.PP\n.nf\n.RS\n${text(line)}\n.RE\n.fi`),
    ...Object.entries(inner).flatMap(([subcommand, nested]) => commandBlocks(`${name} ${subcommand}`, nested)),
  ];
}

const section = (title: string, ...blocks: readonly string[]): readonly string[] => [`.SH ${title}`, ...blocks];
const entry = (left: string, right: string): string => `.TP\n.B ${text(left)}\n${text(right)}`;

function flagEntry({ name, short, value, choices, text: description }: FlagHelp): string {
  const left = `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
  return entry(
    left,
    choices === undefined || description.includes(choices[0] ?? "") ? description : `${description}: ${choices.join(", ")}`,
  );
}

/** Escaped for troff: no escapes, no hyphens in place of minus signs, no requests at the start of a line. */
const text = (plain: string): string =>
  plain
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&")
    .replaceAll("…", "...");

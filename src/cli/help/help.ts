/** `parley --help`, `parley help <COMMAND>` and the --help of every subcommand. */
import { commands } from "../commands.ts";
import { print, refuseMore, unknownSubcommand } from "../usage.ts";
import { helpFor } from "./helps.ts";
import { exitCodes, type FlagHelp, renderHelp, section } from "./text.ts";

/** What stands before a subcommand. */
export const globalFlags: readonly FlagHelp[] = [
  { name: "config", short: "c", value: "key=value", says: "Override a value of config.toml; repeatable" },
  { name: "enable", value: "FEATURE", says: "The same as -c features.<FEATURE>=true" },
  { name: "disable", value: "FEATURE", says: "The same as -c features.<FEATURE>=false" },
  { name: "log-level", value: "LEVEL", choices: ["error", "warn", "info", "debug"], says: "Write log lines to stderr too" },
  { name: "version", short: "V", says: "Print the version" },
  { name: "help", short: "h", says: "Print this list; parley <COMMAND> --help says more" },
];

export async function run(args: readonly string[]): Promise<number> {
  const words = args.filter((word) => !word.startsWith("-"));
  const [command] = words;
  if (command === undefined) return printOverview();
  if (!Object.hasOwn(commands, command)) throw unknownSubcommand(command, Object.keys(commands));
  if (await printHelp(words)) return 0;
  refuseMore(words, 1);
  return (await commands[command]?.load())?.run(["--help"], { config: [] }) ?? 0;
}

/** False when the command keeps its help itself. */
export async function printHelp(words: readonly string[]): Promise<boolean> {
  const found = await helpFor(words);
  if (found === undefined) return false;
  print(renderHelp(found.name, found.help, width()));
  return true;
}

const width = (): number => Math.min(Math.max(process.stdout.columns ?? 100, 40), 110);

function printOverview(): number {
  const row = ({ name, short, value, says }: FlagHelp): readonly [string, string] => [
    `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`,
    says,
  ];
  const blocks = [
    "Parley: a coding agent's server, a drop-in for the Codex app-server.",
    'Usage: parley [OPTIONS] ["PROMPT"]\n       parley [OPTIONS] <COMMAND>',
    section(
      "Commands",
      Object.entries(commands).map(([name, { summary }]) => [name, summary]),
      width(),
    ),
    section("Options", globalFlags.map(row), width()),
    `Exit codes: ${exitCodes}.`,
    'Examples:\n  # What it does, offline\n  parley tour\n  # What works on this machine\n  parley doctor\n  # One task in the repository you are in\n  parley exec "explain the failing test"',
  ];
  return print(`${blocks.join("\n\n")}\n`);
}

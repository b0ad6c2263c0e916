/** `parley --help`, `parley help <COMMAND>` and the --help of every subcommand. */
import { commands } from "../commands.ts";
import { print, refuseMore, unknownSubcommand } from "../usage.ts";
import { helpFor } from "./helps.ts";
import { exitCodes, flagRow, globalFlags, renderHelp, section } from "./text.ts";

export async function run(args: readonly string[]): Promise<number> {
  const names = args.filter((argument) => !argument.startsWith("-"));
  const [command] = names;
  if (command === undefined) return printOverview();
  if (!Object.hasOwn(commands, command)) throw unknownSubcommand(command, Object.keys(commands));
  if (await printHelp(names)) return 0;
  refuseMore(names, 1);
  return (await commands[command]?.load())?.run(["--help"], { config: [] }) ?? 0;
}

/** False when the command prints its own help. */
export async function printHelp(names: readonly string[]): Promise<boolean> {
  const found = await helpFor(names);
  if (found === undefined) return false;
  print(renderHelp(found.name, found.help, width()));
  return true;
}

const width = (): number => Math.min(Math.max(process.stdout.columns ?? 100, 40), 110);

function printOverview(): number {
  const blocks = [
    "Parley: a coding agent's server, a drop-in for the Codex app-server.",
    'Usage: parley [OPTIONS] ["PROMPT"]\n       parley [OPTIONS] <COMMAND>',
    section(
      "Commands",
      Object.entries(commands).map(([name, { summary }]) => [name, summary]),
      width(),
    ),
    section("Options", globalFlags.map(flagRow), width()),
    `Exit codes: ${exitCodes}.`,
    'Examples:\n  # What it does, offline\n  parley tour\n  # What works on this machine\n  parley doctor\n  # One task in the repository you are in\n  parley exec "explain the failing test"',
  ];
  return print(`${blocks.join("\n\n")}\n`);
}

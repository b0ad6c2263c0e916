/** `-c`, `--enable` and `--disable` after any subcommand: those that do not read them themselves get them as if they came first. */
import { helpFor } from "./help/helps.ts";
import { allFlags, type FlagHelp, settingsFlags } from "./help/text.ts";
import type { CommandLine } from "./leading-flags.ts";
import { UsageError } from "./usage.ts";

/** Their arguments belong to another program. */
const runsOthers = ["execpolicy", "sandbox"];

export async function settingsAnywhere(line: CommandLine): Promise<CommandLine> {
  if (runsOthers.includes(line.command)) return line;
  const { own, at } = await subcommandOf(line);
  const config: string[] = [];
  const rest: string[] = [];
  for (let i = 0; i < line.rest.length; i++) {
    const arg = line.rest[i] ?? "";
    if (arg === "--") {
      rest.push(...line.rest.slice(i));
      break;
    }
    const { row, glued } = flagIn(arg);
    if (row === undefined || (i > at && own.includes(row.name))) rest.push(arg);
    else config.push(setting(row, glued ?? line.rest[++i]));
  }
  return { ...line, rest, globals: { ...line.globals, config: [...line.globals.config, ...config] } };
}

/** The flags that the deepest subcommand reads itself, and where its name stands. */
async function subcommandOf({ command, rest }: CommandLine): Promise<{ readonly own: readonly string[]; readonly at: number }> {
  const isValue = (i: number): boolean => {
    const { row, glued } = flagIn(rest[i - 1] ?? "");
    return row !== undefined && glued === undefined;
  };
  const places = [...rest.keys()].filter((i) => !rest[i]?.startsWith("-") && !isValue(i));
  const found = await helpFor([command, ...places.map((i) => rest[i] ?? "")]);
  if (found === undefined) return { own: [], at: -1 };
  const depth = found.name.split(" ").length - 2; // "parley mcp list" is one below its command
  return { own: allFlags(found.help).map(({ name }) => name), at: depth === 0 ? -1 : (places[depth - 1] ?? -1) };
}

function flagIn(arg: string): { readonly row: FlagHelp | undefined; readonly glued: string | undefined } {
  const [, long, letter, glued] = /^(?:--([a-z]+)|-([a-z]))(?:=(.*))?$/s.exec(arg) ?? [];
  const row = settingsFlags.find((flag: FlagHelp) => flag.name === long || (flag.short !== undefined && flag.short === letter));
  return { row, glued };
}

function setting({ name }: FlagHelp, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`the value of '--${name}' is missing`);
  return name === "config" ? value : `features.${value}=${name === "enable"}`;
}

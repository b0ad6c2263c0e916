/** The command line: finds the subcommand and runs it. Everything else is loaded later, so that a start is short. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isFresh } from "./built-from.ts";
import { commands } from "./commands.ts";
import { keepCompiledCode } from "./compile-cache.ts";
import { type Globals, StartError, UsageError } from "./usage.ts";

async function main(args: readonly string[]): Promise<number> {
  const { command, rest, globals } = split(args);
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (found === undefined) throw new UsageError(`unrecognized subcommand '${command}'`);
  const { run } = await found.load();
  return run(rest, globals);
}

/** Global flags stand before the subcommand; everything after it belongs to the subcommand. */
function split(args: readonly string[]): { readonly command: string; readonly rest: readonly string[]; readonly globals: Globals } {
  const config: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    if (word === "--version" || word === "-V") return { command: "version", rest: [], globals: { config } };
    if (word === "--help" || word === "-h") return { command: "help", rest: [], globals: { config } };
    if (word === "-c" || word === "--config") config.push(args[++i] ?? "");
    else if (word.startsWith("--config=")) config.push(word.slice("--config=".length));
    else if (word.startsWith("-")) throw new UsageError(`unexpected argument '${word}'`);
    else return { command: word, rest: args.slice(i + 1), globals: { config } };
  }
  return { command: "help", rest: [], globals: { config } };
}

function complain(error: unknown): number {
  if (error instanceof UsageError) console.error(`error: ${error.message}\n\nFor more information, try 'parley --help'.`);
  else if (error instanceof StartError) console.error(`Error: ${error.message}`);
  else console.error(error);
  return error instanceof UsageError ? 2 : 1;
}

/** A bundle that is older than its sources steps aside for them. */
async function start(): Promise<void> {
  const here = import.meta.dirname;
  const isBundle = !import.meta.filename.endsWith(".ts");
  const isOld = isBundle && !isFresh(here);
  keepCompiledCode(path.join(here, !isBundle ? "../../node_modules/.cache/parley" : isOld ? "../node_modules/.cache/parley" : ".cache"));
  if (isOld) await import(pathToFileURL(path.join(here, "../src/cli/main.ts")).href);
  else process.exitCode = await main(process.argv.slice(2)).catch(complain);
}

void start();

/** The command line: finds the subcommand and runs it. Everything else is loaded later, so that a start is short. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { isFresh } from "./built-from.ts";
import { commands } from "./commands.ts";
import { keepCompiledCode } from "./compile-cache.ts";
import type { Globals } from "./usage.ts";

async function main(args: readonly string[]): Promise<number> {
  const { command, rest, globals } = split(args);
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (found === undefined) throw wrong(`unrecognized subcommand '${command}'`);
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
    else if (word === "--enable" || word === "--disable") config.push(`features.${args[++i]}=${word === "--enable"}`);
    else if (word.startsWith("-")) throw wrong(`unexpected argument '${word}'`);
    else return { command: word, rest: args.slice(i + 1), globals: { config } };
  }
  return { command: "help", rest: [], globals: { config } };
}

const wrong = (message: string): Error => Object.assign(new Error(message), { exitCode: 2 });

/** An error with an exit code is the user's to mend and says how; any other is ours, and its stack is what helps. */
function complain(error: unknown): number {
  if (!(error instanceof Error && "exitCode" in error)) {
    console.error(error);
    return 1;
  }
  console.error(`error: ${error.message}${error.exitCode === 2 ? "\n\nFor more information, try 'parley --help'." : ""}`);
  return error.exitCode === 2 ? 2 : 1;
}

/** `parley-mcp-server` is `parley mcp-server`: some clients' settings can name a program but no words after it. */
function ownName(): readonly string[] {
  return /^parley-mcp-server(?:\.[cm]?js)?$/.test(path.basename(process.argv[1] ?? "")) ? ["mcp-server"] : [];
}

/** A bundle that is older than its sources steps aside for them. */
async function start(): Promise<void> {
  const here = import.meta.dirname;
  const isBundle = !import.meta.filename.endsWith(".ts");
  const isOld = isBundle && !isFresh(here);
  keepCompiledCode(path.join(here, !isBundle ? "../../node_modules/.cache/parley" : isOld ? "../node_modules/.cache/parley" : ".cache"));
  if (isOld) await import(pathToFileURL(path.join(here, "../src/cli/main.ts")).href);
  else process.exitCode = await main([...ownName(), ...process.argv.slice(2)]).catch(complain);
}

void start();

/** The command line: finds the subcommand and runs it. Everything else is loaded later, so that a start is short. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { nearest } from "../lib/nearest.ts";
import { openNetworkAtFirstFetch } from "../lib/network.ts";
import { RpcError } from "../protocol/errors.ts";
import type { NewerSources } from "./built-from.ts";
import { calledAs } from "./called-as.ts";
import { commands } from "./commands.ts";
import { globalFlags } from "./help/text.ts";
import type { CommandLine } from "./leading-flags.ts";
import { type Globals, say, UsageError, unknownFlag, unknownSubcommand } from "./usage.ts";

/** What the beginning of the process knows of the bundle. */
export interface Beginning {
  readonly newer: NewerSources;
  /** Lets Node keep the compiled code of ES modules, which our own cache does not hold. */
  readonly keepModules: () => void;
}
const fromSources: Beginning = { newer: () => undefined, keepModules: () => {} };

async function main(args: readonly string[], { newer, keepModules }: Beginning): Promise<number> {
  const { command, rest, globals } = await split(args);
  const isUrgent = command === "app-server" && rest.every((argument) => plainServer.includes(argument));
  const sources = isUrgent ? undefined : newer();
  if (sources !== undefined) return await runSources(sources);
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (found === undefined) throw unknownSubcommand(command, Object.keys(commands));
  if (wantsHelp(rest) && (await (await import("./help/help.ts")).printHelp([command, ...rest]))) return 0;
  if (found.isModule) keepModules();
  try {
    const { run } = await found.load();
    return await run(rest, globals, newer);
  } catch (error) {
    if (error instanceof Error && "exitCode" in error) Object.assign(error, { command });
    throw error;
  }
}

/** A server that is started with no other arguments has a client that waits: it answers that first, and checks afterwards whether its bundle is old. */
const plainServer: readonly string[] = ["--stdio", "--analytics-default-enabled"];

/** The exit code is then set by them. */
async function runSources(sources: string): Promise<number> {
  await import(pathToFileURL(path.join(sources, "cli", "main.ts")).href);
  return 0;
}

/** What stands after `--` belongs to the command that is run. */
function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((argument) => argument === "--help" || argument === "-h");
}

/**
 * Global flags stand before the subcommand; everything after it belongs to the subcommand. Without one it is the terminal client, whose
 * flags and prompt need no subcommand before them: a subcommand holds no spaces. Flags of the agent may stand before it too.
 */
async function split(args: readonly string[]): Promise<CommandLine> {
  const config: string[] = [];
  let logLevel: string | undefined;
  const globals = (): Globals => ({ config, logLevel });
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] ?? "";
    const [flag = "", glued] = argument.startsWith("--") ? cut(argument) : [argument];
    const value = (): string => glued ?? args[++i] ?? missingValue(flag);
    const name = globalFlagOf(flag);
    switch (name) {
      case "version":
      case "help":
        return { command: name, rest: [], globals: globals() };
      case "config":
        config.push(value());
        continue;
      case "enable":
      case "disable":
        config.push(`features.${value()}=${name === "enable"}`);
        continue;
      case "log-level":
        logLevel = value();
        continue;
      default:
        name satisfies undefined;
    }
    if (isMisspelt(flag)) throw new UsageError(unknownFlag(flag, globalNames));
    if (argument.startsWith("-")) return (await import("./leading-flags.ts")).behindFlags(args.slice(i), globals());
    if (/\s/.test(argument)) return { command: "tui", rest: args.slice(i), globals: globals() };
    return { command: argument === "e" ? "exec" : argument, rest: args.slice(i + 1), globals: globals() };
  }
  return { command: "tui", rest: [], globals: globals() };
}

const globalNames = globalFlags.map(({ name }) => name);
const globalFlagOf = (flag: string): (typeof globalNames)[number] | undefined =>
  globalFlags.find((row) => flag === `--${row.name}` || ("short" in row && flag === `-${row.short}`))?.name;
/** Nearly a flag of the command line itself; no flag of the terminal client is that near to one. */
const isMisspelt = (flag: string): boolean => flag.startsWith("--") && nearest(flag.slice(2), globalNames) !== undefined;

function cut(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function missingValue(flag: string): never {
  throw new UsageError(`the value of '${flag}' is missing`);
}

/** A refusal of the server, or of the system: a folder that may not be written, a disk that is full. Its message says it all. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof RpcError || (error instanceof Error && "syscall" in error && "code" in error);

/** An error with an exit code is for the user and says what to do; any other that is no refusal is a bug of ours, whose stack helps. */
function complain(error: unknown): number {
  if (!(error instanceof Error && "exitCode" in error)) {
    say(isRefusal(error) ? `error: ${error.message}` : inspect(error));
    return 1;
  }
  const program = "command" in error ? `parley ${error.command}` : "parley";
  say(`error: ${error.message}${error.exitCode === 2 ? `\n\nFor more information, try '${program} --help'.` : ""}`);
  return error.exitCode === 2 ? 2 : 1;
}

/** `parley-mcp-server` is `parley mcp-server`: some clients' settings can name a program but no arguments. */
function ownName(): readonly string[] {
  return calledAs() === "parley-mcp-server" ? ["mcp-server"] : [];
}

/** Runs what the process was started for; its outcome is the process's exit code. */
export async function runCommandLine(beginning: Beginning = fromSources): Promise<void> {
  openNetworkAtFirstFetch(process.env);
  process.exitCode = await main([...ownName(), ...process.argv.slice(2)], beginning).catch(complain);
}

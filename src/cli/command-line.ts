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
  const isUrgent = command === "app-server" && rest.every((word) => plainServer.includes(word));
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

/** A server that is started with no more than this has a client that waits: it greets that, and then looks whether its bundle is old. */
const plainServer: readonly string[] = ["--stdio", "--analytics-default-enabled"];

/** The exit code is then set by them. */
async function runSources(sources: string): Promise<number> {
  await import(pathToFileURL(path.join(sources, "cli", "main.ts")).href);
  return 0;
}

/** What stands after `--` is somebody else's. */
function wantsHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end === -1 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/**
 * Global flags stand before the subcommand; everything after it belongs to the subcommand. Without one it is the terminal client, whose
 * flags need no word before them, nor does its prompt: a subcommand holds no spaces. Flags of the agent may stand before it too.
 */
async function split(args: readonly string[]): Promise<CommandLine> {
  const config: string[] = [];
  let logLevel: string | undefined;
  const globals = (): Globals => ({ config, logLevel });
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? "";
    const [flag = "", glued] = word.startsWith("--") ? cut(word) : [word];
    const value = (): string => glued ?? args[++i] ?? missingValue(flag);
    if (flag === "--version" || flag === "-V") return { command: "version", rest: [], globals: globals() };
    if (flag === "--help" || flag === "-h") return { command: "help", rest: [], globals: globals() };
    if (flag === "-c" || flag === "--config") config.push(value());
    else if (flag === "--log-level") logLevel = value();
    else if (flag === "--enable" || flag === "--disable") config.push(`features.${value()}=${flag === "--enable"}`);
    else if (isMisspelt(flag)) throw new UsageError(unknownFlag(flag, globalFlags));
    else if (word.startsWith("-")) return (await import("./leading-flags.ts")).behindFlags(args.slice(i), globals());
    else if (/\s/.test(word)) return { command: "tui", rest: args.slice(i), globals: globals() };
    else return { command: word === "e" ? "exec" : word, rest: args.slice(i + 1), globals: globals() };
  }
  return { command: "tui", rest: [], globals: globals() };
}

const globalFlags = ["version", "help", "config", "log-level", "enable", "disable"];
/** Nearly a flag of the command line itself; no flag of the terminal client is that near to one. */
const isMisspelt = (flag: string): boolean => flag.startsWith("--") && nearest(flag.slice(2), globalFlags) !== undefined;

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

/** An error with an exit code is the user's to mend and says how; any other that is no refusal is ours, and its stack is what helps. */
function complain(error: unknown): number {
  if (!(error instanceof Error && "exitCode" in error)) {
    say(isRefusal(error) ? `error: ${error.message}` : inspect(error));
    return 1;
  }
  const words = "command" in error ? `parley ${error.command}` : "parley";
  say(`error: ${error.message}${error.exitCode === 2 ? `\n\nFor more information, try '${words} --help'.` : ""}`);
  return error.exitCode === 2 ? 2 : 1;
}

/** `parley-mcp-server` is `parley mcp-server`: some clients' settings can name a program but no words after it. */
function ownName(): readonly string[] {
  return calledAs() === "parley-mcp-server" ? ["mcp-server"] : [];
}

/** Runs what the process was started for; its outcome is the process's exit code. */
export async function runCommandLine(beginning: Beginning = fromSources): Promise<void> {
  openNetworkAtFirstFetch(process.env);
  process.exitCode = await main([...ownName(), ...process.argv.slice(2)], beginning).catch(complain);
}

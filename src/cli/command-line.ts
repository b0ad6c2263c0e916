/** The command line: finds the subcommand and runs it. Everything else is loaded later, to keep startup short. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { nearest } from "../lib/nearest.ts";
import { openNetworkAtFirstFetch } from "../lib/network.ts";
import { writeErrorMessage } from "../lib/system-error.ts";
import { RpcError } from "../protocol/errors.ts";
import type { NewerSources } from "./built-from.ts";
import { calledAs } from "./called-as.ts";
import { commands } from "./commands.ts";
import { globalFlags } from "./help/text.ts";
import type { CommandLine } from "./leading-flags.ts";
import { type Globals, toStderr, UsageError, unknownFlag, unknownSubcommand } from "./usage.ts";

/** What the entry point knows about the bundle. */
export interface Beginning {
  readonly newer: NewerSources;
  /** Lets Node cache the compiled code of ES modules, which our own cache does not contain. */
  readonly keepModules: () => void;
}
const fromSources: Beginning = { newer: () => undefined, keepModules: () => {} };

async function main(args: readonly string[], { newer, keepModules }: Beginning): Promise<number> {
  const { command, rest, globals, unused = [] } = await complete(await split(args));
  const isUrgent = command === "app-server" && rest.every((argument) => plainServer.includes(argument));
  const sources = isUrgent ? undefined : newer("server", "rest");
  if (sources !== undefined) return await runSources(sources);
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (found === undefined) throw unknownSubcommand(command, Object.keys(commands));
  for (const flag of unused) toStderr(`warning: '${flag}' has no effect on '${command}'`);
  if (wantsHelp(rest) && (await (await import("./help/help.ts")).printHelp([command, ...rest]))) return 0;
  if (found.isModule) keepModules();
  try {
    const { run } = await found.load();
    return await run(rest, globals, newer);
  } catch (error) {
    if (error instanceof Error && "exitCode" in error) Object.assign(error, { command, names: [command, ...rest.filter(isName)] });
    throw error;
  }
}

/** Loads the table of flags only for a line that has such a flag after its subcommand. */
async function complete(line: CommandLine): Promise<CommandLine> {
  const isSetting = (arg: string): boolean => /^(?:-c|--(?:config|enable|disable))(?:=|$)/.test(arg);
  return line.rest.some(isSetting) ? (await import("./settings-anywhere.ts")).settingsAnywhere(line) : line;
}

/** A server started without other arguments has a client waiting: it responds first, and checks afterwards whether its bundle is stale. */
const plainServer: readonly string[] = ["--stdio", "--analytics-default-enabled"];

/** The sources then set the exit code. */
async function runSources(sources: string): Promise<number> {
  await import(pathToFileURL(path.join(sources, "cli", "main.ts")).href);
  return 0;
}

/** Arguments after `--` belong to the command that is run. */
function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((argument) => argument === "--help" || argument === "-h");
}

/**
 * Global flags come before the subcommand; everything after it belongs to the subcommand. Without one it is the terminal client, whose
 * flags and prompt need no subcommand: subcommands contain no spaces. Flags of the agent may come before the subcommand too.
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
/** Similar to a global flag; no flag of the terminal client is that similar to one. */
const isMisspelt = (flag: string): boolean => flag.startsWith("--") && nearest(flag.slice(2), globalNames) !== undefined;

function cut(arg: string): [string, string?] {
  const at = arg.indexOf("=");
  return at === -1 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}

function missingValue(flag: string): never {
  throw new UsageError(`the value of '${flag}' is missing`);
}

/** An error of the server or the system: a folder that is not writable, a full disk. Its message is enough. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof RpcError || (error instanceof Error && "syscall" in error && "code" in error);

/** An error with an exit code is for the user and says what to do; any other one that is no refusal is our bug, and its stack helps. */
async function reportError(error: unknown): Promise<number> {
  if (!(error instanceof Error && "exitCode" in error)) {
    toStderr(isRefusal(error) ? `error: ${writeErrorMessage(error)}` : inspect(error));
    return 1;
  }
  const program = "command" in error ? `parley ${error.command}` : "parley";
  const about = error instanceof UsageError && error.unknown !== undefined ? await aboutUnknown(error, error.unknown) : "";
  toStderr(`error: ${error.message}${about}${error.exitCode === 2 ? `\n\nFor more information, try '${program} --help'.` : ""}`);
  return error.exitCode === 2 ? 2 : 1;
}

/** Users and scripts that come from Codex read why something is not here, or what does it. */
async function aboutUnknown(error: UsageError, unknown: string): Promise<string> {
  const names = "names" in error && Array.isArray(error.names) ? error.names.map(String) : [];
  const at = names.indexOf(unknown);
  const why = (await import("./codex-only.ts")).aboutCodex(at === -1 ? names : names.slice(0, at), unknown);
  return why === undefined ? "" : `\nCodex has it; here: ${why}.`;
}
const isName = (argument: string): boolean => /^[a-z][a-z-]*$/.test(argument);

/** `parley-mcp-server` is `parley mcp-server`: some clients' settings can name a program but no arguments. */
function ownName(): readonly string[] {
  return calledAs() === "parley-mcp-server" ? ["mcp-server"] : [];
}

/** Runs the process's command; its result is the exit code. */
export async function runCommandLine(beginning: Beginning = fromSources): Promise<void> {
  openNetworkAtFirstFetch(process.env);
  process.exitCode = await main([...ownName(), ...process.argv.slice(2)], beginning).catch(reportError);
}

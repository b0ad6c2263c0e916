/**
 * Parses command lines into the simple commands that a shell would run, and into text for display. Anything that is not plain stays opaque.
 */
import path from "node:path";
import { quoteCommand } from "./quote.ts";
import { type ShellParser, wordOnlyCommands } from "./simple-commands.ts";
import type { Shell } from "./words.ts";

export const loadShellParser = (): Promise<ShellParser> => import("unbash");

export interface CommandLine {
  /** The simple commands in order; undefined if the script could not be parsed completely. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /** The script passed to the shell, unchanged. */
  readonly script: string | undefined;
  /** Whether the script contains another shell call, whose script was parsed too. */
  readonly isNested: boolean;
  readonly display: string;
}

const maxDepth = 4;

export function understand(argv: readonly string[], parser: ShellParser): CommandLine {
  const call = shellCall(argv);
  const display = quoteCommand(argv);
  if (call === undefined) return { commands: argv.length === 0 ? undefined : [argv], script: undefined, isNested: false, display };
  const outer = wordOnlyCommands(call.script, call.shell, parser);
  const isNested = outer?.some((command) => shellCall(command) !== undefined) ?? false;
  return { commands: outer && unnest(outer, parser, 1), script: call.script, isNested, display };
}

/** Replaces shell calls with the commands of their scripts. A script that is opaque or nested too deeply makes the whole line opaque. */
function unnest(commands: readonly string[][], parser: ShellParser, depth: number): string[][] | undefined {
  const found: string[][] = [];
  for (const command of commands) {
    const call = shellCall(command);
    if (call === undefined) {
      found.push(command);
      continue;
    }
    const inner = depth < maxDepth ? wordOnlyCommands(call.script, call.shell, parser) : undefined;
    const flat = inner && unnest(inner, parser, depth + 1);
    if (flat === undefined) return undefined;
    found.push(...flat);
  }
  return found;
}

const shells: Readonly<Record<string, Shell>> = { bash: "bash", sh: "sh", dash: "sh", zsh: "zsh" };
const shellFolders = new Set(["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/run/current-system/sw/bin"]);

/** Matches `bash -lc SCRIPT` and similar calls, but none with further options or arguments. */
export function shellCall(argv: readonly string[]): { readonly shell: Shell; readonly script: string } | undefined {
  const [program = "", flag = "", script] = argv;
  if (argv.length !== 3 || script === undefined || !["-c", "-lc", "-cl"].includes(flag)) return undefined;
  const folder = path.posix.dirname(program);
  const shell = Object.hasOwn(shells, path.posix.basename(program)) ? shells[path.posix.basename(program)] : undefined;
  if (shell === undefined || (program.includes("/") && !shellFolders.has(folder))) return undefined;
  return { shell, script };
}

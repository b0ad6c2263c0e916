/** Understands command lines: what a shell would run, as simple commands, and how to show it. Whatever is not plain stays opaque. */
import path from "node:path";
import { quoteCommand } from "./quote.ts";
import { type ShellParser, wordOnlyCommands } from "./simple-commands.ts";
import type { Shell } from "./words.ts";

export const loadShellParser = (): Promise<ShellParser> => import("unbash");

export interface CommandLine {
  /** The simple commands in order; undefined when not everything was understood. */
  readonly commands: readonly (readonly string[])[] | undefined;
  /** The script of a shell call, as it was given. */
  readonly script: string | undefined;
  /** A shell inside the shell was looked into. */
  readonly isNested: boolean;
  readonly display: string;
}

const maxDepth = 4;

export function understand(argv: readonly string[], parser: ShellParser): CommandLine {
  const call = shellCall(argv);
  const display = quoteCommand(argv);
  if (call === undefined) return { commands: argv.length === 0 ? undefined : [argv], script: undefined, isNested: false, display };
  const outer = wordOnlyCommands(call.script, call.shell, parser);
  const isNested = outer?.some((words) => shellCall(words) !== undefined) ?? false;
  return { commands: outer && unnest(outer, parser, 1), script: call.script, isNested, display };
}

/** Replaces shell calls by the commands of their scripts. One that is opaque, or too deep, makes the whole opaque. */
function unnest(commands: readonly string[][], parser: ShellParser, depth: number): string[][] | undefined {
  const found: string[][] = [];
  for (const words of commands) {
    const call = shellCall(words);
    if (call === undefined) {
      found.push(words);
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

/** `bash -lc SCRIPT` and its like, and nothing with a further option or argument. */
export function shellCall(argv: readonly string[]): { readonly shell: Shell; readonly script: string } | undefined {
  const [program = "", flag = "", script] = argv;
  if (argv.length !== 3 || script === undefined || !["-c", "-lc", "-cl"].includes(flag)) return undefined;
  const folder = path.posix.dirname(program);
  const shell = Object.hasOwn(shells, path.posix.basename(program)) ? shells[path.posix.basename(program)] : undefined;
  if (shell === undefined || (program.includes("/") && !shellFolders.has(folder))) return undefined;
  return { shell, script };
}

/** What a login shell is after its files were read, as data: a script that prints it, and how that is read. For the capture of snapshots. */

import { sandboxVariables } from "../environment.ts";

/** Printed between the parts; nobody else knows it. */
const parts = [
  "set +o; builtin shopt -p",
  "builtin alias -p; builtin declare -f; builtin trap -p; builtin complete -p; builtin enable -n; builtin jobs -l",
  "builtin umask; builtin ulimit -Sa; builtin ulimit -Ha; builtin pwd; builtin pwd -P; builtin dirs",
  "builtin printf '%s ' /dev/fd/*",
];

/** Variables that differ from one shell to the next, whatever its files do, those of the script itself, and the places of programs that a shell keeps in mind. */
const ownVariables = `__parley_*|_|PPID|BASHPID|RANDOM|SRANDOM|SECONDS|EPOCH*|BASH_COMMAND|BASH_EXECUTION_STRING|LINENO|BASH_LINENO|BASH_SUBSHELL|\
BASH_MONOSECONDS|BASH_CMDS|FUNCNAME|PIPESTATUS|HISTCMD|IFS|PARLEY_COMMAND_ID`;

/** A script that prints its shell's state. What the shell's files print before it is part of what is read. */
export function stateScript(mark: string): string {
  const line = `builtin printf '\\0%s\\0' ${mark}`;
  return `{ builtin printf '\\0%s\\0%s\\n' ${mark} "$?" "\${!-}" "$-" "$0" "$#"; ${line}; /usr/bin/env -0; ${parts.map((part) => `${line}; ${part}`).join("; ")}
${line}; builtin declare -p IFS; IFS=$' \\t\\n'
for __parley_name in $(builtin compgen -v); do
case $__parley_name in ${ownVariables}) ;; *) builtin declare -p "$__parley_name" ;; esac
done; ${line}; } 2>/dev/null`;
}

/** A script that prints only its environment. */
export const environmentScript = (mark: string): string =>
  `builtin printf '\\0%s\\0' ${mark}; /usr/bin/env -0; builtin printf '\\0%s\\0' ${mark}`;

export interface ShellState {
  readonly env: ReadonlyMap<string, string>;
  /** Everything else, to be compared. */
  readonly rest: string;
}

/** Undefined where the shell did not print all of it, or printed anything else. */
export function readState(output: Uint8Array, mark: string): ShellState | undefined {
  const pieces = cut(output, mark);
  if (pieces === undefined || pieces.length !== parts.length + 5) return undefined;
  const [before, first = "", variables = "", ...others] = pieces;
  const env = readEnvironment(variables);
  if (before !== "" || others.at(-1) !== "" || env === undefined) return undefined;
  return { env, rest: [first, ...others].join("\0") };
}

/** The text between the marks; undefined where it is not UTF-8, which could not be passed on unchanged. */
export function cut(output: Uint8Array, mark: string): string[] | undefined {
  const text = Buffer.from(output).toString("utf8");
  return Buffer.from(text).equals(output) ? text.split(`\0${mark}\0`) : undefined;
}

export function readEnvironment(text: string): ReadonlyMap<string, string> | undefined {
  const env = new Map<string, string>();
  for (const entry of text.split("\0").filter((each) => each !== "")) {
    const at = entry.indexOf("=");
    if (at <= 0) return undefined;
    env.set(entry.slice(0, at), entry.slice(at + 1));
  }
  return env;
}

/** Each command has its own value of the runner's mark, and each program of `_`. */
const isOwn = (name: string): boolean => name === "_" || name === "PARLEY_COMMAND_ID";

export function isSameEnvironment(a: ShellState["env"], b: ShellState["env"]): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) if (!b.has(name) || (!isOwn(name) && b.get(name) !== value)) return false;
  return true;
}

export const isSameState = (a: ShellState, b: ShellState): boolean => a.rest === b.rest && isSameEnvironment(a.env, b.env);

/** Those of the command itself, which its shell sets. */
const ofCommand = ["SHLVL", "_", "PWD", "OLDPWD", "PARLEY_COMMAND_ID"];

/** They count when a program is started, and would do so for the shell itself and for what starts it, where the login files set them only for what it runs. */
const ofStart =
  /^(?:LD_|DYLD_|GLIBC_|MALLOC_|GCONV_PATH$|LOCPATH$|NLSPATH$|BASH_(?:ENV|COMPAT|XTRACEFD)$|ENV$|POSIXLY_CORRECT$|SHELLOPTS$|BASHOPTS$|PS4$|IFS$|BASH_FUNC_)/;

/** The folders that a sandboxed command may write depend on them: login files, which commands may have written, must not choose these. */
const ofSandbox = new Set(sandboxVariables);

export function changesStart(captured: ShellState["env"], given: Readonly<Record<string, string>>): boolean {
  return [...captured.keys(), ...Object.keys(given)].some(
    (name) => (ofStart.test(name) || ofSandbox.has(name)) && captured.get(name) !== given[name],
  );
}

/** The environment to start a command's shell with, so that it has what the login files produced for a command with `given`. */
export function environmentFrom(captured: ShellState["env"], given: Readonly<Record<string, string>>): Record<string, string> {
  const env = Object.fromEntries(captured);
  for (const name of ofCommand) {
    delete env[name];
    if (given[name] !== undefined) env[name] = given[name];
  }
  return env;
}

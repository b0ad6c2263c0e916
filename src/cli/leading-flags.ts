/** Flags of the agent before a subcommand: `parley -m x exec …` means the same as `parley exec -m x …`. */
import { commands } from "./commands.ts";
import { help as execHelp } from "./exec/help.ts";
import { allFlags } from "./help/text.ts";
import { help as terminalHelp } from "./tui/help.ts";
import { type Globals, oneOf, UsageError } from "./usage.ts";

export interface CommandLine {
  readonly command: string;
  readonly rest: readonly string[];
  readonly globals: Globals;
  /** Flags before the subcommand that mean nothing to it. */
  readonly unused?: readonly string[];
}

interface Given {
  /** As typed, for error messages. */
  readonly spelt: string;
  readonly name: string;
  readonly value: string | undefined;
}

/**
 * Contract: the first argument is a flag. Without a subcommand after the flags, or with unknown flags, the line belongs to the terminal
 * client, which reports what is wrong with it.
 */
export function behindFlags(args: readonly string[], globals: Globals): CommandLine {
  const { given, at } = readLeading(args);
  const arg = args[at] ?? "";
  const command = arg === "e" ? "exec" : arg;
  if (!Object.hasOwn(commands, command)) return { command: "tui", rest: args, globals };
  const after = args.slice(at + 1);
  if (ofTerminal.includes(command)) return { command, rest: [...args.slice(0, at), ...after], globals };
  if (ofExec.includes(command)) return { command, rest: [...given.flatMap((flag) => forExec(flag, command)), ...after], globals };
  const settings = given.flatMap((flag) => forOthers(flag, command));
  const logLevel = given.findLast(({ name }) => name === "log-level")?.value ?? globals.logLevel;
  const strict = command === "app-server" && given.some(({ name }) => name === "strict-config") ? ["--strict-config"] : [];
  const folder = command === "sandbox" ? given.filter(({ name }) => name === "cd").map(({ value }) => `--cd=${value}`) : [];
  const unused = given.filter(({ name }) => ofTheSession.includes(name) && !(name === "cd" && folder.length > 0)).map(({ spelt }) => spelt);
  const line = { command, rest: [...strict, ...folder, ...after], globals: { config: [...globals.config, ...settings], logLevel } };
  return unused.length === 0 ? line : { ...line, unused };
}

const ofTerminal = ["tui", "resume", "fork"];
const ofExec = ["exec", "review"];

/** Stops at the first argument that is no flag of the terminal client; `at` is its index. */
function readLeading(args: readonly string[]): { readonly given: readonly Given[]; readonly at: number } {
  const given: Given[] = [];
  let at = 0;
  for (let found = flagAt(args, at); found !== undefined; found = flagAt(args, at)) {
    given.push(found);
    at += found.count;
  }
  return { given, at };
}

function flagAt(args: readonly string[], at: number): (Given & { readonly count: number }) | undefined {
  const arg = args[at] ?? "";
  const [, long, short, glued] = /^(?:--([a-z][a-z-]*)|-([A-Za-z]))(?:=?(.+))?$/s.exec(arg) ?? [];
  const entry = allFlags(terminalHelp).find((row) => row.name === long || (row.short !== undefined && row.short === short));
  if (entry === undefined) return undefined;
  const { name } = entry;
  const spelt = long === undefined ? `-${short}` : `--${long}`;
  if (entry.value === undefined) return glued === undefined ? { spelt, name, value: undefined, count: 1 } : undefined;
  const value = glued ?? args[at + 1];
  return value === undefined ? undefined : { spelt, name, value, count: glued === undefined ? 2 : 1 };
}

const approvals = ["untrusted", "on-failure", "on-request", "never"] as const;

/** A flag as config overrides; undefined when it sets nothing. */
function settingsFrom({ name, value = "" }: Given): readonly string[] | undefined {
  switch (name) {
    case "config":
      return [value];
    case "enable":
    case "disable":
      return [`features.${value}=${name === "enable"}`];
    case "model":
      return [`model=${JSON.stringify(value)}`];
    case "profile":
      return [`profile=${JSON.stringify(value)}`];
    case "sandbox":
      return [`sandbox_mode="${oneOf("sandbox", value, ["read-only", "workspace-write", "danger-full-access"])}"`];
    case "ask-for-approval":
      return [`approval_policy="${oneOf("ask-for-approval", value, approvals)}"`];
    case "search":
      return ['web_search="live"'];
    case "full-auto":
      return ['sandbox_mode="workspace-write"', 'approval_policy="on-request"'];
    case "approve-for-me":
      return ['sandbox_mode="workspace-write"', 'approval_policy="on-request"', 'approvals_reviewer="auto_review"'];
    case "yolo":
    case "dangerously-bypass-approvals-and-sandbox":
      return ['sandbox_mode="danger-full-access"', 'approval_policy="never"'];
    default:
      return undefined;
  }
}

/** About a screen that other subcommands do not have. */
const ofTheScreen = ["no-alt-screen", "screen-reader", "no-daemon"];
/** About a session; commands that open none only warn that they have no effect. */
const ofTheSession = ["cd", "add-dir", "oss", "local-provider", "dangerously-bypass-hook-trust"];

function forExec(flag: Given, command: string): readonly string[] {
  const { name, value } = flag;
  if (allFlags(execHelp).some((row) => row.name === name)) return [value === undefined ? `--${name}` : `--${name}=${value}`];
  const settings = settingsFrom(flag);
  if (settings !== undefined) return settings.map((setting) => `--config=${setting}`);
  return ofTheScreen.includes(name) ? [] : refuse(flag, command);
}

function forOthers(flag: Given, command: string): readonly string[] {
  const settings = settingsFrom(flag);
  if (settings !== undefined) return settings;
  if (flag.name === "strict-config" && command === "app-server") return []; // passed on unchanged
  return [...ofTheScreen, ...ofTheSession, "log-level"].includes(flag.name) ? [] : refuse(flag, command);
}

function refuse({ spelt }: Given, command: string): never {
  throw new UsageError(`'${spelt}' means nothing to '${command}'; leave it out`);
}

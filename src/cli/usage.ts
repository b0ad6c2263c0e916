/** What all subcommands share: parsing flags and refusing invalid ones. */
import { homedir } from "node:os";
import path from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { errorMessage } from "../lib/error-text.ts";
import { nearest } from "../lib/nearest.ts";
import { isCode, writeErrorMessage } from "../lib/system-error.ts";
import { clean, terminalJson } from "../lib/terminal-text.ts";
import type { NewerSources } from "./built-from.ts";
import type { FlagHelp, Help } from "./help/text.ts";

/** The command line is invalid. */
export class UsageError extends Error {
  readonly exitCode = 2;
  /** The flag or subcommand that is not known. */
  readonly unknown: string | undefined;

  constructor(message: string, unknown?: string) {
    super(message);
    this.unknown = unknown;
  }
}
/** The command line is valid but cannot be carried out. */
export class StartError extends Error {
  readonly exitCode = 1;
}

/** Why a server could not listen on its address, and what to do about it. */
export function cannotListen(error: Error, where = ""): StartError {
  const hint = "code" in error && error.code === "EADDRINUSE" ? "; another program is there: choose another address with --listen" : "";
  return new StartError(`cannot listen${where}: ${error.message}${hint}`);
}

export type Run = (args: readonly string[], globals: Globals, newer?: NewerSources) => Promise<number>;
/** Flags before the subcommand. */
export interface Globals {
  readonly config: readonly string[];
  readonly logLevel?: string | undefined;
}

/** The rows of flags in a subcommand's help. */
export type Taken = Pick<Help, "flags" | "groups">;
type RowOf<H extends Taken> =
  | (H extends { readonly flags: readonly (infer Row extends FlagHelp)[] } ? Row : never)
  | (H extends { readonly groups: Readonly<Record<string, readonly (infer Row extends FlagHelp)[]>> } ? Row : never);
/** What a flag's row says about its value. */
type ValueOf<Row extends FlagHelp> = Row extends { readonly value: string }
  ? Row extends { readonly many: true }
    ? string[]
    : string
  : boolean;
export type Values<H extends Taken> = { readonly [Row in RowOf<H> as Row["name"]]?: ValueOf<Row> | undefined };

/**
 * Flags and positional arguments, according to the subcommand's help. An unknown flag or a missing value is a UsageError that names it, and
 * suggests the flag that was meant.
 */
export function readFlags<const H extends Taken>(
  args: readonly string[],
  { flags = [], groups = {} }: H,
): { readonly values: Values<H>; readonly positionals: string[] } {
  if (args.length === 0) return { values: {}, positionals: [] }; // a client waits for such a server: what reads arguments takes half a millisecond to load
  const rows: readonly FlagHelp[] = [...flags, ...Object.values(groups).flat()];
  const options = Object.fromEntries(rows.map((row) => [row.name, optionOf(row)]));
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    // The rows that define the options also define the type.
    return { values: values as Values<H>, positionals };
  } catch (error) {
    throw whatIsWrong(error, options);
  }
}

/** For subcommands that run another program: its command line begins after `--` or at the first argument that is no flag. */
export function splitCommand(
  args: readonly string[],
  help: Taken,
): { readonly own: readonly string[]; readonly command: readonly string[] } {
  const rows: readonly FlagHelp[] = [...(help.flags ?? []), ...Object.values(help.groups ?? {}).flat()];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? "";
    if (arg === "--") return { own: args.slice(0, i), command: args.slice(i + 1) };
    if (!arg.startsWith("-")) return { own: args.slice(0, i), command: args.slice(i) };
    const row = rows.find(({ name, short }) => arg === `--${name}` || (short !== undefined && arg === `-${short}`));
    if (row?.value !== undefined) i++;
  }
  return { own: args, command: [] };
}

type Options = NonNullable<ParseArgsConfig["options"]>;

const optionOf = ({ value, short, many }: FlagHelp): Options[string] => ({
  type: value === undefined ? "boolean" : "string",
  multiple: many === true,
  ...(short === undefined ? {} : { short }),
});

function whatIsWrong(error: unknown, options: Options): UsageError {
  const [sentence = "wrong arguments"] = errorMessage(error).split(". ");
  const [, flag] = /^Unknown option '(--?[^']+)'/.exec(sentence) ?? [];
  return flag === undefined ? new UsageError(sentence) : new UsageError(unknownFlag(flag, Object.keys(options)), flag);
}

/** `known` without dashes. */
export function unknownFlag(flag: string, known: readonly string[]): string {
  const meant = nearest(flag.replace(/^-+/, ""), known);
  return `unexpected argument '${flag}' found${meant === undefined ? "" : `; did you mean '--${meant}'?`}`;
}

export function unknownSubcommand(name: string, known: readonly string[]): UsageError {
  const meant = nearest(name, known);
  return new UsageError(`unrecognized subcommand '${name}'${meant === undefined ? "" : `; did you mean '${meant}'?`}`, name);
}

/** For commands that accept fewer arguments than they got. */
export function refuseMore(args: readonly string[], allowed = 0): void {
  const extra = args[allowed];
  if (extra !== undefined) throw new UsageError(`unexpected argument '${extra}' found`);
}

/** A value from a fixed list; any other is a UsageError that names them all. */
export function oneOf<const T extends string>(flag: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const meant = nearest(value, choices);
  throw new UsageError(
    `invalid value '${value}' for '--${flag}': expected ${choices.join(", ")}${meant === undefined ? "" : `; did you mean '${meant}'?`}`,
  );
}

/** Writes to stdout and returns success. Text from others in names, errors and settings cannot control the terminal. */
export function print(text: string): number {
  return printStyled(process.stdout.isTTY ? clean(text) : text);
}
/** The same for text with our own colours, whose other parts are already clean. */
export function printStyled(text: string): number {
  toStdout(text);
  return 0;
}
export const printJson = (value: unknown): number => printStyled(`${terminalJson(value, 2)}\n`);

/** Everything that a subcommand prints, unless it handles the failures of stdout itself. */
export function toStdout(text: string | Uint8Array): void {
  if (process.stdout.listenerCount("error") === 0) process.stdout.on("error", outputFailed);
  process.stdout.write(text);
}

/** What SIGPIPE would have ended the process with. */
const readerGone = 141;

/** A reader that has left, such as `head`, needs no message. */
function outputFailed(error: Error): void {
  const isGone = isCode(error, "EPIPE");
  if (!isGone) toStderr(`error: the output could not be written: ${writeErrorMessage(error)}`);
  process.exit(isGone ? readerGone : 1);
}

/** Writes a line to stderr, for the person. */
export function toStderr(text: string): void {
  // A person who no longer reads it does not end what runs.
  if (process.stderr.listenerCount("error") === 0) process.stderr.on("error", () => {});
  process.stderr.write(`${clean(text)}\n`);
}

/** Where config, threads and credentials live. */
export const codexHome = (): string => path.resolve(process.env["CODEX_HOME"] || path.join(homedir(), ".codex"));

export interface StopSignals {
  /** Resolves with the first signal. */
  readonly stopped: Promise<void>;
  /** Aborted by the second SIGTERM or SIGINT; the third ends the process at once. */
  readonly again: AbortSignal;
}

/** For a server that finishes its work first. SIGHUP asks for no more than that, however often it comes. */
export function stopSignals(): StopSignals {
  const again = new AbortController();
  let count = 0;
  const stopped = new Promise<void>((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      resolve();
      count = signal === "SIGHUP" ? Math.max(count, 1) : count + 1;
      if (count < 2 || signal === "SIGHUP") return;
      for (const name of ["SIGTERM", "SIGINT"] as const) process.off(name, onSignal);
      again.abort(new Error("told to stop a second time"));
    };
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, onSignal);
  });
  return { stopped, again: again.signal };
}

/** A second signal ends the process at once, as it would without a handler. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

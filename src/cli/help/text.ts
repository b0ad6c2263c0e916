/**
 * A subcommand's flags and help as data: it parses the command line, prints --help, drives shell completion and generates the man
 * page.
 */

export interface FlagHelp {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** The value's name in the help: `FILE` and `DIR` are completed as paths. Missing for switches. */
  readonly value?: string;
  /** May be repeated, each time with a value. */
  readonly many?: true;
  /** All accepted values. */
  readonly choices?: readonly string[];
  readonly text: string;
}

export interface Help {
  /** One sentence for lists. */
  readonly summary: string;
  /** More text, one paragraph each. */
  readonly text?: readonly string[];
  /** What follows the command's name, one line per form. */
  readonly usage: readonly string[];
  readonly commands?: Readonly<Record<string, Help>>;
  /** Positional arguments that shells complete. */
  readonly completions?: readonly string[];
  readonly flags?: readonly FlagHelp[];
  /** Further flags under a heading of their own. */
  readonly groups?: Readonly<Record<string, readonly FlagHelp[]>>;
  /** Tables and notes under a heading. */
  readonly notes?: Readonly<Record<string, string>>;
  readonly exitCodes?: string;
  /** Example command lines with explanations. */
  readonly examples: readonly (readonly [line: string, text: string])[];
}

/** The exit codes of every subcommand that does not list its own. */
export const exitCodes = "0 done, 1 it could not be done, 2 the command line is wrong";

export const configFlag = {
  name: "config",
  short: "c",
  value: "key=value",
  many: true,
  text: "Override a value of config.toml; the value is TOML, or plain text when it is none; repeatable",
} as const satisfies FlagHelp;
export const featureFlags = [
  { name: "enable", value: "FEATURE", many: true, text: "The same as -c features.<FEATURE>=true" },
  { name: "disable", value: "FEATURE", many: true, text: "The same as -c features.<FEATURE>=false" },
] as const satisfies readonly FlagHelp[];
export const logFlag = {
  name: "log-level",
  value: "LEVEL",
  choices: ["error", "warn", "info", "debug"],
  text: "Write error, warn, info or debug lines to stderr as well (also PARLEY_LOG); without it they go to the log file alone",
} as const satisfies FlagHelp;
/** Accepted before and after every subcommand. */
export const settingsFlags = [configFlag, ...featureFlags] as const;
/** The flags of every subcommand that runs the agent. */
export const agentFlags = [...settingsFlags, logFlag] as const;
export const jsonFlag = { name: "json", text: "Print JSON" } as const satisfies FlagHelp;

/** Of every command that speaks to a fleet's engine. */
export const fleetFileFlag = {
  name: "fleet-file",
  value: "FILE",
  text: "A file of mode 0600 with the engine's address, instead of PARLEY_FLEET",
} as const satisfies FlagHelp;
const helpFlag = { name: "help", short: "h", text: "Print this text" } as const satisfies FlagHelp;
/** The flags before a subcommand: command-line.ts accepts these and no others. */
export const globalFlags = [...agentFlags, { name: "version", short: "V", text: "Print the version" }, helpFlag] as const;

export const allFlags = ({ flags = [], groups = {} }: Help): readonly FlagHelp[] => [...flags, ...Object.values(groups).flat()];

/** The flags for settings that the subcommand does not list itself. */
export const settingsOf = (help: Help): readonly FlagHelp[] =>
  settingsFlags.filter(({ name }) => !allFlags(help).some((flag) => flag.name === name));

/** `name` is the full command: `parley threads list`. */
export function renderHelp(name: string, help: Help, width: number): string {
  const flags = [...(help.flags ?? []), ...settingsOf(help), helpFlag];
  const blocks = [
    wrapped(help.summary, width, ""),
    ...(help.text ?? []).map((paragraph) => wrapped(paragraph, width, "")),
    help.usage.map((form, i) => `${i === 0 ? "Usage:" : "      "} ${`${name} ${form}`.trimEnd()}`).join("\n"),
    section(
      "Commands",
      Object.entries(help.commands ?? {}).map(([name, { summary }]) => [name, summary]),
      width,
    ),
    section("Options", flags.map(flagRow), width),
    ...Object.entries(help.groups ?? {}).map(([title, group]) => section(title, group.map(flagRow), width)),
    ...Object.entries(help.notes ?? {}).map(([title, text]) => `${title}:\n${indented(text)}`),
    wrapped(`Exit codes: ${help.exitCodes ?? exitCodes}.`, width, ""),
    help.examples.length === 0 ? "" : `Examples:\n${help.examples.map(([line, text]) => `  # ${text}\n  ${line}`).join("\n")}`,
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

export function section(title: string, rows: readonly (readonly [string, string])[], width: number): string {
  if (rows.length === 0) return "";
  const widest = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= 34), 0);
  return `${title}:\n${rows.map((row) => tableRow(row, widest, width)).join("\n")}`;
}

/** A left side that is too wide for its column gets a line of its own. */
function tableRow([left, right]: readonly [string, string], column: number, width: number): string {
  const indent = " ".repeat(column + 4);
  const text = wrapped(right, width, indent);
  return left.length > column ? `  ${left}\n${text}` : `  ${left.padEnd(column)}  ${text.trimStart()}`;
}

export function flagRow({ name, short, value, choices, text }: FlagHelp): readonly [string, string] {
  const left = `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
  return [left, choices === undefined || text.includes(choices[0] ?? "") ? text : `${text}: ${choices.join(", ")}`];
}

/** Wraps at spaces; a word longer than the line is not broken. */
export function wrapped(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line].join("\n");
}

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${line}`.trimEnd())
    .join("\n");

/**
 * What a subcommand takes and says of itself, as data: the command line is parsed by it, --help prints it, shells complete it, the man page
 * is made from it.
 */

export interface FlagHelp {
  /** Without dashes. */
  readonly name: string;
  readonly short?: string;
  /** What stands after it: `FILE` and `DIR` are completed as paths. Missing for switches. */
  readonly value?: string;
  /** It may be given several times, each with a value. */
  readonly many?: true;
  /** All the values it takes. */
  readonly choices?: readonly string[];
  readonly says: string;
}

export interface Help {
  /** One sentence for lists. */
  readonly summary: string;
  /** More sentences, a paragraph each. */
  readonly says?: readonly string[];
  /** What stands after the command's own name, one line for each form. */
  readonly usage: readonly string[];
  readonly commands?: Readonly<Record<string, Help>>;
  /** Positional arguments that shells complete. */
  readonly completions?: readonly string[];
  readonly flags?: readonly FlagHelp[];
  /** Further flags under a heading of their own. */
  readonly groups?: Readonly<Record<string, readonly FlagHelp[]>>;
  /** Tables and remarks under a heading. */
  readonly notes?: Readonly<Record<string, string>>;
  readonly exitCodes?: string;
  /** Command lines with what they do. */
  readonly examples: readonly (readonly [line: string, says: string])[];
}

/** The codes of every subcommand that does not say otherwise. */
export const exitCodes = "0 done, 1 it could not be done, 2 the command line is wrong";

export const configFlag = {
  name: "config",
  short: "c",
  value: "key=value",
  many: true,
  says: "Override a value of config.toml; the value is TOML, or plain text when it is none; repeatable",
} as const satisfies FlagHelp;
export const featureFlags = [
  { name: "enable", value: "FEATURE", many: true, says: "The same as -c features.<FEATURE>=true" },
  { name: "disable", value: "FEATURE", many: true, says: "The same as -c features.<FEATURE>=false" },
] as const satisfies readonly FlagHelp[];
export const logFlag = {
  name: "log-level",
  value: "LEVEL",
  choices: ["error", "warn", "info", "debug"],
  says: "Write error, warn, info or debug lines to stderr as well (also PARLEY_LOG); without it they go to the log file alone",
} as const satisfies FlagHelp;
/** What every subcommand takes that runs the agent. */
export const agentFlags = [configFlag, ...featureFlags, logFlag] as const;
export const jsonFlag = { name: "json", says: "Print JSON" } as const satisfies FlagHelp;
const helpFlag = { name: "help", short: "h", says: "Print this text" } as const satisfies FlagHelp;
/** What stands before a subcommand: command-line.ts takes these and no others. */
export const globalFlags = [...agentFlags, { name: "version", short: "V", says: "Print the version" }, helpFlag] as const;

export const allFlags = ({ flags = [], groups = {} }: Help): readonly FlagHelp[] => [...flags, ...Object.values(groups).flat()];

/** `name` is the whole of it: `parley threads list`. */
export function renderHelp(name: string, help: Help, width: number): string {
  const flags = [...(help.flags ?? []), helpFlag];
  const blocks = [
    wrapped(help.summary, width, ""),
    ...(help.says ?? []).map((paragraph) => wrapped(paragraph, width, "")),
    help.usage.map((form, i) => `${i === 0 ? "Usage:" : "      "} ${`${name} ${form}`.trimEnd()}`).join("\n"),
    section(
      "Commands",
      Object.entries(help.commands ?? {}).map(([word, { summary }]) => [word, summary]),
      width,
    ),
    section("Options", flags.map(flagRow), width),
    ...Object.entries(help.groups ?? {}).map(([title, group]) => section(title, group.map(flagRow), width)),
    ...Object.entries(help.notes ?? {}).map(([title, text]) => `${title}:\n${indented(text)}`),
    wrapped(`Exit codes: ${help.exitCodes ?? exitCodes}.`, width, ""),
    help.examples.length === 0 ? "" : `Examples:\n${help.examples.map(([line, says]) => `  # ${says}\n  ${line}`).join("\n")}`,
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

export function section(title: string, rows: readonly (readonly [string, string])[], width: number): string {
  if (rows.length === 0) return "";
  const widest = Math.max(...rows.map(([left]) => left.length).filter((length) => length <= 34), 0);
  return `${title}:\n${rows.map((row) => tableRow(row, widest, width)).join("\n")}`;
}

/** A left side that is too wide for its column has a line of its own. */
function tableRow([left, right]: readonly [string, string], column: number, width: number): string {
  const indent = " ".repeat(column + 4);
  const text = wrapped(right, width, indent);
  return left.length > column ? `  ${left}\n${text}` : `  ${left.padEnd(column)}  ${text.trimStart()}`;
}

export function flagRow({ name, short, value, choices, says }: FlagHelp): readonly [string, string] {
  const left = `${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` <${value}>`}`;
  return [left, choices === undefined || says.includes(choices[0] ?? "") ? says : `${says}: ${choices.join(", ")}`];
}

/** At spaces; a word that is longer than the line stays whole. */
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

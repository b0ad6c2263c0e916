/** `parley completion bash|zsh|fish`: a shell script generated from the subcommands' help. */
import { helps } from "./help/helps.ts";
import { allFlags, type FlagHelp, globalFlags, type Help, settingsOf } from "./help/text.ts";
import { oneOf, print, readFlags, refuseMore, UsageError } from "./usage.ts";

/** The candidates at one position of the command line. */
export interface Place {
  /** The preceding subcommands: "", "threads", "threads list". */
  readonly at: string;
  readonly entries: readonly (readonly [name: string, text: string])[];
  readonly flags: readonly FlagHelp[];
}

const shells = ["bash", "zsh", "fish"] as const;

export async function run(args: readonly string[]): Promise<number> {
  const { positionals } = readFlags(args, {});
  const [shell] = positionals;
  refuseMore(positionals, 1);
  if (shell === undefined) throw new UsageError(`the shell is missing: parley completion ${shells.join("|")}`);
  return print(completionScript(oneOf("SHELL", shell, shells), await allPlaces()));
}

export const completionScript = (shell: (typeof shells)[number], places: readonly Place[]): string => scripts[shell](places);

export async function allPlaces(): Promise<readonly Place[]> {
  const tops = await Promise.all(Object.entries(helps).map(async ([name, load]) => [name, await load()] as const));
  const root: Place = { at: "", entries: tops.map(([name, { summary }]) => [name, summary]), flags: globalFlags };
  return [root, ...tops.flatMap(([name, help]) => placesOf(name, help))];
}

function placesOf(at: string, help: Help): readonly Place[] {
  const inner = Object.entries(help.commands ?? {});
  const entries = [
    ...inner.map(([name, { summary }]) => [name, summary] as const),
    ...(help.completions ?? []).map((name) => [name, help.summary] as const),
  ];
  const flags = [...allFlags(help), ...settingsOf(help), { name: "help", short: "h", text: "Print help" }];
  return [{ at, entries, flags }, ...inner.flatMap(([name, nested]) => placesOf(`${at} ${name}`, nested))];
}

const spellings = ({ name, short }: FlagHelp): readonly string[] => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
const isPath = (flag: FlagHelp): boolean => flag.value === "FILE" || flag.value === "DIR";
/** One position and one flag with a value: the case that matches when the flag is right before the cursor. */
const afterFlag = (place: Place, flag: FlagHelp): string =>
  spellings(flag)
    .map((spelling) => quoted(`${place.at}:${spelling}`))
    .join("|");
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const withValue = (places: readonly Place[]): readonly { readonly place: Place; readonly flag: FlagHelp }[] =>
  places.flatMap((place) => place.flags.filter((flag) => flag.value !== undefined).map((flag) => ({ place, flag })));
const nested = (places: readonly Place[]): string =>
  places
    .filter(({ at }) => at !== "")
    .map(({ at }) => quoted(at))
    .join("|");

const scripts: Readonly<Record<(typeof shells)[number], (places: readonly Place[]) => string>> = {
  bash: (places) => `# Completes parley in bash.
_parley() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="$at\${at:+ }\${COMP_WORDS[i]}"
    case "$next" in ${nested(places)}) at=$next ;; esac
  done
  COMPREPLY=()
  case "$at:$prev" in
${withValue(places)
  .map(({ place, flag }) => `    ${afterFlag(place, flag)}) ${bashValue(flag)}return ;;`)
  .join("\n")}
  esac
  case "$at" in
${places.map(({ at, entries, flags }) => `    ${quoted(at)}) next=${quoted([...entries.map(([name]) => name), ...flags.flatMap(spellings)].join(" "))} ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$next" -- "$cur"))
}
complete -o default -F _parley parley
`,
  zsh: (places) => `#compdef parley
_parley() {
  local at="" next prev=\${words[CURRENT-1]} i
  local -a choices flags
  for ((i = 2; i < CURRENT; i++)); do
    next="$at\${at:+ }\${words[i]}"
    case "$next" in ${nested(places)}) at=$next ;; esac
  done
  case "$at:$prev" in
${withValue(places)
  .map(({ place, flag }) => `    ${afterFlag(place, flag)}) ${zshValue(flag)}; return ;;`)
  .join("\n")}
  esac
  case "$at" in
${places.map(({ at, entries, flags }) => `    ${quoted(at)}) choices=(${entries.map(zshEntry).join(" ")}); flags=(${flags.flatMap((flag) => spellings(flag).map((spelling) => zshEntry([spelling, flag.text]))).join(" ")}) ;;`).join("\n")}
  esac
  _describe -t commands command choices
  _describe -o option flags
  [[ \${words[CURRENT]} == -* ]] || _files
}
if [[ $funcstack[1] == _parley ]]; then _parley "$@"; else compdef _parley parley; fi
`,
  fish: (places) => `# Completes parley in fish.
function __parley_at
    set -l at
    for word in (commandline -opc)[2..]
        contains -- "$(string join -- ' ' $at $word)" ${places
          .filter(({ at }) => at !== "")
          .map(({ at }) => quoted(at))
          .join(" ")}; and set -a at $word
    end
    test "$(string join -- ' ' $at)" = "$argv[1]"
end
${places.flatMap(({ at, entries, flags }) => [...entries.map(([name, text]) => `${fishAt(at)} -f -a ${quoted(name)} -d ${quoted(text)}`), ...flags.map((flag) => fishFlag(at, flag))]).join("\n")}
`,
};

function bashValue(flag: FlagHelp): string {
  if (flag.choices !== undefined) return `COMPREPLY=($(compgen -W ${quoted(flag.choices.join(" "))} -- "$cur")); `;
  if (!isPath(flag)) return "";
  return `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen ${flag.value === "DIR" ? "-d" : "-f"} -- "$cur")); `;
}

function zshValue(flag: FlagHelp): string {
  if (flag.choices !== undefined) return `compadd -- ${flag.choices.map(quoted).join(" ")}`;
  return isPath(flag) ? `_files${flag.value === "DIR" ? " -/" : ""}` : `_message ${quoted(flag.value ?? "value")}`;
}
const zshEntry = ([name, text]: readonly [string, string]): string => quoted(`${name.replaceAll(":", "\\:")}:${text}`);

const fishAt = (at: string): string => `complete -c parley -n ${quoted(`__parley_at ${quoted(at)}`)}`;
function fishFlag(at: string, flag: FlagHelp): string {
  const short = flag.short === undefined ? "" : ` -s ${flag.short}`;
  const choices = flag.choices === undefined ? "" : ` -a ${quoted(flag.choices.join(" "))}`;
  const takes = flag.value === undefined ? "" : flag.choices === undefined && isPath(flag) ? " -r -F" : ` -x${choices}`;
  return `${fishAt(at)} -l ${flag.name}${short}${takes} -d ${quoted(flag.text)}`;
}

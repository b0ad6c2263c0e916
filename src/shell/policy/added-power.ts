/**
 * Arguments after an allowed prefix that make a harmless program do something else: run another program, write a file, or upload one. A
 * rule for `rg` does not cover `rg --pre ./script`. This only makes decisions stricter: the command then needs approval.
 */
import path from "node:path";

interface Program {
  /**
   * Options with two dashes, or with one where the program spells them that way (`find -exec`). Abbreviations match too, because getopt
   * accepts them.
   */
  readonly long: string;
  /** Letters that count anywhere in a cluster such as `-no`. */
  readonly short?: string;
}

const programs: Readonly<Record<string, Program>> = {
  find: { long: "-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls" },
  fd: { long: "--exec --exec-batch", short: "xX" },
  fdfind: { long: "--exec --exec-batch", short: "xX" },
  rg: { long: "--pre --hostname-bin" },
  sort: { long: "--output --compress-program", short: "o" },
  tar: {
    long: "--to-command --checkpoint-action --use-compress-program --rmt-command --rsh-command --info-script --new-volume-script",
    short: "IF",
  },
  git: {
    long: "--ext-diff --textconv --output --open-files-in-pager --upload-pack --receive-pack --exec --config-env --exec-path --paginate --template",
    short: "O",
  },
  man: { long: "--pager --html --preprocessor", short: "PH" },
  ack: { long: "--pager --output" },
  tree: { long: "", short: "o" },
  yq: { long: "--inplace --in-place", short: "i" },
  go: { long: "-exec -toolexec -vettool -overlay --exec --toolexec --vettool --overlay" },
};
/** For these programs, any further argument may name another location to read from, write to or send to. */
const closed = new Set(["curl", "wget"]);

/** Whether the arguments after the first `covered` ones, which the rule names, add such power. */
export function addsPower(argv: readonly string[], covered: number): boolean {
  const added = argv.slice(covered);
  if (added.length === 0) return false;
  const name = path.posix.basename(argv[0] ?? "");
  if (closed.has(name)) return true;
  if (name === "sed") return addsSedScript(argv.slice(1, covered), added);
  // `git -c core.pager=… log` under a rule for all of git; after the subcommand, the same letter is a different option.
  if (name === "git" && beforeVerb(argv, covered).some((arg) => /^-[cp]/.test(arg))) return true;
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program !== undefined && added.some((arg) => isPowerful(arg, program));
}

function isPowerful(arg: string, { long, short = "" }: Program): boolean {
  const [option = ""] = arg.split("=");
  if (
    /^--?[a-z]/.test(option) &&
    long.split(" ").some((known) => known === option || (option.startsWith("--") && known.startsWith(option)))
  )
    return true;
  return short !== "" && /^-[A-Za-z]/.test(arg) && [...arg.slice(1)].some((letter) => short.includes(letter));
}

function beforeVerb(argv: readonly string[], covered: number): readonly string[] {
  const rest = argv.slice(1);
  const verb = rest.findIndex((arg) => !arg.startsWith("-"));
  return rest.slice(0, verb === -1 ? rest.length : verb).slice(Math.max(0, covered - 1));
}

/** A sed script may run programs and write files; only one that prints lines by number is known to do neither. */
function addsSedScript(covered: readonly string[], added: readonly string[]): boolean {
  if (
    added.some(
      (arg) =>
        /^-(?!-?$)/.test(arg) && !/^-[nErsuz]+$|^--(quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug)$/.test(arg),
    )
  )
    return true;
  const isScriptKnown = covered.some((arg) => !arg.startsWith("-"));
  const script = isScriptKnown ? undefined : added.find((arg) => !arg.startsWith("-"));
  return script !== undefined && !/^\d+(,(\d+|\$))?p$/.test(script);
}

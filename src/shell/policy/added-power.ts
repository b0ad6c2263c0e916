/**
 * Words after an allowed beginning that make a harmless program do something else: run another program, write a file, send one away. A rule
 * that says `rg` does not mean `rg --pre ./script`. Only ever used to be stricter: the command is asked about.
 */
import path from "node:path";

interface Program {
  /** Options with two dashes, or with one where the program spells them so (`find -exec`). Beginnings of them count too: getopt takes those. */
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
/** For these every further word may name another place to read from, write to or send to. */
const closed = new Set(["curl", "wget"]);

/** Whether the words beyond the first `covered` ones, which a rule names, add such power. */
export function addsPower(words: readonly string[], covered: number): boolean {
  const added = words.slice(covered);
  if (added.length === 0) return false;
  const name = path.posix.basename(words[0] ?? "");
  if (closed.has(name)) return true;
  if (name === "sed") return addsSedScript(words.slice(1, covered), added);
  // `git -c core.pager=… log` under a rule for all of git; behind the verb the same letter is another option.
  if (name === "git" && beforeVerb(words, covered).some((word) => /^-[cp]/.test(word))) return true;
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined;
  return program !== undefined && added.some((word) => isPowerful(word, program));
}

function isPowerful(word: string, { long, short = "" }: Program): boolean {
  const [option = ""] = word.split("=");
  if (
    /^--?[a-z]/.test(option) &&
    long.split(" ").some((known) => known === option || (option.startsWith("--") && known.startsWith(option)))
  )
    return true;
  return short !== "" && /^-[A-Za-z]/.test(word) && [...word.slice(1)].some((letter) => short.includes(letter));
}

function beforeVerb(words: readonly string[], covered: number): readonly string[] {
  const rest = words.slice(1);
  const verb = rest.findIndex((word) => !word.startsWith("-"));
  return rest.slice(0, verb === -1 ? rest.length : verb).slice(Math.max(0, covered - 1));
}

/** A script of sed may run programs and write files; only one that prints lines by their number is known to do neither. */
function addsSedScript(covered: readonly string[], added: readonly string[]): boolean {
  if (
    added.some(
      (word) =>
        /^-(?!-?$)/.test(word) && !/^-[nErsuz]+$|^--(quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug)$/.test(word),
    )
  )
    return true;
  const isScriptKnown = covered.some((word) => !word.startsWith("-"));
  const script = isScriptKnown ? undefined : added.find((word) => !word.startsWith("-"));
  return script !== undefined && !/^\d+(,(\d+|\$))?p$/.test(script);
}

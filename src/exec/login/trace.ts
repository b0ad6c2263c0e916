/** What the login files did when they ran: the commands in the order in which a shell carried them out, with their arguments. For the capture of snapshots. */
import { cut, environmentScript, readEnvironment, type ShellState } from "./shell-state.ts";

/** The user's own files in the order in which bash looks for them; it reads the first one. */
export const userFiles = [".bash_profile", ".bash_login", ".profile"] as const;

/** Sources the files that `bash -l` would read, and prints each command before it runs. Bash as root ignores PS4 from the environment. */
export function traceScript(mark: string): string {
  const choice = userFiles.map((name) => `[ -r ~/${name} ]; then . ~/${name}`).join("; elif ");
  return `exec 9>&1 >/dev/null 2>/dev/null; BASH_XTRACEFD=9; PS4=$'+\\1\${BASH_SOURCE-}\\1\${LINENO}\\1\${FUNCNAME-}\\1'
set -x; if [ -r /etc/profile ]; then . /etc/profile; fi; if ${choice}; fi
{ set +x; } 2>/dev/null; exec >&9 9>&-; unset -v BASH_XTRACEFD; ${environmentScript(mark)}`;
}

/** Prints files as they are now, in the order of the arguments. */
export const textScript = (mark: string): string =>
  `for file; do builtin printf '\\0%s\\0%s' ${mark} "$(<"$file")"; done; builtin printf '\\0%s\\0' ${mark}`;

/** Undefined where a file could not be read completely. */
export function readTexts(output: Uint8Array, files: readonly string[], mark: string): ReadonlyMap<string, string> | undefined {
  const pieces = cut(output, mark);
  if (pieces?.length !== files.length + 2 || pieces[0] !== "" || pieces.at(-1) !== "") return undefined;
  return new Map(files.map((file, i) => [file, pieces[i + 1] ?? ""]));
}

export interface Step {
  /** The file it stands in, as bash names it; empty for the script that sources the files. */
  readonly file: string;
  readonly line: number;
  /** The function it is part of, as bash names it. */
  readonly within: string;
  /** The command with its arguments, as the shell ran it. */
  readonly words: readonly string[];
}

export interface Trace {
  readonly steps: readonly Step[];
  readonly env: ShellState["env"];
}

/** Undefined where a file ended the shell, or a command cannot be read with certainty. */
export function readTrace(output: Uint8Array, mark: string): Trace | undefined {
  const [text = "", variables = "", rest, ...more] = cut(output, mark) ?? [];
  const env = readEnvironment(variables);
  if (rest !== "" || more.length > 0 || env === undefined) return undefined;
  const [before, ...lines] = text.split(/(?:^|\n)\++\x01/);
  if (before !== "") return undefined;
  const steps: Step[] = [];
  for (const entry of lines) {
    const [file = "", line = "", within = "", ...command] = entry.split("\x01");
    const words = wordsOf(command.join("\x01").trimEnd());
    if (words === undefined || !/^\d+$/.test(line)) return undefined;
    steps.push({ file, line: Number(line), within, words });
  }
  // The script's own end.
  return steps.pop()?.words.join(" ") === "set +x" ? { steps, env } : undefined;
}

/** Undoes the quoting of `set -x`: plain characters, '…', \' and nothing else. In a condition it quotes nothing. */
function wordsOf(command: string): string[] | undefined {
  if (command.startsWith("[[ ")) return command.split(" ");
  const words: string[] = [];
  let rest = command;
  while (rest !== "") {
    const word = /^(?:'[^']*'|\\.|[^\s'\\])+/.exec(rest)?.[0];
    // $'…' stands for characters that no path here should have.
    if (word === undefined || word.includes("$'")) return undefined;
    words.push(word.replaceAll(/'([^']*)'|\\(.)/g, "$1$2"));
    rest = rest.slice(word.length).replace(/^\s+/, "");
  }
  return words;
}

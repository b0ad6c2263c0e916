/** Parses a shell script into plain simple commands, or rejects it: the only place that decides whether a script is fully understood. */
import type { CommandNode, PipelineNode, Statement, Word } from "unbash";
import { setOf } from "../lib/set-of.ts";
import { literalWord, type Shell } from "./words.ts";

/** The shell parser, loaded with the first command. */
export type ShellParser = Pick<typeof import("unbash"), "parse" | "forEachChild">;

/** Longer or more complex scripts are not parsed: the person who reviews the approval could not follow them either. */
const limits = { characters: 32_768, commands: 64 };

/** The arguments of every simple command, in order; undefined if the script contains anything but words and `;` `&&` `||` `|`. */
export function wordOnlyCommands(source: string, shell: Shell, { parse }: ShellParser): string[][] | undefined {
  if (source.length > limits.characters || /[^\t\n\x20-\x7e\u00a0-\uffff]/.test(source)) return undefined;
  const script = parse(source);
  if ((script.errors?.length ?? 0) > 0 || script.shebang !== undefined) return undefined;
  const commands: Word[][] = [];
  for (const statement of script.commands) if (!collect(statement, commands)) return undefined;
  if (commands.length === 0 || commands.length > limits.commands) return undefined;
  if (!isCovered(source, commands)) return undefined;
  const found: string[][] = [];
  for (const words of commands) {
    const values = words.map((word) => literalWord(source.slice(word.pos, word.end), shell));
    const known = values.filter((value, i) => value !== undefined && value === words[i]?.value);
    if (known.length !== words.length || !isCommandName(values[0] ?? "", source.slice(words[0]?.pos, words[0]?.end))) return undefined;
    found.push(values.filter((value) => value !== undefined));
  }
  return found;
}

/** Adds the words of each simple command; returns false for any other statement. */
function collect(statement: Statement, into: Word[][]): boolean {
  if (statement.background === true) return false;
  const pipelines: readonly PipelineNode[] = statement.command.type === "AndOr" ? statement.command.commands : [statement.command];
  return pipelines.every((pipeline) => {
    if (pipeline.type !== "Pipeline") return collectCommand(pipeline, into);
    if (pipeline.prefixes.length > 0 || pipeline.operators.some((operator) => operator !== "|")) return false;
    return pipeline.commands.every((command) => collectCommand(command, into));
  });
}

function collectCommand(command: CommandNode, into: Word[][]): boolean {
  if (command.type !== "Command" || command.name === undefined || command.prefix.length > 0) return false;
  const words = [command.name];
  for (const part of command.suffix) {
    if (part.type !== "Word") return false;
    words.push(part);
  }
  into.push(words);
  return true;
}

/**
 * Cross-checks the parser: only blanks and the four separators may appear between words. A comment, a redirection, a here-document or
 * anything the parser skipped leaves other characters there.
 */
function isCovered(source: string, commands: readonly Word[][]): boolean {
  let at = 0;
  for (const [i, words] of commands.entries())
    for (const [j, word] of words.entries()) {
      const gap = source.slice(at, word.pos);
      const allowed = j > 0 ? /^[ \t]+$/ : i === 0 ? /^[ \t\n]*$/ : /^[ \t]*(?:(?:&&|\|\||\|)[ \t\n]*|;[ \t\n]*|\n[ \t\n]*)$/;
      if (word.pos < at || !allowed.test(gap)) return false;
      at = word.end;
    }
  return /^[ \t]*;?[ \t\n]*$/.test(source.slice(at));
}

const reserved = setOf(
  `if then elif else fi case esac for foreach select while until repeat do done in end function time coproc nocorrect
   noglob`,
);

/** An unquoted `=` in the first word may be an assignment, and `%` a job. */
function isCommandName(name: string, written: string): boolean {
  return name !== "" && !reserved.has(name) && !written.includes("=") && !name.startsWith("%") && !/\s/.test(name);
}

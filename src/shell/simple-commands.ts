/** Reads a shell script as plain simple commands, or not at all: the one judge of whether a script is completely understood. */
import type { CommandNode, PipelineNode, Statement, Word } from "unbash";
import { literalWord, type Shell } from "./words.ts";

/** The shell parser, loaded when the first command comes. */
export type ShellParser = Pick<typeof import("unbash"), "parse" | "forEachChild">;

/** A longer or busier script is not looked at: whoever reads the approval could not follow it either. */
const limits = { characters: 32_768, commands: 64 };

/** The word lists of all simple commands, in order; undefined when anything in the script is more than words and `;` `&&` `||` `|`. */
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

/** Adds the words of each simple command; false when the statement is anything else. */
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
 * Checks the parser: what lies between the words may only be blanks and the four separators. A comment, a redirection, a here-document or
 * anything the parser might have passed over leaves other characters there.
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

/** An unquoted `=` in the first word may be an assignment, `%` a job. */
function isCommandName(name: string, written: string): boolean {
  return name !== "" && !reserved.has(name) && !written.includes("=") && !name.startsWith("%") && !/\s/.test(name);
}

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

/** `parley execpolicy check`: what rules files say about a command, as JSON, for checks of such files in CI. */
import { errorMessage } from "../lib/error-text.ts";
import { terminalJson } from "../lib/terminal-text.ts";
import { checkRules } from "../main/check-rules.ts";
import { execpolicyHelp } from "./help/settings-helps.ts";
import { printStyled, readFlags, StartError, splitCommand, UsageError, unknownSubcommand } from "./usage.ts";

export async function run(args: readonly string[]): Promise<number> {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand === "help") return (await import("./help/help.ts")).run(["execpolicy", ...rest]);
  if (subcommand !== "check") throw unknownSubcommand(subcommand, ["check"]);
  const { own, command } = splitCommand(rest, execpolicyHelp.commands.check);
  const { values } = readFlags(own, execpolicyHelp.commands.check);
  if (values.rules === undefined) throw new UsageError("the rules are missing: --rules <FILE>");
  if (command.length === 0) throw new UsageError("the command is missing: parley execpolicy check --rules <FILE> <COMMAND>...");
  try {
    const verdict = checkRules(values.rules, command);
    return printStyled(`${terminalJson(verdict, values.pretty === true ? 2 : 0)}\n`);
  } catch (error) {
    throw new StartError(errorMessage(error));
  }
}

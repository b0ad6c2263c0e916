/** What the shell tools share: the working folder, escalation, the names that other agents give to all this, and commands given as a list of words. */
import path from "node:path";
import type { ThreadSettings } from "../core/ports/settings.ts";
import { array, described, literals, maybe, string } from "../lib/schema.ts";

export const escalationFields = () => ({
  sandbox_permissions: maybe(
    described(
      literals("use_default", "require_escalated"),
      'Set to "require_escalated" to ask for a run outside the sandbox; give a justification then.',
    ),
  ),
  justification: maybe(described(string(), "One sentence for the person who is asked: why this must run outside the sandbox.")),
  prefix_rule: maybe(
    described(
      array(string()),
      'With require_escalated only: the first words of the command that the person may allow for good, such as ["npm", "run"].',
    ),
  ),
});

/** Names by which models of other makers call the one shell that they are offered. */
export const shellAliases = [
  ...["bash", "sh", "run_shell_command", "run_command", "execute_command", "run_terminal_cmd", "run_in_terminal"],
  ...["terminal", "execute", "run", "cmd", "powershell"],
];

export const folderNames = { cwd: "workdir", directory: "workdir", dir_path: "workdir", working_directory: "workdir", work_dir: "workdir" };

/** How long a command may run when the model does not say. */
export const defaultTimeoutMs = 120_000;

export function workdir(settings: ThreadSettings, given: string | null | undefined): string {
  return given ? path.resolve(settings.cwd, given) : settings.cwd;
}

/** A script in place of a list of words: what the list would run, written so that a POSIX shell reads the same words. */
export function scriptFrom(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === "string")) return value;
  const [first = "", ...rest] = value;
  return rest.length === 0 ? first : value.map(quoted).join(" ");
}

const quoted = (word: string): string => (/^[\w+./:@=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

export interface Escalation {
  readonly sandbox_permissions?: string | null;
  readonly justification?: string | null;
  readonly prefix_rule?: readonly string[] | null;
}

export function escalationOf(args: Escalation): {
  escalate: boolean;
  justification: string | undefined;
  prefixRule: readonly string[] | undefined;
} {
  const escalate = args.sandbox_permissions === "require_escalated";
  return { escalate, justification: args.justification ?? undefined, prefixRule: escalate ? (args.prefix_rule ?? undefined) : undefined };
}

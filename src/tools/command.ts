/** Shared by the shell tools: the working folder, escalation, other agents' names for all this, and commands given as a list of arguments. */
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

/** Names that other vendors' models use for the one shell tool they are offered. */
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

/** Turns a list of arguments into a script, quoted so that a POSIX shell parses the same arguments. */
export function scriptFrom(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0 || !value.every((arg) => typeof arg === "string")) return value;
  const [first = "", ...rest] = value;
  return rest.length === 0 ? first : value.map(quoted).join(" ");
}

const quoted = (arg: string): string => (/^[\w+./:@=,-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", `'\\''`)}'`);

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

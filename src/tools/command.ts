/** What the shell tools share: the working folder, escalation, and their parameters for the model. */
import path from "node:path";
import type { ThreadSettings } from "../core/settings.ts";

export const escalationParameters = {
  sandbox_permissions: {
    type: "string",
    enum: ["use_default", "require_escalated"],
    description: 'Set to "require_escalated" to ask for a run outside the sandbox; give a justification then.',
  },
  justification: { type: "string", description: "One sentence for the person who is asked: why this must run outside the sandbox." },
  prefix_rule: {
    type: "array",
    items: { type: "string" },
    description: 'With require_escalated only: the first words of the command that the person may allow for good, such as ["npm", "run"].',
  },
};

export function workdir(settings: ThreadSettings, given: string | null | undefined): string {
  return given ? path.resolve(settings.cwd, given) : settings.cwd;
}

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

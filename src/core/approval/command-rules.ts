/** Decides when to ask before running a command, from rules, policy and sandbox. Pure. */
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { Verdict } from "../ports/exec-policy.ts";
import type { ThreadSettings } from "../ports/settings.ts";

/** The decision about something that may need approval. */
export type Step =
  | { readonly kind: "run" }
  | { readonly kind: "ask"; readonly reason: string | undefined }
  /** The text goes to the model, and also to the person where the machine has to be changed. */
  | { readonly kind: "refuse"; readonly text: string; readonly because?: "machine" };

export interface CommandFacts {
  readonly verdict: Verdict;
  /** The model asks to run outside the sandbox. */
  readonly escalate: boolean;
  readonly justification: string | undefined;
  /** Why this machine's sandbox cannot stop the command from changing protected names. */
  readonly openNames?: string | undefined;
}

export function stepForCommand(settings: ThreadSettings, facts: CommandFacts): Step {
  const { approvalPolicy: policy } = settings;
  const { verdict, justification, openNames } = facts;
  const isReader = verdict.decision === "allow" && verdict.because === "knownSafe";
  if (verdict.decision === "forbid") return { kind: "refuse", text: verdict.reason };
  const escalates = facts.escalate && isConfined(settings.sandboxPolicy);
  // A rule allows a command inside its usual sandbox; a rule made for running outside the sandbox allows more.
  const isUsual = !escalates && openNames === undefined;
  if (verdict.decision === "allow" && verdict.because === "rule" && (isUsual || verdict.outside)) return { kind: "run" };
  if (verdict.decision === "ask" && verdict.rule !== undefined) {
    if (mayAsk(policy, "rules")) return { kind: "ask", reason: justification ?? `a rule asks for approval: ${verdict.rule}` };
    return { kind: "refuse", text: `rejected: a rule asks for approval (${verdict.rule}), and the approval policy allows no questions` };
  }
  if (escalates) {
    if (mayAsk(policy, "sandbox")) return { kind: "ask", reason: justification };
    return { kind: "refuse", text: "approval policy is Never; reject command: nobody may be asked whether it can run outside the sandbox" };
  }
  if (openNames !== undefined && !isReader) {
    if (mayAsk(policy, "sandbox"))
      return { kind: "ask", reason: justification === undefined ? openNames : `${justification} (${openNames})` };
    return { kind: "refuse", text: `rejected: ${openNames}, and the approval policy allows no questions`, because: "machine" };
  }
  if (policy === "untrusted" && !isReader) return { kind: "ask", reason: justification };
  return { kind: "run" };
}

/** Whether this server itself sandboxes commands. */
export const isConfined = ({ type }: SandboxPolicy): boolean => type === "readOnly" || type === "workspaceWrite";

/** Whether the policy allows asking a person about this kind of action. */
export function mayAsk(policy: AskForApproval, about: "rules" | "sandbox"): boolean {
  if (policy === "never") return false;
  if (typeof policy === "string") return true;
  return about === "rules" ? policy.granular.rules : policy.granular.sandbox_approval;
}

/** When to ask before a command: what rules, policy and sandbox make of it. Pure. */
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { Verdict } from "../ports/exec-policy.ts";
import type { ThreadSettings } from "../ports/settings.ts";

/** What is done about something that may need approval. */
export type Step =
  | { readonly kind: "run" }
  | { readonly kind: "ask"; readonly reason: string | undefined }
  /** The text goes to the model; to the person, too, where the machine is what has to change. */
  | { readonly kind: "refuse"; readonly text: string; readonly because?: "machine" };

export interface CommandFacts {
  readonly verdict: Verdict;
  /** The model asks to leave the sandbox. */
  readonly escalate: boolean;
  readonly justification: string | undefined;
  /** Why this machine's sandbox could not keep it from changing protected names. */
  readonly openNames?: string | undefined;
}

export function stepForCommand(settings: ThreadSettings, facts: CommandFacts): Step {
  const { approvalPolicy: policy } = settings;
  const { verdict, justification, openNames } = facts;
  const isReader = verdict.decision === "allow" && verdict.because === "knownSafe";
  if (verdict.decision === "forbid") return { kind: "refuse", text: verdict.reason };
  const escalates = facts.escalate && isConfined(settings.sandboxPolicy);
  // A rule allows a command where it is confined as usual; one that was made for leaving the sandbox allows more.
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

/** Whether this server itself keeps commands inside a sandbox. */
export const isConfined = ({ type }: SandboxPolicy): boolean => type === "readOnly" || type === "workspaceWrite";

/** Whether the policy lets a person be asked about this kind of thing. */
export function mayAsk(policy: AskForApproval, about: "rules" | "sandbox"): boolean {
  if (policy === "never") return false;
  if (typeof policy === "string") return true;
  return about === "rules" ? policy.granular.rules : policy.granular.sandbox_approval;
}

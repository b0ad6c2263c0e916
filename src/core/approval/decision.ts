/** Answers to `item/<…>/requestApproval`: the decisions a client may give, and the parser for them. */
import { isDeepStrictEqual } from "node:util";
import type { CommandExecutionApprovalDecision } from "../../protocol/approval.ts";
import type { Decision } from "../ports/approval.ts";
import type { Answer } from "../ports/audience.ts";

const no: Decision = { kind: "decline" };
const unreadable: Decision = { kind: "decline", isUnreadable: true };

/**
 * Parses an answer to `item/<…>/requestApproval`: exact spelling, and only the decisions of this family (docs/from-codex.md). `offered` is the rule
 * that the question proposed; an answer can store that rule and no other.
 */
export function decisionFrom(answer: Answer, offered?: readonly string[]): Decision {
  if (answer.kind !== "answered") return no;
  if (typeof answer.result !== "object" || answer.result === null) return unreadable;
  const { decision, acceptSettings } = answer.result as { decision?: unknown; acceptSettings?: unknown };
  const forSession =
    typeof acceptSettings === "object" && acceptSettings !== null && (acceptSettings as { forSession?: unknown }).forSession === true;
  if (decision === "accept" || decision === "allow_once") return { kind: "accept", forSession, remember: false };
  if (decision === "acceptForSession" || decision === "allow_session") return { kind: "accept", forSession: true, remember: false };
  if (decision === "decline") return no;
  if (decision === "cancel") return { kind: "cancel" };
  const amendment = amendmentOf(decision);
  if (amendment === undefined) return unreadable;
  if (isDeepStrictEqual(amendment, offered)) return { kind: "accept", forSession: false, remember: true };
  const shown = amendment.join(" ").slice(0, 200);
  const fix = offered === undefined ? "no rule was offered" : `offered was \`${offered.join(" ")}\``;
  return {
    kind: "decline",
    because: `the answer asked to remember \`${shown}\`, and ${fix}; it counts as a no, and nothing was remembered`,
  };
}

/** The same for a host that a command wants to reach: a rule about that host, and no other, may be stored. */
export function hostDecisionFrom(answer: Answer, host: string): Decision {
  const amendment = answer.kind === "answered" ? hostAmendmentOf(answer.result) : undefined;
  if (amendment === undefined) return decisionFrom(answer);
  if (amendment.host !== host)
    return {
      kind: "decline",
      because: `the answer asked to remember a rule for ${amendment.host.slice(0, 200)}, and ${host} was asked about; it counts as a no, and nothing was remembered`,
    };
  return amendment.action === "allow" ? { kind: "accept", forSession: true, remember: true } : { kind: "decline", remember: true };
}

function hostAmendmentOf(result: unknown): { readonly host: string; readonly action: "allow" | "deny" } | undefined {
  const at = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  const inner = at(at(at(result, "decision"), "applyNetworkPolicyAmendment"), "network_policy_amendment");
  const [host, action] = [at(inner, "host"), at(inner, "action")];
  return typeof host === "string" && (action === "allow" || action === "deny") ? { host, action } : undefined;
}

function amendmentOf(decision: unknown): readonly string[] | undefined {
  if (typeof decision !== "object" || decision === null) return undefined;
  const inner = (decision as { acceptWithExecpolicyAmendment?: unknown }).acceptWithExecpolicyAmendment;
  const args = typeof inner === "object" && inner !== null ? (inner as { execpolicy_amendment?: unknown }).execpolicy_amendment : undefined;
  return Array.isArray(args) && args.length > 0 && args.every((arg) => typeof arg === "string" && arg !== "") ? args : undefined;
}

/** The decisions that a client may offer as buttons. */
export function availableDecisions(prefix: readonly string[] | undefined): CommandExecutionApprovalDecision[] {
  const remember: CommandExecutionApprovalDecision[] =
    prefix === undefined ? [] : [{ acceptWithExecpolicyAmendment: { execpolicy_amendment: [...prefix] } }];
  return ["accept", "acceptForSession", ...remember, "decline", "cancel"];
}

/** When to ask before a command or an edit, how an answer is read, and what was granted for the session. */
import { isDeepStrictEqual } from "node:util";
import type { CommandExecutionApprovalDecision } from "../../protocol/approval.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/policy.ts";
import type { Answer } from "../ports/audience.ts";
import type { Verdict } from "../ports/exec-policy.ts";
import type { ThreadSettings } from "../settings/settings.ts";
import type { Granted } from "./request-permissions.ts";

/** What is done about something that may need a person's word. */
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

/** What the person decided. Everything that cannot be read exactly, and everything that was not offered, is a no. */
export type Decision =
  | { readonly kind: "accept"; readonly forSession: boolean; readonly remember: boolean }
  /** `because`: what is told about an answer that was more than a plain no. */
  | { readonly kind: "decline"; readonly because?: string }
  /** A no that also ends the turn. */
  | { readonly kind: "cancel" };

const no: Decision = { kind: "decline" };

/**
 * Reads an answer to `item/<…>/requestApproval`: exact spelling, this family's words only (docs/from-codex.md). `offered` is the rule that the
 * question proposed; an answer can store that one and no other.
 */
export function decisionFrom(answer: Answer, offered?: readonly string[]): Decision {
  if (answer.kind !== "answered" || typeof answer.result !== "object" || answer.result === null) return no;
  const { decision, acceptSettings } = answer.result as { decision?: unknown; acceptSettings?: unknown };
  const forSession =
    typeof acceptSettings === "object" && acceptSettings !== null && (acceptSettings as { forSession?: unknown }).forSession === true;
  if (decision === "accept" || decision === "allow_once") return { kind: "accept", forSession, remember: false };
  if (decision === "acceptForSession" || decision === "allow_session") return { kind: "accept", forSession: true, remember: false };
  if (decision === "cancel") return { kind: "cancel" };
  const amendment = amendmentOf(decision);
  if (amendment === undefined) return no;
  if (isDeepStrictEqual(amendment, offered)) return { kind: "accept", forSession: false, remember: true };
  const shown = amendment.join(" ").slice(0, 200);
  const fix = offered === undefined ? "no rule was offered" : `offered was \`${offered.join(" ")}\``;
  return {
    kind: "decline",
    because: `the answer asked to remember \`${shown}\`, and ${fix}; it counts as a no, and nothing was remembered`,
  };
}

function amendmentOf(decision: unknown): readonly string[] | undefined {
  if (typeof decision !== "object" || decision === null) return undefined;
  const inner = (decision as { acceptWithExecpolicyAmendment?: unknown }).acceptWithExecpolicyAmendment;
  const words =
    typeof inner === "object" && inner !== null ? (inner as { execpolicy_amendment?: unknown }).execpolicy_amendment : undefined;
  return Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string" && word !== "") ? words : undefined;
}

/** The buttons that a client may offer. */
export function availableDecisions(prefix: readonly string[] | undefined): CommandExecutionApprovalDecision[] {
  const remember: CommandExecutionApprovalDecision[] =
    prefix === undefined ? [] : [{ acceptWithExecpolicyAmendment: { execpolicy_amendment: [...prefix] } }];
  return ["accept", "acceptForSession", ...remember, "decline", "cancel"];
}

/** What people granted for the rest of the session, in this thread alone: not for forks, sub-agents or longer commands. */
export class Grants {
  readonly #commands = new Set<string>();
  readonly #files = new Set<string>();
  readonly #hosts = new Set<string>();
  /** More room in the sandbox. */
  permissions: Granted[] = [];

  grantCommand(argv: readonly string[], cwd: string, escalate: boolean): void {
    this.#commands.add(JSON.stringify([argv, cwd, escalate]));
  }
  coversCommand(argv: readonly string[], cwd: string, escalate: boolean): boolean {
    return this.#commands.has(JSON.stringify([argv, cwd, escalate]));
  }
  grantHost(host: string): void {
    this.#hosts.add(host);
  }
  coversHost(host: string): boolean {
    return this.#hosts.has(host);
  }
  grantFiles(paths: readonly string[]): void {
    for (const path of paths) this.#files.add(path);
  }
  coversFiles(paths: readonly string[]): boolean {
    return paths.length > 0 && paths.every((path) => this.#files.has(path));
  }
}

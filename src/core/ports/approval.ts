/** Port: something that needs approval, as a tool describes it. Core takes it along the one path to a decision (core/approval/approve.ts). */
import type { Answer } from "./audience.ts";
import type { AuditEntry } from "./audit.ts";

/** A call as hooks know it: by the names that their authors write, with the arguments under stable names. */
export interface HookedCall {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly input: unknown;
}

/** A decision that nobody had to be asked for, as the audit log names it. */
export type Settled = Required<Pick<AuditEntry, "decision" | "by">>;
export const sessionGrant: Settled = { decision: "acceptForSession", by: "session grant" };

/** What the person decided. Everything that cannot be read exactly, and everything that was not offered, is a no. */
export type Decision =
  | { readonly kind: "accept"; readonly forSession: boolean; readonly remember: boolean }
  /** `because`: the warning about an answer that was more than a plain no. */
  | { readonly kind: "decline"; readonly because?: string }
  /** A no that also ends the turn, unless the turn `goesOn`. */
  | { readonly kind: "cancel"; readonly goesOn?: true };

export interface ApprovalRequest {
  /** What the audit log says of it. */
  readonly about: Pick<AuditEntry, "kind" | "subject" | "cwd">;
  /** Decided already: by a rule, the policy or a grant of this session. */
  readonly settled?: Settled | undefined;
  /** As PermissionRequest hooks know it; left out where hooks have no say. */
  readonly hooked?: HookedCall;
  /** Refuses what hooks have left open: the policy allows no question. */
  readonly noQuestions?: { readonly by: string; readonly text: string } | undefined;
  /** What the audit log adds to the question. */
  readonly sandboxed?: boolean;
  /** Shows people what it is about: after the hooks, before anybody is asked. */
  announce?(): void;
  /** Asks the people who watch the thread. */
  ask(): Promise<Answer>;
  /** Reads their answer. */
  read(answer: Answer): Decision;
  /** Remembers what was accepted for more than this once; called after the decision is in the audit log. */
  grant?(decision: Extract<Decision, { kind: "accept" }>): void | Promise<void>;
}

export type Ruling =
  | { readonly allows: true }
  /** `text` is for the model, where whoever refused gave a reason. */
  | { readonly allows: false; readonly by: "policy" | "hook" | "person" | "cancel"; readonly text?: string };

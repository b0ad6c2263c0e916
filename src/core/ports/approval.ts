/** Port: an action that needs approval, as a tool describes it. Core decides it in one place (core/approval/approve.ts). */
import type { Answer } from "./audience.ts";
import type { AuditEntry } from "./audit.ts";

/** A call as hooks see it: by the names that hook authors use, with the arguments under stable names. */
export interface HookedCall {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly input: unknown;
}

/** A decision made without asking, as the audit log names it. */
export type Settled = Required<Pick<AuditEntry, "decision" | "by">>;
export const sessionGrant: Settled = { decision: "acceptForSession", by: "session grant" };

/** The person's decision. Anything that cannot be parsed exactly, or was not offered, is a no. */
export type Decision =
  | { readonly kind: "accept"; readonly forSession: boolean; readonly remember: boolean }
  /** `remember`: the no holds from now on. `because`: the warning about an invalid answer that counts as a no. `isUnreadable`: the client answered nothing that is a decision. */
  | { readonly kind: "decline"; readonly because?: string; readonly isUnreadable?: true; readonly remember?: true }
  /** A no that also ends the turn, unless `goesOn` is set. */
  | { readonly kind: "cancel"; readonly goesOn?: true };

export interface ApprovalRequest {
  /** Its audit log entry. */
  readonly about: Pick<AuditEntry, "kind" | "subject" | "cwd">;
  /** A decision that already exists: by a rule, the policy or a grant of this session. */
  readonly settled?: Settled | undefined;
  /** As PermissionRequest hooks see it; left out where hooks do not apply. */
  readonly hooked?: HookedCall;
  /** Refuses what hooks left undecided: the policy does not allow asking. */
  readonly noQuestions?: { readonly by: string; readonly text: string } | undefined;
  /** Whether the action is sandboxed, for the audit log. */
  readonly sandboxed?: boolean;
  /** Shows people the action: after the hooks, before anybody is asked. */
  announce?(): void;
  /** Asks the thread's subscribers. */
  ask(): Promise<Answer>;
  /** Parses their answer. */
  read(answer: Answer): Decision;
  /** Stores what was accepted beyond this one time; called after the decision is in the audit log. */
  grant?(decision: Extract<Decision, { kind: "accept" }>): void | Promise<void>;
  /** Stores a no that holds beyond this one time. */
  forbid?(): Promise<void>;
}

export type Ruling =
  | { readonly allows: true }
  /** `text` is the reason for the refusal, for the model, if one was given. */
  | { readonly allows: false; readonly by: "policy" | "hook" | "person" | "cancel" | "unreadable" | "review"; readonly text?: string };

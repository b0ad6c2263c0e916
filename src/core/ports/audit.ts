/** Port: the audit log: what was asked, who or which rule decided, and the outcome. Append-only; written before the action runs. */
export interface AuditEntry {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
  readonly kind: "command" | "fileChange" | "mcpToolCall" | "permissions" | "shellCommand" | "network" | "hook";
  /** The subject: the command line, the files, the tool with its arguments, the address. */
  readonly subject: string;
  readonly cwd?: string;
  readonly event: "requested" | "decided" | "ended";
  readonly decision?:
    | "accept"
    | "acceptForSession"
    | "acceptAndRemember"
    | "declineAndRemember"
    | "decline"
    | "cancel"
    | "allowedByRule"
    | "allowedByPolicy"
    | "refusedByPolicy"
    | "allowedByReview"
    | "refusedByReview";
  /** The client that answered, the rule, or the policy. */
  readonly by?: string;
  readonly sandboxed?: boolean;
  readonly outcome?: string;
}
/** The subject of an entry, without the outcome. */
export type AuditSubject = Pick<AuditEntry, "threadId" | "turnId" | "itemId" | "kind" | "subject" | "cwd">;

/** The audit log cannot be written. The message is for a person and for the model. */
export class AuditUnwritten extends Error {}

export interface Audit {
  /** Resolves when the line was handed to the kernel. Rejects with AuditUnwritten when it cannot be written; the action must not run then. */
  write(entry: AuditEntry): Promise<void>;
}

/** Records that several routes and events of the manager share: sessions, projects, pending requests, errors. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  nullable,
  object,
  optional,
  string,
  union,
  unknown,
} from "../../lib/schema.ts";
import { ThreadTokenUsage } from "../../protocol/thread.ts";
import { Actor, AnsweredQuestion, PendingRequest, RequestKind } from "../../sessions/records.ts";

export const Project = named("Project", () =>
  object({ projectId: string(), name: string(), workingDirectory: nullable(string()), createdAt: string(), updatedAt: string() }),
);
export type Project = Infer<typeof Project>;

export const PendingList = named("PendingList", () => object({ data: array(PendingRequest()) }));

export const TranscriptStatus = named("TranscriptStatus", () => literals("streaming", "complete", "canceled", "error"));
export const TranscriptRow = named("TranscriptRow", () =>
  object({
    messageId: string(),
    turnId: string(),
    role: literals("user", "assistant", "system"),
    type: string(),
    content: string(),
    status: TranscriptStatus(),
    details: optional(unknown()),
    startedAt: maybe(integer()),
    completedAt: maybe(integer()),
  }),
);
export type TranscriptRow = Infer<typeof TranscriptRow>;

export const TokenUsage = ThreadTokenUsage;

/** A browser, phone or script that is signed in. */
export const Device = named("Device", () =>
  object({
    deviceId: string(),
    name: string(),
    scope: literals("read", "approve", "drive", "admin"),
    createdAt: string(),
    lastSeenAt: string(),
    expiresAt: string(),
    current: boolean(),
  }),
);
export type Device = Infer<typeof Device>;

/** A request that has ended: the decision or answer, by whom and when. */
export const Decision = named("Decision", () =>
  object({
    requestId: string(),
    kind: RequestKind(),
    threadId: string(),
    turnId: nullable(string()),
    itemId: nullable(string()),
    summary: string(),
    status: literals("resolved", "expired"),
    decision: unknown(),
    answers: optional(array(AnsweredQuestion())),
    by: Actor(),
    at: string(),
    reason: nullable(string()),
  }),
);
export type Decision = Infer<typeof Decision>;

export const AuditEntry = named("AuditEntry", () =>
  object({
    seq: natural(),
    at: string(),
    type: string(),
    by: Actor(),
    threadId: maybe(string()),
    turnId: maybe(string()),
    requestId: maybe(string()),
    summary: string(),
    decision: optional(unknown()),
    outcome: maybe(string()),
    details: optional(unknown()),
  }),
);
export type AuditEntry = Infer<typeof AuditEntry>;

/** A permanent decision about commands that start with these arguments, as stored in the engine's rules file. */
export const ApprovalRule = named("ApprovalRule", () =>
  object({
    ruleId: string(),
    pattern: array(union([string(), array(string())])),
    decision: literals("allow", "prompt", "forbidden"),
    justification: maybe(string()),
    file: string(),
    line: natural(),
    editable: boolean(),
    /** Also allows such commands to leave the sandbox. */
    outsideSandbox: boolean(),
    expiresAt: nullable(string()),
    addedBy: maybe(string()),
  }),
);
export type ApprovalRule = Infer<typeof ApprovalRule>;

/** The body of failed responses. */
export const Failure = named("Failure", () =>
  object({ status: literals("error"), code: string(), message: string(), details: optional(unknown()) }),
);
export type Failure = Infer<typeof Failure>;
export const InvalidRequest = named("InvalidRequest", () =>
  object({
    status: literals("error"),
    code: literals("invalid_request"),
    message: string(),
    issues: array(object({ path: string(), message: string() })),
  }),
);
export const SystemSession = named("SystemSession", () =>
  object({ status: literals("error"), code: literals("system_session"), sessionId: string(), message: string() }),
);
export const DeletedSession = named("DeletedSession", () =>
  object({ status: literals("deleted"), sessionId: string(), title: optional(string()), message: string(), deletedAt: string() }),
);
export const SessionNotFound = named("SessionNotFound", () =>
  object({ status: literals("not_found"), sessionId: string(), message: string() }),
);
export const RequestNotFound = named("RequestNotFound", () =>
  object({
    status: literals("not_found"),
    requestId: string(),
    message: optional(string()),
    /** Set if the request was known: how it ended and by whom. */
    outcome: maybe(string()),
    by: maybe(Actor()),
  }),
);
export const RequestConflict = named("RequestConflict", () =>
  object({
    status: literals("conflict"),
    code: literals("in_flight", "reconciled"),
    requestId: string(),
    message: optional(string()),
    by: maybe(Actor()),
  }),
);
export const RequestFailed = named("RequestFailed", () =>
  object({ status: literals("error"), requestId: string(), code: optional(string()), message: optional(string()) }),
);
export const RequestAnswered = named("RequestAnswered", () =>
  object({ status: literals("ok"), requestId: string(), threadId: string(), approvalId: optional(string()) }),
);
export const Ok = named("Ok", () => object({ status: literals("ok") }));

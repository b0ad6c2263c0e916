/** The things that several routes and events of the manager speak of: sessions, projects, waiting requests, errors. */
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
  record,
  string,
  union,
  unknown,
} from "../../lib/schema.ts";
import { UserInput } from "../../protocol/item.ts";
import { AskForApproval } from "../../protocol/policy.ts";
import { ThreadTokenUsage } from "../../protocol/thread.ts";

export const ApprovalPolicy = named("ApprovalPolicy", () => literals("untrusted", "on-failure", "on-request", "never"));
export type ApprovalPolicy = Infer<typeof ApprovalPolicy>;
export const NetworkAccess = named("ManagerNetworkAccess", () => literals("restricted", "enabled"));
export type NetworkAccess = Infer<typeof NetworkAccess>;
export const FilesystemSandbox = named("FilesystemSandbox", () => literals("read-only", "workspace-write", "danger-full-access"));
export type FilesystemSandbox = Infer<typeof FilesystemSandbox>;

/** What a session may do and with which model; kept by the manager and applied to each message. */
export const SessionControls = named("SessionControls", () =>
  object({
    model: nullable(string()),
    effort: maybe(string()),
    approvalPolicy: ApprovalPolicy(),
    networkAccess: NetworkAccess(),
    filesystemSandbox: FilesystemSandbox(),
    settings: record(unknown()),
  }),
);
export type SessionControls = Infer<typeof SessionControls>;

/** One word for what a session is doing, so that no client has to guess it from events. */
export const SessionState = named("SessionState", () => literals("idle", "working", "waiting", "failed", "notLoaded"));
export type SessionState = Infer<typeof SessionState>;

export const SessionSummary = named("SessionSummary", () =>
  object({
    sessionId: string(),
    title: string(),
    /** Whether the session exists on disk yet; it does from its first message on. */
    materialized: boolean(),
    modelProvider: string(),
    approvalPolicy: nullable(AskForApproval()),
    sessionControls: nullable(SessionControls()),
    createdAt: integer(),
    updatedAt: integer(),
    cwd: string(),
    source: string(),
    projectId: nullable(string()),
    state: SessionState(),
    pendingCount: natural(),
    archived: boolean(),
    systemOwned: boolean(),
    preview: string(),
    model: maybe(string()),
    branch: maybe(string()),
    activeTurnId: maybe(string()),
    lastTurnStatus: maybe(string()),
    parentSessionId: maybe(string()),
    forkedFromId: maybe(string()),
    queued: natural(),
  }),
);
export type SessionSummary = Infer<typeof SessionSummary>;

export const Project = named("Project", () =>
  object({ projectId: string(), name: string(), workingDirectory: nullable(string()), createdAt: string(), updatedAt: string() }),
);
export type Project = Infer<typeof Project>;

/** Who did something: a signed-in device or script, a client on the protocol itself, a rule, or no one (time, end of the turn). */
export const Actor = named("Actor", () =>
  object({ kind: literals("device", "script", "client", "rule", "timeout", "system"), id: maybe(string()), name: string() }),
);
export type Actor = Infer<typeof Actor>;

export const RequestKind = named("RequestKind", () =>
  literals("command", "fileChange", "permissions", "question", "toolCall", "elicitation", "other"),
);
export type RequestKind = Infer<typeof RequestKind>;

/** Something that waits for an answer. `approvalId` repeats `requestId` for the kinds that the approval routes serve. */
export const PendingRequest = named("PendingRequest", () =>
  object({
    requestId: string(),
    approvalId: optional(string()),
    kind: RequestKind(),
    method: string(),
    threadId: string(),
    rootThreadId: string(),
    turnId: nullable(string()),
    itemId: nullable(string()),
    callId: nullable(string()),
    tool: nullable(string()),
    arguments: unknown(),
    questions: optional(array(unknown())),
    /** What a client tool says of itself, where the session was started here. */
    toolSpec: optional(object({ description: string(), inputSchema: unknown() })),
    summary: string(),
    /** The request's own params, as the engine sent them. */
    details: unknown(),
    createdAt: string(),
    expiresAt: nullable(string()),
    status: literals("pending", "responding"),
    sessionTitle: nullable(string()),
  }),
);
export type PendingRequest = Infer<typeof PendingRequest>;

export const PendingList = named("PendingList", () => object({ data: array(PendingRequest()) }));

/** A message that waits for the running turn to end. */
export const QueuedMessage = named("QueuedMessage", () =>
  object({ messageId: string(), input: array(UserInput()), text: string(), createdAt: string(), by: Actor() }),
);
export type QueuedMessage = Infer<typeof QueuedMessage>;

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

/** A standing decision about commands that start with these words, as the engine's rules file holds it. */
export const ApprovalRule = named("ApprovalRule", () =>
  object({
    ruleId: string(),
    pattern: array(union([string(), array(string())])),
    decision: literals("allow", "prompt", "forbidden"),
    justification: maybe(string()),
    file: string(),
    line: natural(),
    editable: boolean(),
    /** It also lets commands leave the sandbox. */
    outsideSandbox: boolean(),
    expiresAt: nullable(string()),
    addedBy: maybe(string()),
  }),
);
export type ApprovalRule = Infer<typeof ApprovalRule>;

/* What routes answer when they cannot do it. */
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
    /** Set when the request was known: how it ended and by whom. */
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

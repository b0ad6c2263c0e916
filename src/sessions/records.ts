/** Records that session clients share: sessions, pending requests, queued messages, actors. */
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
  unknown,
} from "../lib/schema.ts";
import { GitPullRequest } from "../protocol/git.ts";
import { UserInput } from "../protocol/item.ts";
import { AskForApproval } from "../protocol/policy.ts";

export const ApprovalPolicy = named("ApprovalPolicy", () => literals("untrusted", "on-failure", "on-request", "never"));
export type ApprovalPolicy = Infer<typeof ApprovalPolicy>;

export const NetworkAccess = named("ManagerNetworkAccess", () => literals("restricted", "enabled"));
export type NetworkAccess = Infer<typeof NetworkAccess>;

export const FilesystemSandbox = named("FilesystemSandbox", () => literals("read-only", "workspace-write", "danger-full-access"));
export type FilesystemSandbox = Infer<typeof FilesystemSandbox>;

/** Whether the agent works directly, or first makes a plan and asks questions. */
export const WorkMode = named("WorkMode", () => literals("default", "plan"));
export type WorkMode = Infer<typeof WorkMode>;

/** A session's permissions and model; stored by the client and applied to each message. */
export const SessionControls = named("SessionControls", () =>
  object({
    model: nullable(string()),
    effort: maybe(string()),
    approvalPolicy: ApprovalPolicy(),
    networkAccess: NetworkAccess(),
    filesystemSandbox: FilesystemSandbox(),
    /** A permission profile of the user's own settings, which then decides in place of the two above. */
    permissions: optional(string()),
    /** If omitted, the engine's own setting applies. */
    mode: optional(WorkMode()),
    settings: record(unknown()),
  }),
);
export type SessionControls = Infer<typeof SessionControls>;

/** A session's state as one value, so that no client has to derive it from events. */
export const SessionState = named("SessionState", () => literals("idle", "working", "waiting", "failed", "notLoaded"));
export type SessionState = Infer<typeof SessionState>;

export const SessionChanges = named("SessionChanges", () => object({ files: natural(), added: natural(), removed: natural() }));
export type SessionChanges = Infer<typeof SessionChanges>;

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
    /** The session works in a worktree of its own, made from this repository. */
    worktree: maybe(object({ root: string(), branch: string() })),
    pullRequest: maybe(GitPullRequest()),
    /** Whether something ended in it that nobody has looked at; the engine keeps it for all clients. */
    unread: boolean(),
    /** The section it was put into; Pinned is one of them. */
    sectionId: maybe(string()),
    /** Seconds since 1970; until then the list leaves it out, unless it waits for a person. */
    snoozedUntil: maybe(integer()),
    /** What it has changed in files so far. */
    changes: maybe(SessionChanges()),
    /** The name that its parent gave a sub-agent. */
    agentName: optional(string()),
  }),
);
export type SessionSummary = Infer<typeof SessionSummary>;

/** Who did something: a signed-in device or script, a client on the protocol itself, a rule, or nobody (timeout, end of the turn). */
export const Actor = named("Actor", () =>
  object({ kind: literals("device", "script", "client", "rule", "timeout", "system"), id: maybe(string()), name: string() }),
);
export type Actor = Infer<typeof Actor>;

export const RequestKind = named("RequestKind", () =>
  literals("command", "fileChange", "permissions", "question", "toolCall", "elicitation", "other"),
);
export type RequestKind = Infer<typeof RequestKind>;

/** A request that waits for an answer. `approvalId` repeats `requestId` for the kinds that the approval routes serve. */
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
    /** A client tool's own description, if the session was started here. */
    toolSpec: optional(object({ description: string(), inputSchema: unknown() })),
    summary: string(),
    /** The request's own params, as sent by the engine. */
    details: unknown(),
    createdAt: string(),
    expiresAt: nullable(string()),
    status: literals("pending", "responding"),
    sessionTitle: nullable(string()),
  }),
);
export type PendingRequest = Infer<typeof PendingRequest>;

/** The answer to one question; null if it is a secret. */
export const AnsweredQuestion = named("AnsweredQuestion", () => object({ question: string(), answers: nullable(array(string())) }));
export type AnsweredQuestion = Infer<typeof AnsweredQuestion>;

/** A message that waits for the running turn to end. */
export const QueuedMessage = named("QueuedMessage", () =>
  object({ messageId: string(), input: array(UserInput()), text: string(), createdAt: string(), by: Actor() }),
);
export type QueuedMessage = Infer<typeof QueuedMessage>;

/** What happens to files when turns are reverted: nothing; restore them if nobody else has changed them since; restore them in any case. */
export type FilesOnRollback = "keep" | "restore" | "force";

/** The messages of the manager's websocket `/api/stream`: what a client may send and every event it can receive. */
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
} from "../lib/schema.ts";
import { ThreadTokenUsage } from "../protocol/thread.ts";
import { TurnPlanStep } from "../protocol/turn.ts";
import { Actor, AnsweredQuestion, PendingRequest, QueuedMessage, SessionSummary } from "../sessions/records.ts";
import { withPattern } from "./api/define.ts";
import { Section } from "./api/lists.ts";
import { Project, TranscriptRow } from "./api/records.ts";

/**
 * The kinds of events that a socket can subscribe to. core: the events below. raw: each engine notification as `notification`. app_server:
 * the same under its own name. inbox: pending requests and session changes of every session, even if the socket is filtered to some.
 */
export const families = ["core", "raw", "app_server", "inbox"] as const;
export type Family = (typeof families)[number];
/** The default for sockets that choose none. */
export const defaultFamilies: readonly Family[] = ["core", "raw", "app_server"];

export const StreamCommand = named("StreamCommand", () =>
  union([
    object({
      type: literals("subscribe"),
      /** One session, several, or `*` for all. Replaces the previous filter. */
      threadId: maybe(string()),
      threadIds: maybe(array(string())),
      families: maybe(array(literals(...families))),
      /** The last number that was received: everything after it is sent again, or `resync` if it is no longer stored. */
      since: maybe(natural()),
      bootId: maybe(string()),
    }),
    object({ type: literals("unsubscribe") }),
    object({ type: literals("ping") }),
  ]),
);
export type StreamCommand = Infer<typeof StreamCommand>;

/** Frames about the connection itself; they have no number. */
export const StreamControl = named("StreamControl", () =>
  union([
    object({ type: literals("ready"), threadId: nullable(string()), seq: natural(), bootId: string() }),
    object({
      type: literals("subscribed"),
      threadIds: union([array(string()), literals("*")]),
      seq: natural(),
      bootId: string(),
      replayed: natural(),
    }),
    /** The missed events are no longer stored: read the sessions again and continue from `seq`. */
    object({ type: literals("resync"), seq: natural(), bootId: string(), reason: string() }),
    object({ type: literals("pong") }),
    object({ type: literals("error"), message: string() }),
  ]),
);
export type StreamControl = Infer<typeof StreamControl>;

const resolution = () => ({
  status: literals("resolved", "expired"),
  threadId: string(),
  by: Actor(),
  at: string(),
  /** Why it ended without an answer. */
  reason: maybe(string()),
  answers: optional(array(AnsweredQuestion())),
});

/** The payload of each event, by its name. */
export const eventPayloads = {
  approval: PendingRequest,
  approval_resolved: named("ApprovalResolved", () =>
    object({ approvalId: string(), decision: optional(unknown()), scope: maybe(string()), ...resolution() }),
  ),
  tool_user_input_requested: PendingRequest,
  tool_user_input_resolved: named("ToolUserInputResolved", () =>
    object({ requestId: string(), decision: optional(unknown()), ...resolution() }),
  ),
  tool_call_requested: PendingRequest,
  tool_call_resolved: named("ToolCallResolved", () => object({ requestId: string(), success: boolean(), ...resolution() })),
  request_pending: PendingRequest,
  request_resolved: named("RequestResolved", () => object({ requestId: string(), decision: optional(unknown()), ...resolution() })),
  request_responding: named("RequestResponding", () =>
    object({ requestId: string(), threadId: string(), responding: boolean(), by: Actor() }),
  ),
  transcript_updated: named("TranscriptUpdated", () => object({ turnId: string(), entry: TranscriptRow() })),
  turn_plan_updated: named("TurnPlanUpdated", () =>
    object({ threadId: string(), turnId: string(), explanation: maybe(string()), plan: array(TurnPlanStep()) }),
  ),
  turn_diff_updated: named("TurnDiffUpdated", () => object({ threadId: string(), turnId: string(), diff: string() })),
  thread_token_usage_updated: named("TokenUsageUpdated", () =>
    object({ threadId: string(), turnId: string(), tokenUsage: ThreadTokenUsage() }),
  ),
  notification: named("RawNotification", () => object({ method: string(), params: unknown(), emittedAtMs: maybe(integer()) })),
  server_request: named("RawServerRequest", () => object({ method: string(), params: unknown(), requestId: string() })),
  session_upserted: SessionSummary,
  session_deleted: named("SessionDeletedEvent", () =>
    object({ status: literals("deleted"), sessionId: string(), title: maybe(string()), message: string(), deletedAt: string() }),
  ),
  session_project_updated: named("SessionProjectUpdated", () => object({ sessionId: string(), projectId: nullable(string()) })),
  queue_updated: named("QueueUpdated", () => object({ sessionId: string(), queue: array(QueuedMessage()) })),
  sections_updated: named("SectionsUpdated", () => object({ data: array(Section()) })),
  project_upserted: Project,
  project_deleted: named("ProjectDeletedEvent", () => object({ projectId: string() })),
  app_list_updated: named("AppListUpdated", () => object({})),
  mcp_oauth_completed: named("McpOauthCompleted", () => object({ name: string(), success: boolean(), error: maybe(string()) })),
  account_updated: named("AccountUpdated", () => object({})),
  account_login_completed: named("AccountLoginDone", () =>
    object({ success: boolean(), error: maybe(string()), loginId: maybe(string()) }),
  ),
  account_rate_limits_updated: named("RateLimitsUpdated", () => object({ rateLimits: unknown() })),
  templates_changed: named("TemplatesChanged", () => object({})),
  schedules_changed: named("SchedulesChanged", () => object({})),
  engine_state: named("EngineState", () => object({ running: boolean(), reason: maybe(string()) })),
} as const;

export type EventName = keyof typeof eventPayloads;
export type EventPayload<N extends EventName> = Infer<(typeof eventPayloads)[N]>;

/** One numbered event. Numbers increase by at least one and restart only with a new `bootId`. */
export type StreamEvent = {
  [N in EventName]: {
    readonly seq: number;
    readonly bootId: string;
    readonly type: N;
    readonly threadId: string | null;
    readonly payload: EventPayload<N>;
  };
}[EventName];
const numbered = () => ({ seq: natural(), bootId: string(), threadId: nullable(string()) });
export const StreamEvent = named("StreamEvent", () =>
  union(
    (Object.keys(eventPayloads) as EventName[]).map((type) =>
      object({ ...numbered(), type: literals(type), payload: eventPayloads[type]() }),
    ),
  ),
);

/** An engine event under its own name, such as `app_server.item.completed`: the family app_server. */
export const PassThroughEvent = named("PassThroughEvent", () =>
  object({
    ...numbered(),
    type: withPattern(string(), "^app_server\\."),
    payload: object({
      source: literals("app_server"),
      signalType: literals("notification", "request"),
      eventType: string(),
      method: string(),
      receivedAt: string(),
      context: object({ threadId: nullable(string()), turnId: nullable(string()) }),
      params: unknown(),
      session: nullable(object({ id: string(), title: nullable(string()), projectId: nullable(string()) })),
      requestId: optional(string()),
    }),
  }),
);
export type PassThroughEvent = Infer<typeof PassThroughEvent>;

/** Everything that a client can receive. */
export const StreamMessage = named("StreamMessage", () => union([StreamControl(), StreamEvent(), PassThroughEvent()]));
export type StreamMessage = StreamControl | StreamEvent | PassThroughEvent;

/** Events that every socket receives, regardless of its filter. */
export const broadcast: ReadonlySet<string> = new Set<EventName>([
  "session_deleted",
  "session_project_updated",
  "project_upserted",
  "project_deleted",
  "sections_updated",
  "app_list_updated",
  "mcp_oauth_completed",
  "account_updated",
  "account_login_completed",
  "account_rate_limits_updated",
  "templates_changed",
  "schedules_changed",
  "engine_state",
]);

/** Events of the inbox family: pending requests and session states, for every session. */
export const inboxEvents: ReadonlySet<string> = new Set<EventName>([
  "approval",
  "approval_resolved",
  "tool_user_input_requested",
  "tool_user_input_resolved",
  "tool_call_requested",
  "tool_call_resolved",
  "request_pending",
  "request_resolved",
  "request_responding",
  "session_upserted",
  "queue_updated",
]);

/** The pass-through name of an engine method: `item/fileChange/requestApproval` becomes `app_server.request.item.file_change.request_approval`. */
export function passThroughName(method: string, signal: "notification" | "request"): string {
  const parts = method.split("/").map((part) => part.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase());
  return ["app_server", ...(signal === "request" ? ["request"] : []), ...parts].join(".");
}

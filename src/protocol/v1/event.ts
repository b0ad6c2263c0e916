/** The v1 event stream: one `codex/event/<type>` for each event in a conversation. Sent by adapters/v1. */
import {
  array,
  boolean,
  type Infer,
  integer,
  type Lazy,
  literals,
  maybe,
  named,
  natural,
  object,
  once,
  optional,
  record,
  type Schema,
  string,
  union,
  unknown,
} from "../../lib/schema.ts";
import { type Notification, notification } from "../define.ts";
import { AskForApproval, ReasoningEffort, ThreadId } from "../policy.ts";
import { ReviewTarget } from "../review.ts";
import { FileChange, ParsedCommand } from "./approval.ts";
import { collabEvents } from "./event-collab.ts";
import {
  CodexErrorInfo,
  Duration,
  ExecCommandSource,
  McpInvocation,
  McpStartupStatus,
  McpToolCallOutcome,
  PlanItemArg,
  RateLimitSnapshot,
  RequestUserInputQuestion,
  ReviewOutputEvent,
  SandboxPolicy,
  TextElement,
  TokenUsageInfo,
  TurnItem,
  WebSearchAction,
} from "./event-value.ts";

const event = <const T extends string, P extends Readonly<Record<string, Schema>>>(type: T, name: string, fields: () => P) =>
  named(`v1.${name}`, () => object({ type: literals(type), ...fields() }));
const nothing = () => ({});
const call = () => ({ call_id: string() });
const turn = () => ({ turn_id: optional(string()) });
const delta = () => ({ delta: string() });
const itemDelta = () => ({ thread_id: string(), turn_id: string(), item_id: string(), delta: string() });
const command = () => ({
  process_id: maybe(string()),
  turn_id: string(),
  command: array(string()),
  cwd: string(),
  parsed_cmd: array(ParsedCommand()),
  source: optional(ExecCommandSource()),
  interaction_input: maybe(string()),
});

/** A replayed conversation may contain its own start, so the messages in it are not validated further. */
const AnyEvent = once(() => object({ type: string() }));

export const events = {
  /** A permanent error. */
  error: event("error", "ErrorEvent", () => ({ message: string(), codex_error_info: maybe(CodexErrorInfo()) })),
  /** Something does not work as well as the user may expect. */
  warning: event("warning", "WarningEvent", () => ({ message: string() })),
  /** A turn has started. */
  task_started: event("task_started", "TurnStartedEvent", () => ({
    model_context_window: maybe(integer()),
    collaboration_mode_kind: optional(string()),
  })),
  /** A turn has completed. */
  task_complete: event("task_complete", "TurnCompleteEvent", () => ({ last_agent_message: maybe(string()) })),
  /** A turn was stopped. */
  turn_aborted: event("turn_aborted", "TurnAbortedEvent", () => ({ reason: literals("interrupted", "replaced", "review_ended") })),
  /** Tokens used and remaining limits. */
  token_count: event("token_count", "TokenCountEvent", () => ({ info: maybe(TokenUsageInfo()), rate_limits: maybe(RateLimitSnapshot()) })),
  /** A complete message of the agent. */
  agent_message: event("agent_message", "AgentMessageEvent", () => ({ message: string() })),
  /** The next piece of a message. */
  agent_message_delta: event("agent_message_delta", "AgentMessageDeltaEvent", delta),
  /** What the user sent. */
  user_message: event("user_message", "UserMessageEvent", () => ({
    message: string(),
    images: maybe(array(string())),
    local_images: optional(array(string())),
    text_elements: optional(array(TextElement())),
    kind: optional(string()),
  })),
  /** A complete summary of the reasoning. */
  agent_reasoning: event("agent_reasoning", "AgentReasoningEvent", () => ({ text: string() })),
  /** The next piece of a summary. */
  agent_reasoning_delta: event("agent_reasoning_delta", "AgentReasoningDeltaEvent", delta),
  /** The reasoning itself. */
  agent_reasoning_raw_content: event("agent_reasoning_raw_content", "AgentReasoningRawContentEvent", () => ({ text: string() })),
  /** The next piece of the reasoning itself. */
  agent_reasoning_raw_content_delta: event("agent_reasoning_raw_content_delta", "AgentReasoningRawContentDeltaEvent", delta),
  /** A new section of the summary. */
  agent_reasoning_section_break: event("agent_reasoning_section_break", "AgentReasoningSectionBreakEvent", () => ({
    item_id: optional(string()),
    summary_index: optional(integer()),
  })),
  /** The conversation is ready, with its settings. */
  session_configured: event("session_configured", "SessionConfiguredEvent", () => ({
    session_id: ThreadId(),
    forked_from_id: maybe(ThreadId()),
    model: string(),
    model_provider_id: string(),
    approval_policy: AskForApproval(),
    sandbox_policy: SandboxPolicy(),
    cwd: string(),
    reasoning_effort: maybe(ReasoningEffort()),
    history_log_id: natural(),
    history_entry_count: natural(),
    initial_messages: maybe(array(AnyEvent())),
    rollout_path: maybe(string()),
  })),
  /** An MCP server is starting, ready or broken. */
  mcp_startup_update: event("mcp_startup_update", "McpStartupUpdateEvent", () => ({ server: string(), status: McpStartupStatus() })),
  /** All MCP servers have started or failed. */
  mcp_startup_complete: event("mcp_startup_complete", "McpStartupCompleteEvent", () => ({
    ready: array(string()),
    failed: array(object({ server: string(), error: string() })),
    cancelled: array(string()),
  })),
  /** An MCP tool is called. */
  mcp_tool_call_begin: event("mcp_tool_call_begin", "McpToolCallBeginEvent", () => ({ ...call(), invocation: McpInvocation() })),
  /** An MCP tool has returned. */
  mcp_tool_call_end: event("mcp_tool_call_end", "McpToolCallEndEvent", () => ({
    ...call(),
    invocation: McpInvocation(),
    duration: Duration(),
    result: McpToolCallOutcome(),
  })),
  /** The model searches the web. */
  web_search_begin: event("web_search_begin", "WebSearchBeginEvent", call),
  /** The web search has ended. */
  web_search_end: event("web_search_end", "WebSearchEndEvent", () => ({ ...call(), query: string(), action: WebSearchAction() })),
  /** A command starts. */
  exec_command_begin: event("exec_command_begin", "ExecCommandBeginEvent", () => ({ ...call(), ...command() })),
  /** The next bytes of its output. */
  exec_command_output_delta: event("exec_command_output_delta", "ExecCommandOutputDeltaEvent", () => ({
    ...call(),
    stream: literals("stdout", "stderr"),
    chunk: string(),
  })),
  /** Input was sent to a running command. */
  terminal_interaction: event("terminal_interaction", "TerminalInteractionEvent", () => ({
    ...call(),
    process_id: string(),
    stdin: string(),
  })),
  /** A command has ended. */
  exec_command_end: event("exec_command_end", "ExecCommandEndEvent", () => ({
    ...call(),
    ...command(),
    stdout: string(),
    stderr: string(),
    aggregated_output: optional(string()),
    exit_code: integer(),
    duration: Duration(),
    formatted_output: string(),
    status: optional(string()),
  })),
  /** The model looks at an image. */
  view_image_tool_call: event("view_image_tool_call", "ViewImageToolCallEvent", () => ({ ...call(), path: string() })),
  /** May this command run? Answered through `execCommandApproval`. */
  exec_approval_request: event("exec_approval_request", "ExecApprovalRequestEvent", () => ({
    ...call(),
    ...turn(),
    command: array(string()),
    cwd: string(),
    reason: maybe(string()),
    proposed_execpolicy_amendment: maybe(array(string())),
    parsed_cmd: array(ParsedCommand()),
  })),
  /** May these files be changed? Answered through `applyPatchApproval`. */
  apply_patch_approval_request: event("apply_patch_approval_request", "ApplyPatchApprovalRequestEvent", () => ({
    ...call(),
    ...turn(),
    changes: record(FileChange()),
    reason: maybe(string()),
    grant_root: maybe(string()),
  })),
  /** The model asks the user something. Answered through `item/tool/requestUserInput` of the current API. */
  request_user_input: event("request_user_input", "RequestUserInputEvent", () => ({
    ...call(),
    ...turn(),
    questions: array(RequestUserInputQuestion()),
  })),
  /** The model calls a tool of a client. Answered through `item/tool/call` of the current API. */
  dynamic_tool_call_request: event("dynamic_tool_call_request", "DynamicToolCallRequest", () => ({
    callId: string(),
    turnId: string(),
    tool: string(),
    arguments: unknown(),
  })),
  /** Files are about to be changed. */
  patch_apply_begin: event("patch_apply_begin", "PatchApplyBeginEvent", () => ({
    ...call(),
    ...turn(),
    auto_approved: boolean(),
    changes: record(FileChange()),
  })),
  /** Files were changed, or the patch failed. */
  patch_apply_end: event("patch_apply_end", "PatchApplyEndEvent", () => ({
    ...call(),
    ...turn(),
    stdout: string(),
    stderr: string(),
    success: boolean(),
    changes: optional(record(FileChange())),
  })),
  /** All changes of the turn so far. */
  turn_diff: event("turn_diff", "TurnDiffEvent", () => ({ unified_diff: string() })),
  /** The agent's list of steps. */
  plan_update: event("plan_update", "UpdatePlanArgs", () => ({ explanation: maybe(string()), plan: array(PlanItemArg()) })),
  /** Something happened in the background. */
  background_event: event("background_event", "BackgroundEventEvent", () => ({ message: string() })),
  /** The stream from the model broke off; it is retried. */
  stream_error: event("stream_error", "StreamErrorEvent", () => ({
    message: string(),
    codex_error_info: maybe(CodexErrorInfo()),
    additional_details: maybe(string()),
  })),
  /** The history was summarized. */
  context_compacted: event("context_compacted", "ContextCompactedEvent", nothing),
  /** The conversation's title has changed. */
  thread_name_updated: event("thread_name_updated", "ThreadNameUpdatedEvent", () => ({
    thread_id: ThreadId(),
    thread_name: maybe(string()),
  })),
  /** A review has started. */
  entered_review_mode: event("entered_review_mode", "ReviewRequest", () => ({
    target: ReviewTarget(),
    user_facing_hint: maybe(string()),
  })),
  /** A review has ended, with its findings. */
  exited_review_mode: event("exited_review_mode", "ExitedReviewModeEvent", () => ({ review_output: maybe(ReviewOutputEvent()) })),
  /** One raw item of the model; only for listeners that requested raw events. */
  raw_response_item: event("raw_response_item", "RawResponseItemEvent", () => ({ item: unknown() })),
  /** An item has started. */
  item_started: event("item_started", "ItemStartedEvent", () => ({ thread_id: ThreadId(), turn_id: string(), item: TurnItem() })),
  /** An item has completed. */
  item_completed: event("item_completed", "ItemCompletedEvent", () => ({ thread_id: ThreadId(), turn_id: string(), item: TurnItem() })),
  /** The next piece of a message, with the item it belongs to. */
  agent_message_content_delta: event("agent_message_content_delta", "AgentMessageContentDeltaEvent", itemDelta),
  /** The next piece of a plan, with the item it belongs to. */
  plan_delta: event("plan_delta", "PlanDeltaEvent", itemDelta),
  /** The next piece of a reasoning summary, with the item it belongs to. */
  reasoning_content_delta: event("reasoning_content_delta", "ReasoningContentDeltaEvent", () => ({
    ...itemDelta(),
    summary_index: optional(integer()),
  })),
  /** The next piece of the reasoning itself, with the item it belongs to. */
  reasoning_raw_content_delta: event("reasoning_raw_content_delta", "ReasoningRawContentDeltaEvent", () => ({
    ...itemDelta(),
    content_index: optional(integer()),
  })),
  /** The conversation was archived: nothing more follows. */
  shutdown_complete: event("shutdown_complete", "ShutdownCompleteEvent", nothing),
  ...collabEvents,
};

/** Any message of the stream, as stored conversations replay it. */
export const EventMsg = named("v1.EventMsg", () => union(Object.values(events).map((message): Schema<EventMessage> => message())));
export type EventMessage = { [T in keyof typeof events]: Infer<(typeof events)[T]> }[keyof typeof events];
export type EventMsg = EventMessage;

type EventParams<T extends keyof typeof events> = { id: string; msg: Infer<(typeof events)[T]>; conversationId: string };
type EventNotifications = { readonly [T in keyof typeof events & string as `codex/event/${T}`]: Notification<Schema<EventParams<T>>> };

/** Each event under its method, with the id of its turn and its conversation. */
export const v1EventNotifications: EventNotifications = Object.fromEntries(
  Object.entries(events).map(([type, message]) => [`codex/event/${type}`, notification(eventParams(message))]),
) as unknown as EventNotifications;

function eventParams(message: Lazy): Lazy {
  return once(() => object({ id: string(), msg: message(), conversationId: ThreadId() }));
}

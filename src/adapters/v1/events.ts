/** Translates current notifications into the v1 event stream, `codex/event/<type>`. Also used by the MCP server. */

import { BrokenOff } from "../../client/broken-off.ts";
import type { RateLimitSnapshot } from "../../protocol/account.ts";
import type { ParamsOf } from "../../protocol/define.ts";
import type { ServerNotifications } from "../../protocol/methods.ts";
import type { TokenUsageBreakdown } from "../../protocol/thread.ts";
import type { CodexErrorInfo, TurnError } from "../../protocol/turn.ts";
import type { EventMessage } from "../../protocol/v1/event.ts";
import type { CodexErrorInfo as OldErrorInfo, TokenUsage } from "../../protocol/v1/event-value.ts";
import { CommandStreams } from "./command-streams.ts";
import { completedEvents, startedEvents } from "./items.ts";
import { McpStarts } from "./mcp-starts.ts";

/** One event with its conversation and turn. */
export interface V1Event {
  readonly threadId: string;
  readonly turnId: string;
  readonly msg: EventMessage;
}

type Notified = {
  [M in keyof ServerNotifications]: { readonly method: M; readonly params: ParamsOf<ServerNotifications[M]> };
}[keyof ServerNotifications];

/** Translates notifications; keeps only what later events repeat. */
export class EventStream {
  readonly #folderOf: (threadId: string) => string | undefined;
  #rateLimits: RateLimitSnapshot | undefined;
  readonly #windows = new Map<string, number | null>();
  readonly #lastMessage = new Map<string, string>();
  readonly #brokenOff = new BrokenOff();
  readonly #outputs = new CommandStreams();
  readonly #mcpStarts = new McpStarts();
  /** A reviewer's answer is displayed reformatted; its original text arrives as raw items. */
  readonly #rawAnswer = new Map<string, string>();
  /** Edits that have started; the next notification shows whether they were approved without a question. */
  readonly #begun = new Map<string, V1Event>();

  constructor(folderOf: (threadId: string) => string | undefined) {
    this.#folderOf = folderOf;
  }

  take(method: string, params: unknown): readonly V1Event[] {
    const notified = { method, params } as Notified;
    const at = params as { threadId?: string | null; turnId?: string; turn?: { id: string } };
    const threadId = at.threadId ?? "";
    const turnId = at.turnId ?? at.turn?.id ?? "";
    const before = /^(?:item|turn)\//.test(method) ? this.#settled(threadId, true) : [];
    const events = this.#events(notified).map((msg) => ({ threadId, turnId, msg }));
    const isEdit = notified.method === "item/started" && notified.params.item.type === "fileChange";
    const begin = isEdit ? events.pop() : undefined;
    if (begin !== undefined) this.#begun.set(threadId, begin);
    return [...before, ...events];
  }
  /** A question is about to be asked in the thread: the edit that has started waits for it. */
  asked(threadId: string): readonly V1Event[] {
    return this.#settled(threadId, false);
  }
  #settled(threadId: string, auto_approved: boolean): V1Event[] {
    const begun = this.#begun.get(threadId);
    if (begun?.msg.type !== "patch_apply_begin") return [];
    this.#begun.delete(threadId);
    return [{ ...begun, msg: { ...begun.msg, auto_approved } }];
  }

  #events(n: Notified): EventMessage[] {
    switch (n.method) {
      case "turn/started":
        return [
          { type: "task_started", model_context_window: this.#windows.get(n.params.threadId) ?? null, collaboration_mode_kind: "default" },
        ];
      case "item/started":
        this.#brokenOff.started(n.params);
        return startedEvents(n.params.item, n.params);
      case "item/completed":
        if (this.#brokenOff.wasLeft(n.params)) return []; // the message is sent again
        if (n.params.item.type === "agentMessage") this.#lastMessage.set(n.params.turnId, n.params.item.text);
        return completedEvents(n.params.item, {
          ...n.params,
          folder: this.#folderOf(n.params.threadId),
          answer: this.#rawAnswer.get(n.params.turnId),
          streams: n.params.item.type === "commandExecution" ? this.#outputs.take(n.params.item.id) : undefined,
        });
      case "thread/name/updated":
        return [{ type: "thread_name_updated", thread_id: n.params.threadId, thread_name: n.params.threadName ?? null }];
      case "rawResponseItem/completed":
        this.#noteAnswer(n.params);
        return [{ type: "raw_response_item", item: n.params.item }];
      case "item/commandExecution/outputDelta":
        return this.#outputs.deltas(n.params);
      case "item/commandExecution/terminalInteraction":
        return [{ type: "terminal_interaction", call_id: n.params.itemId, process_id: n.params.processId, stdin: n.params.stdin }];
      case "turn/diff/updated":
        return [{ type: "turn_diff", unified_diff: n.params.diff }];
      case "turn/plan/updated":
        return [
          {
            type: "plan_update",
            explanation: n.params.explanation ?? null,
            plan: n.params.plan.map(({ step, status }) => ({ step, status: status === "inProgress" ? "in_progress" : status })),
          },
        ];
      case "thread/tokenUsage/updated":
        this.#windows.set(n.params.threadId, n.params.tokenUsage.modelContextWindow ?? null);
        return [this.#tokenCount(n.params.tokenUsage)];
      case "account/rateLimits/updated":
        this.#rateLimits = n.params.rateLimits;
        return [];
      case "error":
        this.#brokenOff.error(n.params);
        return [errorEvent(n.params.error, n.params.willRetry)];
      case "warning":
      case "guardianWarning":
        return warningEvents(n.params.message);
      case "mcpServer/startupStatus/updated":
        return [
          {
            type: "mcp_startup_update",
            server: n.params.name,
            status: n.params.status === "failed" ? { state: "failed", error: n.params.error ?? "" } : { state: n.params.status },
          },
          ...this.#mcpStarts.take(n.params),
        ];
      case "turn/completed":
        return this.#ended(n.params.turn.id, n.params.turn.status);
      default:
        return streamedEvents(n);
    }
  }

  #ended(turnId: string, status: string): EventMessage[] {
    const last = this.#lastMessage.get(turnId) ?? null;
    this.#lastMessage.delete(turnId);
    this.#rawAnswer.delete(turnId);
    if (status === "interrupted") return [{ type: "turn_aborted", reason: "interrupted" }];
    return [{ type: "task_complete", last_agent_message: status === "failed" ? null : last }];
  }

  #noteAnswer({ turnId, item }: ParamsOf<ServerNotifications["rawResponseItem/completed"]>): void {
    if (item.type !== "message" || item.role !== "assistant") return;
    this.#rawAnswer.set(turnId, item.content.map((part) => ("text" in part ? part.text : "")).join(""));
  }

  #tokenCount({
    total,
    last,
    modelContextWindow,
  }: {
    total: TokenUsageBreakdown;
    last: TokenUsageBreakdown;
    modelContextWindow?: number | null;
  }): EventMessage {
    return {
      type: "token_count",
      info: { total_token_usage: tokens(total), last_token_usage: tokens(last), model_context_window: modelContextWindow ?? null },
      rate_limits:
        this.#rateLimits === undefined
          ? null
          : {
              primary: windowOf(this.#rateLimits.primary),
              secondary: windowOf(this.#rateLimits.secondary),
              credits: null,
              plan_type: this.#rateLimits.planType ?? null,
            },
    };
  }
}

/** The pieces of messages, plans and thoughts, with and without the item that they belong to. */
function streamedEvents(n: Notified): EventMessage[] {
  switch (n.method) {
    case "item/agentMessage/delta":
      return [
        { type: "agent_message_content_delta", ...itemDelta(n.params) },
        { type: "agent_message_delta", delta: n.params.delta },
      ];
    case "item/plan/delta":
      return [{ type: "plan_delta", ...itemDelta(n.params) }];
    case "item/reasoning/summaryTextDelta":
      return [
        { type: "reasoning_content_delta", ...itemDelta(n.params), summary_index: n.params.summaryIndex },
        { type: "agent_reasoning_delta", delta: n.params.delta },
      ];
    case "item/reasoning/summaryPartAdded":
      return [{ type: "agent_reasoning_section_break", item_id: n.params.itemId, summary_index: n.params.summaryIndex }];
    case "item/reasoning/textDelta":
      return [
        { type: "reasoning_raw_content_delta", ...itemDelta(n.params), content_index: n.params.contentIndex },
        { type: "agent_reasoning_raw_content_delta", delta: n.params.delta },
      ];
    default:
      return [];
  }
}

const itemDelta = (p: { threadId: string; turnId: string; itemId: string; delta: string }) => ({
  thread_id: p.threadId,
  turn_id: p.turnId,
  item_id: p.itemId,
  delta: p.delta,
});

const tokens = (usage: TokenUsageBreakdown): TokenUsage => ({
  input_tokens: usage.inputTokens,
  cached_input_tokens: usage.cachedInputTokens,
  output_tokens: usage.outputTokens,
  reasoning_output_tokens: usage.reasoningOutputTokens,
  total_tokens: usage.totalTokens,
});

const windowOf = (
  window: RateLimitSnapshot["primary"],
): { used_percent: number; window_minutes: number | null; resets_at: number | null } | null =>
  window
    ? { used_percent: window.usedPercent, window_minutes: window.windowDurationMins ?? null, resets_at: window.resetsAt ?? null }
    : null;

function errorEvent(error: TurnError, willRetry: boolean): EventMessage {
  const info = errorInfo(error.codexErrorInfo ?? "other");
  if (willRetry)
    return { type: "stream_error", message: error.message, codex_error_info: info, additional_details: error.additionalDetails ?? null };
  return { type: "error", message: error.message, codex_error_info: info };
}

const plainInfos = [
  "context_window_exceeded",
  "usage_limit_exceeded",
  "internal_server_error",
  "unauthorized",
  "bad_request",
  "sandbox_error",
] as const;

function errorInfo(info: CodexErrorInfo): OldErrorInfo {
  if (typeof info === "string")
    return plainInfos.find((name) => name === info.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) ?? "other";
  const status = (value: { httpStatusCode?: number | null }): { http_status_code: number | null } => ({
    http_status_code: value.httpStatusCode ?? null,
  });
  if ("httpConnectionFailed" in info) return { http_connection_failed: status(info.httpConnectionFailed) };
  if ("responseStreamConnectionFailed" in info) return { response_stream_connection_failed: status(info.responseStreamConnectionFailed) };
  if ("responseStreamDisconnected" in info) return { response_stream_disconnected: status(info.responseStreamDisconnected) };
  if ("responseTooManyFailedAttempts" in info) return { response_too_many_failed_attempts: status(info.responseTooManyFailedAttempts) };
  return "other";
}

const warningEvents = (message: string): EventMessage[] => [
  { type: "warning", message },
  { type: "background_event", message },
];

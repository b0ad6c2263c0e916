/** Parts of the v1 event stream, with its own snake_case names. Implemented in adapters/v1. */
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
  number,
  object,
  optional,
  string,
  union,
  unknown,
} from "../../lib/schema.ts";

export const TokenUsage = named("v1.TokenUsage", () =>
  object({
    input_tokens: integer(),
    cached_input_tokens: integer(),
    output_tokens: integer(),
    reasoning_output_tokens: integer(),
    total_tokens: integer(),
  }),
);
export type TokenUsage = Infer<typeof TokenUsage>;

export const TokenUsageInfo = named("v1.TokenUsageInfo", () =>
  object({ total_token_usage: TokenUsage(), last_token_usage: TokenUsage(), model_context_window: maybe(integer()) }),
);
export type TokenUsageInfo = Infer<typeof TokenUsageInfo>;

export const RateLimitWindow = named("v1.RateLimitWindow", () =>
  object({ used_percent: number(), window_minutes: maybe(integer()), resets_at: maybe(integer()) }),
);
export type RateLimitWindow = Infer<typeof RateLimitWindow>;

export const RateLimitSnapshot = named("v1.RateLimitSnapshot", () =>
  object({
    primary: maybe(RateLimitWindow()),
    secondary: maybe(RateLimitWindow()),
    credits: maybe(object({ has_credits: boolean(), unlimited: boolean(), balance: maybe(string()) })),
    plan_type: maybe(string()),
  }),
);
export type RateLimitSnapshot = Infer<typeof RateLimitSnapshot>;

const httpStatus = () => object({ http_status_code: maybe(natural()) });
export const CodexErrorInfo = named("v1.CodexErrorInfo", () =>
  union([
    literals(
      "context_window_exceeded",
      "usage_limit_exceeded",
      "internal_server_error",
      "unauthorized",
      "bad_request",
      "sandbox_error",
      "thread_rollback_failed",
      "other",
    ),
    object({ http_connection_failed: httpStatus() }),
    object({ response_stream_connection_failed: httpStatus() }),
    object({ response_stream_disconnected: httpStatus() }),
    object({ response_too_many_failed_attempts: httpStatus() }),
  ]),
);
export type CodexErrorInfo = Infer<typeof CodexErrorInfo>;

export const Duration = named("v1.Duration", () => object({ secs: natural(), nanos: natural() }));
export type Duration = Infer<typeof Duration>;

export const McpInvocation = named("v1.McpInvocation", () => object({ server: string(), tool: string(), arguments: optional(unknown()) }));
export type McpInvocation = Infer<typeof McpInvocation>;

export const McpToolCallOutcome = named("v1.McpToolCallOutcome", () =>
  union([
    object({ Ok: object({ content: array(unknown()), isError: maybe(boolean()), structuredContent: optional(unknown()) }) }),
    object({ Err: string() }),
  ]),
);
export type McpToolCallOutcome = Infer<typeof McpToolCallOutcome>;

export const McpStartupStatus = named("v1.McpStartupStatus", () =>
  union([object({ state: literals("starting", "ready", "cancelled") }), object({ state: literals("failed"), error: string() })]),
);
export type McpStartupStatus = Infer<typeof McpStartupStatus>;

export const WebSearchAction = named("v1.WebSearchAction", () =>
  union([
    object({ type: literals("search"), query: maybe(string()), queries: maybe(array(string())) }),
    object({ type: literals("open_page"), url: maybe(string()) }),
    object({ type: literals("find_in_page"), url: maybe(string()), pattern: maybe(string()) }),
    object({ type: literals("other") }),
  ]),
);
export type WebSearchAction = Infer<typeof WebSearchAction>;

export const ExecCommandSource = named("v1.ExecCommandSource", () =>
  literals("agent", "user_shell", "unified_exec_startup", "unified_exec_interaction"),
);
export type ExecCommandSource = Infer<typeof ExecCommandSource>;

export const TextElement = named("v1.TextElement", () =>
  object({ byte_range: object({ start: natural(), end: natural() }), placeholder: maybe(string()) }),
);
export type TextElement = Infer<typeof TextElement>;

export const SandboxPolicy = named("v1.SandboxPolicy", () =>
  union([
    object({ type: literals("danger-full-access") }),
    object({ type: literals("read-only") }),
    object({ type: literals("external-sandbox"), network_access: optional(literals("restricted", "enabled")) }),
    object({
      type: literals("workspace-write"),
      writable_roots: optional(array(string())),
      network_access: optional(boolean()),
      exclude_tmpdir_env_var: optional(boolean()),
      exclude_slash_tmp: optional(boolean()),
    }),
  ]),
);
export type SandboxPolicy = Infer<typeof SandboxPolicy>;

export const PlanItemArg = named("v1.PlanItemArg", () =>
  object({ step: string(), status: literals("pending", "in_progress", "completed") }),
);
export type PlanItemArg = Infer<typeof PlanItemArg>;

export const ReviewOutputEvent = named("v1.ReviewOutputEvent", () =>
  object({
    findings: array(ReviewFinding()),
    overall_correctness: string(),
    overall_explanation: string(),
    overall_confidence_score: number(),
  }),
);
export type ReviewOutputEvent = Infer<typeof ReviewOutputEvent>;

export const ReviewFinding = named("v1.ReviewFinding", () =>
  object({
    title: string(),
    body: string(),
    confidence_score: number(),
    priority: integer(),
    code_location: object({ absolute_file_path: string(), line_range: object({ start: natural(), end: natural() }) }),
  }),
);
export type ReviewFinding = Infer<typeof ReviewFinding>;

export const TurnItem = named("v1.TurnItem", () =>
  union([
    object({ type: literals("UserMessage"), id: string(), content: array(unknown()) }),
    object({ type: literals("AgentMessage"), id: string(), content: array(object({ type: literals("Text"), text: string() })) }),
    object({ type: literals("Plan"), id: string(), text: string() }),
    object({ type: literals("Reasoning"), id: string(), summary_text: array(string()), raw_content: optional(array(string())) }),
    object({ type: literals("WebSearch"), id: string(), query: string(), action: WebSearchAction() }),
    object({ type: literals("ContextCompaction"), id: string() }),
  ]),
);
export type TurnItem = Infer<typeof TurnItem>;

export const AgentStatus = named("v1.AgentStatus", () =>
  union([
    literals("pending_init", "running", "shutdown", "not_found"),
    object({ completed: nullable(string()) }),
    object({ errored: string() }),
  ]),
);
export type AgentStatus = Infer<typeof AgentStatus>;

export const RequestUserInputQuestion = named("v1.RequestUserInputQuestion", () =>
  object({
    id: string(),
    header: string(),
    question: string(),
    isOther: optional(boolean()),
    isSecret: optional(boolean()),
    options: maybe(array(object({ label: string(), description: string() }))),
  }),
);
export type RequestUserInputQuestion = Infer<typeof RequestUserInputQuestion>;

/** Conversations: what threads were called before 0.56 (dropped in 0.108). Implemented in adapters/v1. */
import {
  array,
  boolean,
  type Infer,
  literals,
  maybe,
  named,
  natural,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../../lib/schema.ts";
import { Empty, request } from "../define.ts";
import { invalidRequest } from "../errors.ts";
import { UserInput } from "../item.ts";
import { limitInput, limitPath, limitSettings } from "../limits.ts";
import { ResponseItem } from "../model-item.ts";
import { AskForApproval, ReasoningEffort, ReasoningSummary, SandboxMode, SandboxPolicy, ThreadId } from "../policy.ts";
import { acceptSettings, approvalPolicy, history, inTurn, renamed, respell, sandboxMode, sandboxPolicy, userInput } from "../spellings.ts";
import { EventMsg } from "./event.ts";

export const NewConversationParams = named("v1.NewConversationParams", () =>
  object({
    approvalPolicy: maybe(AskForApproval()),
    baseInstructions: maybe(string()),
    compactPrompt: maybe(string()),
    config: maybe(record(unknown())),
    cwd: maybe(string()),
    developerInstructions: maybe(string()),
    includeApplyPatchTool: maybe(boolean()),
    includePlanTool: maybe(boolean()),
    model: maybe(string()),
    modelProvider: maybe(string()),
    profile: maybe(string()),
    sandbox: maybe(SandboxMode()),
  }),
);
export type NewConversationParams = Infer<typeof NewConversationParams>;

export const NewConversationResponse = named("v1.NewConversationResponse", () =>
  object({ conversationId: ThreadId(), model: string(), reasoningEffort: maybe(ReasoningEffort()), rolloutPath: string() }),
);
export type NewConversationResponse = Infer<typeof NewConversationResponse>;

export const ListConversationsParams = named("v1.ListConversationsParams", () =>
  object({ cursor: maybe(string()), modelProviders: maybe(array(string())), pageSize: maybe(natural()) }),
);
export type ListConversationsParams = Infer<typeof ListConversationsParams>;

export const ListConversationsResponse = named("v1.ListConversationsResponse", () =>
  object({ items: array(ConversationSummary()), nextCursor: maybe(string()) }),
);
export type ListConversationsResponse = Infer<typeof ListConversationsResponse>;

export const ConversationSummary = named("v1.ConversationSummary", () =>
  object({
    conversationId: ThreadId(),
    path: string(),
    preview: string(),
    timestamp: maybe(string()),
    updatedAt: maybe(string()),
    modelProvider: string(),
    cwd: string(),
    cliVersion: string(),
    source: SessionSource(),
    gitInfo: maybe(ConversationGitInfo()),
  }),
);
export type ConversationSummary = Infer<typeof ConversationSummary>;

export const ConversationGitInfo = named("v1.ConversationGitInfo", () =>
  object({ branch: maybe(string()), origin_url: maybe(string()), sha: maybe(string()) }),
);
export type ConversationGitInfo = Infer<typeof ConversationGitInfo>;

export const SessionSource = named("v1.SessionSource", () =>
  union([literals("cli", "vscode", "exec", "mcp", "unknown"), object({ subagent: unknown() })]),
);
export type SessionSource = Infer<typeof SessionSource>;

export const ResumeConversationParams = named("v1.ResumeConversationParams", () =>
  object({
    conversationId: maybe(ThreadId()),
    history: maybe(array(ResponseItem())),
    overrides: maybe(NewConversationParams()),
    path: maybe(string()),
  }),
);
export type ResumeConversationParams = Infer<typeof ResumeConversationParams>;

export const ResumeConversationResponse = named("v1.ResumeConversationResponse", () => openedConversation());
export type ResumeConversationResponse = Infer<typeof ResumeConversationResponse>;

export const ForkConversationParams = named("v1.ForkConversationParams", () =>
  object({ conversationId: maybe(ThreadId()), overrides: maybe(NewConversationParams()), path: maybe(string()) }),
);
export type ForkConversationParams = Infer<typeof ForkConversationParams>;

export const ForkConversationResponse = named("v1.ForkConversationResponse", () => openedConversation());
export type ForkConversationResponse = Infer<typeof ForkConversationResponse>;

const openedConversation = () =>
  object({ conversationId: ThreadId(), initialMessages: maybe(array(EventMsg())), model: string(), rolloutPath: string() });

export const ArchiveConversationParams = named("v1.ArchiveConversationParams", () =>
  object({ conversationId: ThreadId(), rolloutPath: string() }),
);
export type ArchiveConversationParams = Infer<typeof ArchiveConversationParams>;

export const GetConversationSummaryParams = named("v1.GetConversationSummaryParams", () =>
  union([object({ rolloutPath: string() }), object({ conversationId: ThreadId() })]),
);
export type GetConversationSummaryParams = Infer<typeof GetConversationSummaryParams>;

export const GetConversationSummaryResponse = named("v1.GetConversationSummaryResponse", () => object({ summary: ConversationSummary() }));
export type GetConversationSummaryResponse = Infer<typeof GetConversationSummaryResponse>;

export const SendUserMessageParams = named("v1.SendUserMessageParams", () =>
  object({ conversationId: ThreadId(), items: array(UserInput()) }),
);
export type SendUserMessageParams = Infer<typeof SendUserMessageParams>;

export const SendUserTurnParams = named("v1.SendUserTurnParams", () =>
  object({
    conversationId: ThreadId(),
    items: array(UserInput()),
    cwd: string(),
    approvalPolicy: AskForApproval(),
    sandboxPolicy: SandboxPolicy(),
    model: string(),
    effort: maybe(ReasoningEffort()),
    summary: ReasoningSummary(),
    outputSchema: optional(unknown()),
  }),
);
export type SendUserTurnParams = Infer<typeof SendUserTurnParams>;

export const InterruptConversationParams = named("v1.InterruptConversationParams", () => object({ conversationId: ThreadId() }));
export type InterruptConversationParams = Infer<typeof InterruptConversationParams>;

export const InterruptConversationResponse = named("v1.InterruptConversationResponse", () => object({ abortReason: TurnAbortReason() }));
export type InterruptConversationResponse = Infer<typeof InterruptConversationResponse>;

export const TurnAbortReason = named("v1.TurnAbortReason", () => literals("interrupted", "replaced", "review_ended"));
export type TurnAbortReason = Infer<typeof TurnAbortReason>;

export const AddConversationListenerParams = named("v1.AddConversationListenerParams", () =>
  object({ conversationId: ThreadId(), experimentalRawEvents: optional(boolean()) }),
);
export type AddConversationListenerParams = Infer<typeof AddConversationListenerParams>;

export const AddConversationSubscriptionResponse = named("v1.AddConversationSubscriptionResponse", () =>
  object({ subscriptionId: string() }),
);
export type AddConversationSubscriptionResponse = Infer<typeof AddConversationSubscriptionResponse>;

export const RemoveConversationListenerParams = named("v1.RemoveConversationListenerParams", () => object({ subscriptionId: string() }));
export type RemoveConversationListenerParams = Infer<typeof RemoveConversationListenerParams>;

/** The same key as that of the thread's own methods, so that both APIs share one order. */
const byConversation = ({ conversationId }: { conversationId?: string | null }): string | undefined =>
  typeof conversationId === "string" ? `thread:${conversationId}` : undefined;

const acceptConversation = inTurn(
  renamed("conversationId", "conversation_id", "threadId"),
  respell({
    approvalPolicy,
    sandbox: sandboxMode,
    sandboxPolicy,
    items: userInput,
    history,
    overrides: (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? acceptSettings({ ...value }) : value),
  }),
);
function requireName(
  { conversationId, path }: { conversationId?: string | null; path?: string | null },
  otherwise = "either path or conversation id must be provided",
): void {
  limitPath("path", path);
  if (typeof conversationId !== "string" && typeof path !== "string") throw invalidRequest(otherwise);
}
const limitItems = ({ items }: { items: readonly UserInput[] }): void => limitInput({ input: items });

export const v1ConversationRequests = {
  /** Creates a conversation; its events are sent only after `addConversationListener`. */
  newConversation: request({
    params: NewConversationParams,
    result: NewConversationResponse,
    accept: acceptConversation,
    limits: limitSettings,
  }),
  /** Pages through the stored conversations. */
  listConversations: request({ params: ListConversationsParams, result: ListConversationsResponse }),
  /** Opens a stored conversation by its file, its id, or a history sent with the request. */
  resumeConversation: request({
    params: ResumeConversationParams,
    result: ResumeConversationResponse,
    order: byConversation,
    accept: acceptConversation,
    limits(params) {
      if ((params.history ?? []).length === 0) requireName(params, "either path, conversation id or non empty history must be provided");
      limitSettings(params.overrides ?? {});
    },
  }),
  /** Copies a conversation under a new id. */
  forkConversation: request({
    params: ForkConversationParams,
    result: ForkConversationResponse,
    order: byConversation,
    accept: acceptConversation,
    limits(params) {
      requireName(params);
      limitSettings(params.overrides ?? {});
    },
  }),
  /** Archives a conversation. */
  archiveConversation: request({
    params: ArchiveConversationParams,
    result: Empty,
    order: byConversation,
    accept: acceptConversation,
    limits: ({ rolloutPath }) => limitPath("rolloutPath", rolloutPath),
  }),
  /** Returns the summary of a stored conversation, by its file or its id. */
  getConversationSummary: request({
    params: GetConversationSummaryParams,
    result: GetConversationSummaryResponse,
    accept: acceptConversation,
  }),
  /** Sends input with the current settings. */
  sendUserMessage: request({
    params: SendUserMessageParams,
    result: Empty,
    order: byConversation,
    accept: acceptConversation,
    limits: limitItems,
  }),
  /** Sends input together with all settings of the turn. */
  sendUserTurn: request({
    params: SendUserTurnParams,
    result: Empty,
    order: byConversation,
    accept: acceptConversation,
    limits(params) {
      limitItems(params);
      limitSettings(params);
    },
  }),
  /** Stops the running turn and responds when it has stopped. */
  interruptConversation: request({
    params: InterruptConversationParams,
    result: InterruptConversationResponse,
    order: byConversation,
    accept: acceptConversation,
  }),
  /** Subscribes to the events of a conversation. */
  addConversationListener: request({
    params: AddConversationListenerParams,
    result: AddConversationSubscriptionResponse,
    order: byConversation,
    accept: acceptConversation,
  }),
  /** Ends a subscription. */
  removeConversationListener: request({
    params: RemoveConversationListenerParams,
    result: Empty,
    accept: renamed("subscriptionId", "subscription_id"),
  }),
};

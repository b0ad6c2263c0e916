/** The model's input and the content of rollout lines: the items of the Responses API. Implemented in core/context/history.ts and store/. */
import { array, type Infer, literals, maybe, named, natural, object, record, string, union, unknown } from "../lib/schema.ts";
import { ReasoningEffort } from "./policy.ts";

export const ResponseItem = named("ResponseItem", () =>
  union([
    object({ type: literals("additional_tools"), role: string(), tools: array(unknown()), id: maybe(string()) }),
    object({
      type: literals("message"),
      content: array(ContentItem()),
      role: string(),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      phase: maybe(MessagePhase()),
      status: maybe(string()),
    }),
    object({
      type: literals("agent_message"),
      author: string(),
      content: array(AgentMessageInputContent()),
      recipient: string(),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
    }),
    object({
      type: literals("reasoning"),
      summary: array(ReasoningItemReasoningSummary()),
      content: maybe(array(ReasoningItemContent())),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
    }),
    object({
      type: literals("local_shell_call"),
      action: LocalShellAction(),
      status: LocalShellStatus(),
      call_id: maybe(string()),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
    }),
    object({
      type: literals("function_call"),
      arguments: string(),
      call_id: string(),
      name: string(),
      encrypted_content: maybe(string()),
      encrypted_function_args: maybe(array(string())),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      namespace: maybe(string()),
      status: maybe(string()),
    }),
    object({
      type: literals("tool_search_call"),
      arguments: unknown(),
      execution: string(),
      call_id: maybe(string()),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      status: maybe(string()),
    }),
    object({
      type: literals("function_call_output"),
      output: FunctionCallOutputBody(),
      call_id: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      name: maybe(string()),
      namespace: maybe(string()),
    }),
    object({
      type: literals("custom_tool_call"),
      call_id: string(),
      input: string(),
      name: string(),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      namespace: maybe(string()),
      status: maybe(string()),
    }),
    object({
      type: literals("custom_tool_call_output"),
      call_id: string(),
      output: FunctionCallOutputBody(),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      name: maybe(string()),
    }),
    object({
      type: literals("tool_search_output"),
      execution: string(),
      status: string(),
      tools: array(unknown()),
      call_id: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
    }),
    object({
      type: literals("web_search_call"),
      action: maybe(ResponsesApiWebSearchAction()),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      status: maybe(string()),
    }),
    object({
      type: literals("image_generation_call"),
      result: string(),
      status: string(),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
      revised_prompt: maybe(string()),
    }),
    object({
      type: literals("compaction"),
      encrypted_content: string(),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
    }),
    object({ type: literals("configuration_update"), reasoning: ConfigurationReasoning() }),
    object({ type: literals("compaction_trigger") }),
    object({
      type: literals("context_compaction"),
      encrypted_content: maybe(string()),
      id: maybe(string()),
      internal_chat_message_metadata_passthrough: maybe(InternalChatMessageMetadataPassthrough()),
    }),
    object({ type: literals("other") }),
  ]),
);
export type ResponseItem = Infer<typeof ResponseItem>;

export const ContentItem = named("ContentItem", () =>
  union([
    object({ type: literals("input_text"), text: string() }),
    object({ type: literals("input_image"), image_url: string(), detail: maybe(ImageDetail()) }),
    object({ type: literals("input_image"), file_id: string(), detail: maybe(ImageDetail()) }),
    object({ type: literals("input_audio"), audio_url: string() }),
    object({ type: literals("output_text"), text: string(), annotations: maybe(array(unknown())), logprobs: maybe(array(unknown())) }),
  ]),
);
export type ContentItem = Infer<typeof ContentItem>;

export const InternalChatMessageMetadataPassthrough = named("InternalChatMessageMetadataPassthrough", () =>
  object({ turn_id: maybe(string()) }),
);
export type InternalChatMessageMetadataPassthrough = Infer<typeof InternalChatMessageMetadataPassthrough>;

export const MessagePhase = named("MessagePhase", () => literals("commentary", "partial_answer", "final_answer"));
export type MessagePhase = Infer<typeof MessagePhase>;

export const AgentMessageInputContent = named("AgentMessageInputContent", () =>
  union([
    object({ type: literals("input_text"), text: string() }),
    object({ type: literals("encrypted_content"), encrypted_content: string() }),
  ]),
);
export type AgentMessageInputContent = Infer<typeof AgentMessageInputContent>;

export const ReasoningItemContent = named("ReasoningItemContent", () =>
  union([object({ type: literals("reasoning_text"), text: string() }), object({ type: literals("text"), text: string() })]),
);
export type ReasoningItemContent = Infer<typeof ReasoningItemContent>;

export const ReasoningItemReasoningSummary = named("ReasoningItemReasoningSummary", () =>
  object({ type: literals("summary_text"), text: string() }),
);
export type ReasoningItemReasoningSummary = Infer<typeof ReasoningItemReasoningSummary>;

export const LocalShellAction = named("LocalShellAction", () =>
  object({
    type: literals("exec"),
    command: array(string()),
    env: maybe(record(string())),
    timeout_ms: maybe(natural()),
    user: maybe(string()),
    working_directory: maybe(string()),
  }),
);
export type LocalShellAction = Infer<typeof LocalShellAction>;

export const LocalShellStatus = named("LocalShellStatus", () => literals("completed", "in_progress", "incomplete"));
export type LocalShellStatus = Infer<typeof LocalShellStatus>;

export const FunctionCallOutputBody = named("FunctionCallOutputBody", () => union([string(), array(FunctionCallOutputContentItem())]));
export type FunctionCallOutputBody = Infer<typeof FunctionCallOutputBody>;

export const ResponsesApiWebSearchAction = named("ResponsesApiWebSearchAction", () =>
  union([
    object({ type: literals("search"), queries: maybe(array(string())), query: maybe(string()) }),
    object({ type: literals("open_page"), url: maybe(string()) }),
    object({ type: literals("find_in_page"), pattern: maybe(string()), url: maybe(string()) }),
    object({ type: literals("other") }),
  ]),
);
export type ResponsesApiWebSearchAction = Infer<typeof ResponsesApiWebSearchAction>;

export const ConfigurationReasoning = named("ConfigurationReasoning", () => object({ effort: ReasoningEffort() }));
export type ConfigurationReasoning = Infer<typeof ConfigurationReasoning>;

export const ImageDetail = named("ImageDetail", () => literals("auto", "low", "high", "original"));
export type ImageDetail = Infer<typeof ImageDetail>;

export const FunctionCallOutputContentItem = named("FunctionCallOutputContentItem", () =>
  union([
    object({ type: literals("input_text"), text: string() }),
    object({ type: literals("input_image"), image_url: string(), detail: maybe(ImageDetail()) }),
    object({ type: literals("input_image"), file_id: string(), detail: maybe(ImageDetail()) }),
    object({ type: literals("input_audio"), audio_url: string() }),
    object({ type: literals("encrypted_content"), encrypted_content: string() }),
  ]),
);
export type FunctionCallOutputContentItem = Infer<typeof FunctionCallOutputContentItem>;

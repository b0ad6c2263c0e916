/** `item`. */
import {
  array,
  boolean,
  type Infer,
  integer,
  intersect,
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
} from "../lib/schema.ts";
import { notification } from "./define.ts";
import { FunctionCallOutputBody, ImageDetail, MessagePhase, ResponseItem } from "./model-item.ts";
import { AbsolutePathBuf, ByteRange, ReasoningEffort } from "./policy.ts";

export const ThreadItem = named("ThreadItem", () =>
  intersect([
    object({ completedAtMs: maybe(integer()), startedAtMs: maybe(integer()) }),
    union([
      object({ type: literals("userMessage"), content: array(UserInput()), id: string(), clientId: maybe(string()) }),
      object({ type: literals("hookPrompt"), fragments: array(HookPromptFragment()), id: string() }),
      object({
        type: literals("agentMessage"),
        id: string(),
        text: string(),
        delivery: maybe(AgentMessageDelivery()),
        memoryCitation: maybe(MemoryCitation()),
        phase: maybe(MessagePhase()),
        questions: maybe(array(AsyncUserInputQuestion())),
      }),
      object({
        type: literals("functionCallOutput"),
        id: string(),
        name: string(),
        output: FunctionCallOutputBody(),
        namespace: maybe(string()),
      }),
      object({ type: literals("plan"), id: string(), text: string() }),
      object({ type: literals("reasoning"), id: string(), content: optional(array(string())), summary: optional(array(string())) }),
      object({
        type: literals("commandExecution"),
        command: string(),
        commandActions: array(CommandAction()),
        cwd: LegacyAppPathString(),
        id: string(),
        status: CommandExecutionStatus(),
        aggregatedOutput: maybe(string()),
        durationMs: maybe(integer()),
        exitCode: maybe(integer()),
        pluginId: maybe(string()),
        processId: maybe(string()),
        scriptPath: maybe(string()),
        source: optional(CommandExecutionSource()),
      }),
      object({ type: literals("fileChange"), changes: array(FileUpdateChange()), id: string(), status: PatchApplyStatus() }),
      object({
        type: literals("mcpToolCall"),
        arguments: unknown(),
        id: string(),
        server: string(),
        status: McpToolCallStatus(),
        tool: string(),
        appContext: maybe(McpToolCallAppContext()),
        durationMs: maybe(integer()),
        error: maybe(McpToolCallError()),
        mcpAppResourceUri: maybe(string()),
        mcpAppUi: maybe(McpAppUi()),
        pluginId: maybe(string()),
        readOnlyHint: maybe(boolean()),
        result: maybe(McpToolCallResult()),
      }),
      object({
        type: literals("dynamicToolCall"),
        arguments: unknown(),
        id: string(),
        status: DynamicToolCallStatus(),
        tool: string(),
        contentItems: maybe(array(DynamicToolCallOutputContentItem())),
        durationMs: maybe(integer()),
        namespace: maybe(string()),
        success: maybe(boolean()),
      }),
      object({
        type: literals("collabAgentToolCall"),
        agentsStates: record(CollabAgentState()),
        id: string(),
        receiverThreadIds: array(string()),
        senderThreadId: string(),
        status: CollabAgentToolCallStatus(),
        tool: CollabAgentTool(),
        model: maybe(string()),
        prompt: maybe(string()),
        reasoningEffort: maybe(ReasoningEffort()),
      }),
      object({
        type: literals("subAgentActivity"),
        agentPath: string(),
        agentThreadId: string(),
        id: string(),
        kind: SubAgentActivityKind(),
        model: maybe(string()),
        reasoningEffort: maybe(ReasoningEffort()),
      }),
      object({
        type: literals("webSearch"),
        id: string(),
        query: string(),
        action: maybe(WebSearchAction()),
        results: maybe(array(unknown())),
      }),
      object({ type: literals("imageView"), id: string(), path: LegacyAppPathString() }),
      object({ type: literals("sleep"), durationMs: natural(), id: string() }),
      intersect([
        object({
          type: literals("imageGeneration"),
          id: string(),
          status: string(),
          failure: maybe(ImageGenerationFailure()),
          generationId: maybe(string()),
          inputImages: optional(array(ImageGenerationInputImage())),
          revisedPrompt: maybe(string()),
          savedPath: maybe(AbsolutePathBuf()),
          transparentBackground: maybe(boolean()),
        }),
        union([object({ fileId: string() }), object({ result: string() })]),
      ]),
      object({ type: literals("enteredReviewMode"), id: string(), review: string() }),
      object({ type: literals("exitedReviewMode"), id: string(), review: string() }),
      object({ type: literals("contextCompaction"), id: string() }),
    ]),
  ]),
);
export type ThreadItem = Infer<typeof ThreadItem>;

export const UserInput = named("UserInput", () =>
  union([
    object({ type: literals("text"), text: string(), text_elements: optional(array(TextElement())) }),
    intersect([
      object({ type: literals("image"), detail: maybe(ImageDetail()) }),
      union([object({ url: string() }), object({ fileId: string() })]),
    ]),
    object({ type: literals("localImage"), path: string(), detail: maybe(ImageDetail()) }),
    object({ type: literals("audio"), url: string() }),
    object({ type: literals("localAudio"), path: string() }),
    object({ type: literals("skill"), name: string(), path: string() }),
    object({ type: literals("mention"), name: string(), path: string() }),
  ]),
);
export type UserInput = Infer<typeof UserInput>;

export const HookPromptFragment = named("HookPromptFragment", () => object({ hookRunId: string(), text: string() }));
export type HookPromptFragment = Infer<typeof HookPromptFragment>;

export const AgentMessageDelivery = named("AgentMessageDelivery", () => literals("async"));
export type AgentMessageDelivery = Infer<typeof AgentMessageDelivery>;

export const MemoryCitation = named("MemoryCitation", () => object({ entries: array(MemoryCitationEntry()), threadIds: array(string()) }));
export type MemoryCitation = Infer<typeof MemoryCitation>;

export const AsyncUserInputQuestion = named("AsyncUserInputQuestion", () => object({ title: string(), options: maybe(array(string())) }));
export type AsyncUserInputQuestion = Infer<typeof AsyncUserInputQuestion>;

export const CommandAction = named("CommandAction", () =>
  union([
    object({ type: literals("read"), command: string(), name: string(), path: LegacyAppPathString() }),
    object({ type: literals("listFiles"), command: string(), path: maybe(string()) }),
    object({ type: literals("search"), command: string(), path: maybe(string()), query: maybe(string()) }),
    object({ type: literals("unknown"), command: string() }),
  ]),
);
export type CommandAction = Infer<typeof CommandAction>;

export const LegacyAppPathString = named("LegacyAppPathString", () => string());
export type LegacyAppPathString = Infer<typeof LegacyAppPathString>;

export const CommandExecutionSource = named("CommandExecutionSource", () =>
  literals("agent", "userShell", "unifiedExecStartup", "unifiedExecInteraction"),
);
export type CommandExecutionSource = Infer<typeof CommandExecutionSource>;

export const CommandExecutionStatus = named("CommandExecutionStatus", () => literals("inProgress", "completed", "failed", "declined"));
export type CommandExecutionStatus = Infer<typeof CommandExecutionStatus>;

export const FileUpdateChange = named("FileUpdateChange", () => object({ diff: string(), kind: PatchChangeKind(), path: string() }));
export type FileUpdateChange = Infer<typeof FileUpdateChange>;

export const PatchApplyStatus = named("PatchApplyStatus", () => literals("inProgress", "completed", "failed", "declined"));
export type PatchApplyStatus = Infer<typeof PatchApplyStatus>;

export const McpToolCallAppContext = named("McpToolCallAppContext", () =>
  object({
    connectorId: string(),
    actionName: maybe(string()),
    appName: maybe(string()),
    linkId: maybe(string()),
    resourceUri: maybe(string()),
  }),
);
export type McpToolCallAppContext = Infer<typeof McpToolCallAppContext>;

export const McpToolCallError = named("McpToolCallError", () => object({ message: string() }));
export type McpToolCallError = Infer<typeof McpToolCallError>;

export const McpAppUi = named("McpAppUi", () => object({ preferredModelDisplayMode: McpAppDisplayMode(), resourceUri: string() }));
export type McpAppUi = Infer<typeof McpAppUi>;

export const McpToolCallResult = named("McpToolCallResult", () =>
  object({ content: array(unknown()), _meta: optional(unknown()), structuredContent: optional(unknown()) }),
);
export type McpToolCallResult = Infer<typeof McpToolCallResult>;

export const McpToolCallStatus = named("McpToolCallStatus", () => literals("inProgress", "completed", "failed"));
export type McpToolCallStatus = Infer<typeof McpToolCallStatus>;

export const DynamicToolCallOutputContentItem = named("DynamicToolCallOutputContentItem", () =>
  union([
    object({ type: literals("inputText"), text: string() }),
    object({ type: literals("inputImage"), imageUrl: string() }),
    object({ type: literals("inputAudio"), audioUrl: string() }),
  ]),
);
export type DynamicToolCallOutputContentItem = Infer<typeof DynamicToolCallOutputContentItem>;

export const DynamicToolCallStatus = named("DynamicToolCallStatus", () => literals("inProgress", "completed", "failed"));
export type DynamicToolCallStatus = Infer<typeof DynamicToolCallStatus>;

export const CollabAgentState = named("CollabAgentState", () => object({ status: CollabAgentStatus(), message: maybe(string()) }));
export type CollabAgentState = Infer<typeof CollabAgentState>;

export const CollabAgentToolCallStatus = named("CollabAgentToolCallStatus", () =>
  literals("inProgress", "completed", "failed", "interrupted"),
);
export type CollabAgentToolCallStatus = Infer<typeof CollabAgentToolCallStatus>;

export const CollabAgentTool = named("CollabAgentTool", () =>
  literals("spawnAgent", "sendInput", "resumeAgent", "wait", "closeAgent", "sendMessage", "followupTask", "interruptAgent", "listAgents"),
);
export type CollabAgentTool = Infer<typeof CollabAgentTool>;

export const SubAgentActivityKind = named("SubAgentActivityKind", () => literals("started", "interacted", "interrupted", "completed"));
export type SubAgentActivityKind = Infer<typeof SubAgentActivityKind>;

export const WebSearchAction = named("WebSearchAction", () =>
  union([
    object({ type: literals("search"), queries: maybe(array(string())), query: maybe(string()) }),
    object({ type: literals("openPage"), url: maybe(string()) }),
    object({ type: literals("findInPage"), pattern: maybe(string()), url: maybe(string()) }),
    object({ type: literals("other") }),
  ]),
);
export type WebSearchAction = Infer<typeof WebSearchAction>;

export const ImageGenerationFailure = named("ImageGenerationFailure", () =>
  object({ type: literals("usageLimitExceeded"), limitId: string(), resetsAt: maybe(integer()) }),
);
export type ImageGenerationFailure = Infer<typeof ImageGenerationFailure>;

export const ImageGenerationInputImage = named("ImageGenerationInputImage", () => object({ path: AbsolutePathBuf(), sha256: string() }));
export type ImageGenerationInputImage = Infer<typeof ImageGenerationInputImage>;

export const TextElement = named("TextElement", () => object({ byteRange: ByteRange(), placeholder: maybe(string()) }));
export type TextElement = Infer<typeof TextElement>;

export const MemoryCitationEntry = named("MemoryCitationEntry", () =>
  object({ lineEnd: natural(), lineStart: natural(), note: string(), path: string() }),
);
export type MemoryCitationEntry = Infer<typeof MemoryCitationEntry>;

export const PatchChangeKind = named("PatchChangeKind", () =>
  union([
    object({ type: literals("add") }),
    object({ type: literals("delete") }),
    object({ type: literals("update"), move_path: maybe(string()) }),
  ]),
);
export type PatchChangeKind = Infer<typeof PatchChangeKind>;

export const McpAppDisplayMode = named("McpAppDisplayMode", () => literals("inline", "fullscreen"));
export type McpAppDisplayMode = Infer<typeof McpAppDisplayMode>;

export const CollabAgentStatus = named("CollabAgentStatus", () =>
  literals("pendingInit", "running", "interrupted", "completed", "errored", "shutdown", "notFound"),
);
export type CollabAgentStatus = Infer<typeof CollabAgentStatus>;

export const ItemStartedNotification = named("ItemStartedNotification", () =>
  object({ item: ThreadItem(), startedAtMs: integer(), threadId: string(), turnId: string() }),
);
export type ItemStartedNotification = Infer<typeof ItemStartedNotification>;

export const ItemCompletedNotification = named("ItemCompletedNotification", () =>
  object({ completedAtMs: integer(), item: ThreadItem(), threadId: string(), turnId: string() }),
);
export type ItemCompletedNotification = Infer<typeof ItemCompletedNotification>;

export const AgentMessageDeltaNotification = named("AgentMessageDeltaNotification", () =>
  object({ delta: string(), itemId: string(), threadId: string(), turnId: string() }),
);
export type AgentMessageDeltaNotification = Infer<typeof AgentMessageDeltaNotification>;

export const PlanDeltaNotification = named("PlanDeltaNotification", () =>
  object({ delta: string(), itemId: string(), threadId: string(), turnId: string() }),
);
export type PlanDeltaNotification = Infer<typeof PlanDeltaNotification>;

export const CommandExecutionOutputDeltaNotification = named("CommandExecutionOutputDeltaNotification", () =>
  object({ delta: string(), itemId: string(), threadId: string(), turnId: string() }),
);
export type CommandExecutionOutputDeltaNotification = Infer<typeof CommandExecutionOutputDeltaNotification>;

export const TerminalInteractionNotification = named("TerminalInteractionNotification", () =>
  object({ itemId: string(), processId: string(), stdin: string(), threadId: string(), turnId: string() }),
);
export type TerminalInteractionNotification = Infer<typeof TerminalInteractionNotification>;

export const FileChangeOutputDeltaNotification = named("FileChangeOutputDeltaNotification", () =>
  object({ delta: string(), itemId: string(), threadId: string(), turnId: string() }),
);
export type FileChangeOutputDeltaNotification = Infer<typeof FileChangeOutputDeltaNotification>;

export const FileChangePatchUpdatedNotification = named("FileChangePatchUpdatedNotification", () =>
  object({ changes: array(FileUpdateChange()), itemId: string(), threadId: string(), turnId: string() }),
);
export type FileChangePatchUpdatedNotification = Infer<typeof FileChangePatchUpdatedNotification>;

export const McpToolCallProgressNotification = named("McpToolCallProgressNotification", () =>
  object({ itemId: string(), message: string(), threadId: string(), turnId: string() }),
);
export type McpToolCallProgressNotification = Infer<typeof McpToolCallProgressNotification>;

export const ReasoningSummaryTextDeltaNotification = named("ReasoningSummaryTextDeltaNotification", () =>
  object({ delta: string(), itemId: string(), summaryIndex: integer(), threadId: string(), turnId: string() }),
);
export type ReasoningSummaryTextDeltaNotification = Infer<typeof ReasoningSummaryTextDeltaNotification>;

export const ReasoningSummaryPartAddedNotification = named("ReasoningSummaryPartAddedNotification", () =>
  object({ itemId: string(), summaryIndex: integer(), threadId: string(), turnId: string() }),
);
export type ReasoningSummaryPartAddedNotification = Infer<typeof ReasoningSummaryPartAddedNotification>;

export const ReasoningTextDeltaNotification = named("ReasoningTextDeltaNotification", () =>
  object({ contentIndex: integer(), delta: string(), itemId: string(), threadId: string(), turnId: string() }),
);
export type ReasoningTextDeltaNotification = Infer<typeof ReasoningTextDeltaNotification>;

export const RawResponseItemCompletedNotification = named("RawResponseItemCompletedNotification", () =>
  object({ item: ResponseItem(), threadId: string(), turnId: string() }),
);
export type RawResponseItemCompletedNotification = Infer<typeof RawResponseItemCompletedNotification>;

export const itemNotifications = {
  "item/started": notification(ItemStartedNotification),
  "item/completed": notification(ItemCompletedNotification),
  "item/agentMessage/delta": notification(AgentMessageDeltaNotification),
  "item/plan/delta": notification(PlanDeltaNotification),
  "item/commandExecution/outputDelta": notification(CommandExecutionOutputDeltaNotification),
  "item/commandExecution/terminalInteraction": notification(TerminalInteractionNotification),
  "item/fileChange/outputDelta": notification(FileChangeOutputDeltaNotification),
  "item/fileChange/patchUpdated": notification(FileChangePatchUpdatedNotification),
  "item/mcpToolCall/progress": notification(McpToolCallProgressNotification),
  "item/reasoning/summaryTextDelta": notification(ReasoningSummaryTextDeltaNotification),
  "item/reasoning/summaryPartAdded": notification(ReasoningSummaryPartAddedNotification),
  "item/reasoning/textDelta": notification(ReasoningTextDeltaNotification),
  "rawResponseItem/completed": notification(RawResponseItemCompletedNotification),
};

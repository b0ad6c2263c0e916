/** What a person sees of a thread: items and their parts. Created in core, by the step that performs the action. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  natural,
  object,
  optional,
  record,
  type Schema,
  string,
  union,
  unknown,
} from "../lib/schema.ts";
import { FunctionCallOutputBody, ImageDetail, MessagePhase } from "./model-item.ts";
import { AbsolutePathBuf, ByteRange, ReasoningEffort } from "./policy.ts";

/** The fields that every item has in addition to its own. */
const item = <const T extends string, P extends Record<string, Schema>>(type: T, fields: P) =>
  object({ type: literals(type), id: string(), startedAtMs: maybe(integer()), completedAtMs: maybe(integer()), ...fields });

const imageGeneration = <P extends Record<string, Schema>>(source: P) =>
  item("imageGeneration", {
    status: string(),
    failure: maybe(ImageGenerationFailure()),
    generationId: maybe(string()),
    inputImages: optional(array(ImageGenerationInputImage())),
    revisedPrompt: maybe(string()),
    savedPath: maybe(AbsolutePathBuf()),
    transparentBackground: maybe(boolean()),
    ...source,
  });

/** One entry of a thread: a message, reasoning, a command, a change, a question. */
export const ThreadItem = named("ThreadItem", () =>
  union([
    item("userMessage", { content: array(UserInput()), clientId: maybe(string()) }),
    item("hookPrompt", { fragments: array(HookPromptFragment()) }),
    item("agentMessage", {
      text: string(),
      delivery: maybe(AgentMessageDelivery()),
      memoryCitation: maybe(MemoryCitation()),
      phase: maybe(MessagePhase()),
      questions: maybe(array(AsyncUserInputQuestion())),
    }),
    item("functionCallOutput", { name: string(), output: FunctionCallOutputBody(), namespace: maybe(string()) }),
    item("plan", { text: string() }),
    item("reasoning", { summary: optional(array(string())), content: optional(array(string())) }),
    item("commandExecution", {
      command: string(),
      commandActions: array(CommandAction()),
      cwd: LegacyAppPathString(),
      status: CommandExecutionStatus(),
      aggregatedOutput: maybe(string()),
      durationMs: maybe(integer()),
      exitCode: maybe(integer()),
      pluginId: maybe(string()),
      processId: maybe(string()),
      scriptPath: maybe(string()),
      source: optional(CommandExecutionSource()),
    }),
    item("fileChange", { changes: array(FileUpdateChange()), status: PatchApplyStatus() }),
    item("mcpToolCall", {
      arguments: unknown(),
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
    item("dynamicToolCall", {
      arguments: unknown(),
      status: DynamicToolCallStatus(),
      tool: string(),
      contentItems: maybe(array(DynamicToolCallOutputContentItem())),
      durationMs: maybe(integer()),
      namespace: maybe(string()),
      success: maybe(boolean()),
    }),
    item("collabAgentToolCall", {
      agentsStates: record(CollabAgentState()),
      receiverThreadIds: array(string()),
      senderThreadId: string(),
      status: CollabAgentToolCallStatus(),
      tool: CollabAgentTool(),
      model: maybe(string()),
      prompt: maybe(string()),
      reasoningEffort: maybe(ReasoningEffort()),
    }),
    item("subAgentActivity", {
      agentPath: string(),
      agentThreadId: string(),
      kind: SubAgentActivityKind(),
      model: maybe(string()),
      reasoningEffort: maybe(ReasoningEffort()),
    }),
    item("webSearch", { query: string(), action: maybe(WebSearchAction()), results: maybe(array(unknown())) }),
    item("imageView", { path: LegacyAppPathString() }),
    item("sleep", { durationMs: natural() }),
    imageGeneration({ result: string() }),
    imageGeneration({ fileId: string() }),
    item("enteredReviewMode", { review: string() }),
    item("exitedReviewMode", { review: string() }),
    item("contextCompaction", {}),
  ]),
);
export type ThreadItem = Infer<typeof ThreadItem>;

/** One part of a turn's input. */
export const UserInput = named("UserInput", () =>
  union([
    object({ type: literals("text"), text: string(), text_elements: optional(array(TextElement())) }),
    object({ type: literals("image"), url: string(), detail: maybe(ImageDetail()) }),
    object({ type: literals("image"), fileId: string(), detail: maybe(ImageDetail()) }),
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

/** Notifications while an item is in progress: started, deltas, completed. Sent by core to every subscriber of the thread. */
import { array, type Infer, integer, literals, maybe, named, object, optional, string } from "../lib/schema.ts";
import { notification } from "./define.ts";
import { FileUpdateChange, ThreadItem } from "./item.ts";
import { ResponseItem } from "./model-item.ts";
import { TokenUsageBreakdown } from "./thread.ts";

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

export const OutputRun = named("OutputRun", () =>
  object({
    stream: literals("stdout", "stderr"),
    length: integer(),
    /** The part's original bytes in base64, if they were not UTF-8. */
    bytes: optional(string()),
  }),
);
export type OutputRun = Infer<typeof OutputRun>;

export const CommandExecutionOutputDeltaNotification = named("CommandExecutionOutputDeltaNotification", () =>
  object({
    delta: string(),
    itemId: string(),
    threadId: string(),
    turnId: string(),
    /** If some of it came from stderr or was not UTF-8: the stream of each part, in order, with its length in characters (UTF-16). */
    runs: optional(array(OutputRun())),
  }),
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

export const RawResponseCompletedNotification = named("RawResponseCompletedNotification", () =>
  object({ responseId: string(), threadId: string(), turnId: string(), usage: maybe(TokenUsageBreakdown()) }),
);
export type RawResponseCompletedNotification = Infer<typeof RawResponseCompletedNotification>;

export const itemNotifications = {
  /** An item has started; clients show it from now on. */
  "item/started": notification(ItemStartedNotification),
  /** The item in its final form, already stored when this is sent. */
  "item/completed": notification(ItemCompletedNotification),
  /** The next piece of a message's text. */
  "item/agentMessage/delta": notification(AgentMessageDeltaNotification),
  /** The next piece of a plan's text in Plan mode. */
  "item/plan/delta": notification(PlanDeltaNotification),
  /** The next piece of a command's output, both streams in order. */
  "item/commandExecution/outputDelta": notification(CommandExecutionOutputDeltaNotification),
  /** Input was sent to a running command's terminal. */
  "item/commandExecution/terminalInteraction": notification(TerminalInteractionNotification),
  /** The output of applying a patch. */
  "item/fileChange/outputDelta": notification(FileChangeOutputDeltaNotification),
  /** The changes of a patch that the model is still writing. */
  "item/fileChange/patchUpdated": notification(FileChangePatchUpdatedNotification),
  /** A progress message of an MCP tool. */
  "item/mcpToolCall/progress": notification(McpToolCallProgressNotification),
  /** The next piece of a summary of the model's reasoning. */
  "item/reasoning/summaryTextDelta": notification(ReasoningSummaryTextDeltaNotification),
  /** A new section of the reasoning summary begins. */
  "item/reasoning/summaryPartAdded": notification(ReasoningSummaryPartAddedNotification),
  /** The next piece of the reasoning itself, if the model shows it. */
  "item/reasoning/textDelta": notification(ReasoningTextDeltaNotification),
  /** One raw item of the model; only for threads started with `experimentalRawEvents`. */
  "rawResponseItem/completed": notification(RawResponseItemCompletedNotification),
  /** One response of the model has ended, with its id at the provider and its token usage; only for threads started with `experimentalRawEvents`. */
  "rawResponse/completed": notification(RawResponseCompletedNotification),
};

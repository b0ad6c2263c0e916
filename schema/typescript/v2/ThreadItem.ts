// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { FunctionCallOutputBody } from "../FunctionCallOutputBody";
import type { ImageGenerationFailure } from "../ImageGenerationFailure";
import type { ImageGenerationInputImage } from "../ImageGenerationInputImage";
import type { LegacyAppPathString } from "../LegacyAppPathString";
import type { MessagePhase } from "../MessagePhase";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { JsonValue } from "../serde_json/JsonValue";
import type { AgentMessageDelivery } from "./AgentMessageDelivery";
import type { AsyncUserInputQuestion } from "./AsyncUserInputQuestion";
import type { CollabAgentState } from "./CollabAgentState";
import type { CollabAgentTool } from "./CollabAgentTool";
import type { CollabAgentToolCallStatus } from "./CollabAgentToolCallStatus";
import type { CommandAction } from "./CommandAction";
import type { CommandExecutionSource } from "./CommandExecutionSource";
import type { CommandExecutionStatus } from "./CommandExecutionStatus";
import type { DynamicToolCallOutputContentItem } from "./DynamicToolCallOutputContentItem";
import type { DynamicToolCallStatus } from "./DynamicToolCallStatus";
import type { FileUpdateChange } from "./FileUpdateChange";
import type { HookPromptFragment } from "./HookPromptFragment";
import type { McpAppUi } from "./McpAppUi";
import type { McpToolCallAppContext } from "./McpToolCallAppContext";
import type { McpToolCallError } from "./McpToolCallError";
import type { McpToolCallResult } from "./McpToolCallResult";
import type { McpToolCallStatus } from "./McpToolCallStatus";
import type { MemoryCitation } from "./MemoryCitation";
import type { PatchApplyStatus } from "./PatchApplyStatus";
import type { SubAgentActivityKind } from "./SubAgentActivityKind";
import type { UserInput } from "./UserInput";
import type { WebSearchAction } from "./WebSearchAction";

export type ThreadItem = { type: "userMessage", id: string, startedAtMs?: number | null, completedAtMs?: number | null, content: Array<UserInput>, clientId?: string | null } | { type: "hookPrompt", id: string, startedAtMs?: number | null, completedAtMs?: number | null, fragments: Array<HookPromptFragment> } | { type: "agentMessage", id: string, startedAtMs?: number | null, completedAtMs?: number | null, text: string, delivery?: AgentMessageDelivery | null, memoryCitation?: MemoryCitation | null, phase?: MessagePhase | null, questions?: Array<AsyncUserInputQuestion> | null } | { type: "functionCallOutput", id: string, startedAtMs?: number | null, completedAtMs?: number | null, name: string, output: FunctionCallOutputBody, namespace?: string | null } | { type: "plan", id: string, startedAtMs?: number | null, completedAtMs?: number | null, text: string } | { type: "reasoning", id: string, startedAtMs?: number | null, completedAtMs?: number | null, summary?: Array<string>, content?: Array<string> } | { type: "commandExecution", id: string, startedAtMs?: number | null, completedAtMs?: number | null, command: string, commandActions: Array<CommandAction>, cwd: LegacyAppPathString, status: CommandExecutionStatus, aggregatedOutput?: string | null, durationMs?: number | null, exitCode?: number | null, pluginId?: string | null, processId?: string | null, scriptPath?: string | null, source?: CommandExecutionSource } | { type: "fileChange", id: string, startedAtMs?: number | null, completedAtMs?: number | null, changes: Array<FileUpdateChange>, status: PatchApplyStatus } | { type: "mcpToolCall", id: string, startedAtMs?: number | null, completedAtMs?: number | null, arguments: JsonValue, server: string, status: McpToolCallStatus, tool: string, appContext?: McpToolCallAppContext | null, durationMs?: number | null, error?: McpToolCallError | null, mcpAppResourceUri?: string | null, mcpAppUi?: McpAppUi | null, pluginId?: string | null, readOnlyHint?: boolean | null, result?: McpToolCallResult | null } | { type: "dynamicToolCall", id: string, startedAtMs?: number | null, completedAtMs?: number | null, arguments: JsonValue, status: DynamicToolCallStatus, tool: string, contentItems?: Array<DynamicToolCallOutputContentItem> | null, durationMs?: number | null, namespace?: string | null, success?: boolean | null } | { type: "collabAgentToolCall", id: string, startedAtMs?: number | null, completedAtMs?: number | null, agentsStates: { [key in string]?: CollabAgentState }, receiverThreadIds: Array<string>, senderThreadId: string, status: CollabAgentToolCallStatus, tool: CollabAgentTool, model?: string | null, prompt?: string | null, reasoningEffort?: ReasoningEffort | null } | { type: "subAgentActivity", id: string, startedAtMs?: number | null, completedAtMs?: number | null, agentPath: string, agentThreadId: string, kind: SubAgentActivityKind, model?: string | null, reasoningEffort?: ReasoningEffort | null } | { type: "webSearch", id: string, startedAtMs?: number | null, completedAtMs?: number | null, query: string, action?: WebSearchAction | null, results?: Array<JsonValue> | null } | { type: "imageView", id: string, startedAtMs?: number | null, completedAtMs?: number | null, path: LegacyAppPathString } | { type: "sleep", id: string, startedAtMs?: number | null, completedAtMs?: number | null, durationMs: number } | { type: "imageGeneration", id: string, startedAtMs?: number | null, completedAtMs?: number | null, status: string, failure?: ImageGenerationFailure | null, generationId?: string | null, inputImages?: Array<ImageGenerationInputImage>, revisedPrompt?: string | null, savedPath?: AbsolutePathBuf | null, transparentBackground?: boolean | null, result: string } | { type: "imageGeneration", id: string, startedAtMs?: number | null, completedAtMs?: number | null, status: string, failure?: ImageGenerationFailure | null, generationId?: string | null, inputImages?: Array<ImageGenerationInputImage>, revisedPrompt?: string | null, savedPath?: AbsolutePathBuf | null, transparentBackground?: boolean | null, fileId: string } | { type: "enteredReviewMode", id: string, startedAtMs?: number | null, completedAtMs?: number | null, review: string } | { type: "exitedReviewMode", id: string, startedAtMs?: number | null, completedAtMs?: number | null, review: string } | { type: "contextCompaction", id: string, startedAtMs?: number | null, completedAtMs?: number | null };

/** Where a type's file goes: the folders of the real tool's output, so that imports work with both. */

/** "" is the root, with the types that are older than threads or shared with the model's wire; `parley` has our own additions. */
export type Folder = "" | "v2" | "parley";

export interface Place {
  readonly folder: Folder;
  readonly name: string;
}

export function placeOf(title: string, isOwn: boolean): Place {
  if (title.startsWith("v1.")) return { folder: "", name: title.slice("v1.".length) };
  if (isOwn) return { folder: "parley", name: title };
  return { folder: rootNames.has(title) ? "" : "v2", name: title };
}

const rootNames: ReadonlySet<string> = new Set([
  "AbsolutePathBuf",
  "AgentMessageInputContent",
  "AgentPath",
  "AuthMode",
  "AutoCompactTokenLimitScope",
  "ClientInfo",
  "ClientNotification",
  "ClientRequest",
  "CollaborationMode",
  "ConfigurationReasoning",
  "ContentItem",
  "ForcedLoginMethod",
  "FunctionCallOutputBody",
  "FunctionCallOutputContentItem",
  "FuzzyFileSearchMatchType",
  "FuzzyFileSearchParams",
  "FuzzyFileSearchResponse",
  "FuzzyFileSearchResult",
  "FuzzyFileSearchSessionCompletedNotification",
  "FuzzyFileSearchSessionUpdatedNotification",
  "ImageDetail",
  "ImageGenerationFailure",
  "ImageGenerationInputImage",
  "InitializeCapabilities",
  "InitializeParams",
  "InitializeResponse",
  "InputModality",
  "InternalChatMessageMetadataPassthrough",
  "JSONRPCError",
  "JSONRPCErrorError",
  "JSONRPCResponse",
  "LegacyAppPathString",
  "LocalShellAction",
  "LocalShellStatus",
  "McpServerInfo",
  "MessagePhase",
  "ModeKind",
  "MultiAgentMode",
  "NetworkPolicyAmendment",
  "NetworkPolicyRuleAction",
  "Personality",
  "PlanType",
  "ReasoningEffort",
  "ReasoningItemContent",
  "ReasoningItemReasoningSummary",
  "ReasoningSummary",
  "RequestId",
  "Resource",
  "ResourceContent",
  "ResourceTemplate",
  "ResponseItem",
  "ServerNotification",
  "ServerRequest",
  "Settings",
  "SubAgentSource",
  "ThreadId",
  "Tool",
  "Verbosity",
  "WebSearchContextSize",
  "WebSearchLocation",
  "WebSearchMode",
  "WebSearchToolConfig",
]);

/** Where a type's file goes: the folders of the real tool's output, so that imports and code generators work with both. */

/** "" is the root, with the types that are older than threads or shared with the model's wire; `parley` has our own additions. */
export type Folder = "" | "v2" | "parley";

export interface Place {
  readonly folder: Folder;
  readonly name: string;
}

/** In TypeScript. */
export function placeOf(title: string, isOwn: boolean): Place {
  return place(title, isOwn, rootNames.has(title));
}

/** In JSON Schema, where the root has the messages, what the server asks of clients, and all that only those use. */
export function schemaPlaceOf(title: string, isOwn: boolean): Place {
  return place(title, isOwn, schemaRootPattern.test(title));
}

/** The path of a JSON Schema file: that of a definition, but for the handshake. */
export function schemaFileOf({ folder, name }: Place): string {
  const inFolder = /^Initialize(?:Params|Response)$/.test(name) ? "v1" : folder;
  return `${inFolder === "" ? "" : `${inFolder}/`}${name}.json`;
}

function place(title: string, isOwn: boolean, isInRoot: boolean): Place {
  if (title.startsWith("v1.")) return { folder: "", name: title.slice("v1.".length) };
  if (isOwn) return { folder: "parley", name: title };
  return { folder: isInRoot ? "" : "v2", name: title };
}

const schemaRootPattern = new RegExp(
  `^(?:${[
    "AbsolutePathBuf|RequestId|JSONRPC.*|W3cTraceContext|ClientInfo|Initialize.*|(?:Client|Server)(?:Request|Notification)",
    "FuzzyFileSearch.*|McpElicitation.*|McpServerElicitation.*|ToolRequestUserInput.*|ChatgptAuthTokensRefresh.*",
    "CommandExecution(?:Request)?Approval.*|FileChange(?:Request)?Approval.*|PermissionsRequestApproval.*|PermissionGrantScope",
    "(?:Additional|Granted)PermissionProfile|DynamicToolCall(?:Params|Response)|Network(?:ApprovalContext|Policy.*)",
  ].join("|")})$`,
);

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
  "FuzzyFileSearchSessionStartParams",
  "FuzzyFileSearchSessionStartResponse",
  "FuzzyFileSearchSessionStopParams",
  "FuzzyFileSearchSessionStopResponse",
  "FuzzyFileSearchSessionUpdateParams",
  "FuzzyFileSearchSessionUpdateResponse",
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
  "PathUri",
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
  "ThreadMemoryMode",
  "Tool",
  "Verbosity",
  "WebSearchContextSize",
  "WebSearchLocation",
  "WebSearchMode",
  "WebSearchToolConfig",
]);

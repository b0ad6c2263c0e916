/** `config`. */
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
} from "../lib/schema.ts";
import { AllowDenyRequirement, Config, ForcedLoginMethod, WebSearchMode } from "./config-value.ts";
import { Empty, notification, request } from "./define.ts";
import { LegacyAppPathString } from "./item.ts";
import { AbsolutePathBuf, ApprovalsReviewer, AskForApproval, ReasoningEffort, SandboxMode } from "./policy.ts";

export const ConfigReadParams = named("ConfigReadParams", () => object({ cwd: maybe(string()), includeLayers: optional(boolean()) }));
export type ConfigReadParams = Infer<typeof ConfigReadParams>;

export const ConfigReadResponse = named("ConfigReadResponse", () =>
  object({ config: Config(), origins: record(ConfigLayerMetadata()), layers: maybe(array(ConfigLayer())) }),
);
export type ConfigReadResponse = Infer<typeof ConfigReadResponse>;

export const ConfigValueWriteParams = named("ConfigValueWriteParams", () =>
  object({
    keyPath: string(),
    mergeStrategy: MergeStrategy(),
    value: unknown(),
    expectedVersion: maybe(string()),
    filePath: maybe(string()),
  }),
);
export type ConfigValueWriteParams = Infer<typeof ConfigValueWriteParams>;

export const ConfigWriteResponse = named("ConfigWriteResponse", () =>
  object({ filePath: AbsolutePathBuf(), status: WriteStatus(), version: string(), overriddenMetadata: maybe(OverriddenMetadata()) }),
);
export type ConfigWriteResponse = Infer<typeof ConfigWriteResponse>;

export const ConfigBatchWriteParams = named("ConfigBatchWriteParams", () =>
  object({
    edits: array(ConfigEdit()),
    expectedVersion: maybe(string()),
    filePath: maybe(string()),
    reloadUserConfig: optional(boolean()),
  }),
);
export type ConfigBatchWriteParams = Infer<typeof ConfigBatchWriteParams>;

export const ConfigRequirementsReadResponse = named("ConfigRequirementsReadResponse", () =>
  object({ requirements: maybe(ConfigRequirements()), supportsIndependentSpeedModes: maybe(boolean()) }),
);
export type ConfigRequirementsReadResponse = Infer<typeof ConfigRequirementsReadResponse>;

export const McpServerRefreshResponse = named("McpServerRefreshResponse", () => object({}));
export type McpServerRefreshResponse = Infer<typeof McpServerRefreshResponse>;

export const ExperimentalFeatureListParams = named("ExperimentalFeatureListParams", () =>
  object({ cursor: maybe(string()), limit: maybe(natural()), threadId: maybe(string()) }),
);
export type ExperimentalFeatureListParams = Infer<typeof ExperimentalFeatureListParams>;

export const ExperimentalFeatureListResponse = named("ExperimentalFeatureListResponse", () =>
  object({ data: array(ExperimentalFeature()), nextCursor: maybe(string()) }),
);
export type ExperimentalFeatureListResponse = Infer<typeof ExperimentalFeatureListResponse>;

export const ExperimentalFeatureEnablementSetParams = named("ExperimentalFeatureEnablementSetParams", () =>
  object({ enablement: record(boolean()) }),
);
export type ExperimentalFeatureEnablementSetParams = Infer<typeof ExperimentalFeatureEnablementSetParams>;

export const ExperimentalFeatureEnablementSetResponse = named("ExperimentalFeatureEnablementSetResponse", () =>
  object({ enablement: record(boolean()) }),
);
export type ExperimentalFeatureEnablementSetResponse = Infer<typeof ExperimentalFeatureEnablementSetResponse>;

export const PermissionProfileListParams = named("PermissionProfileListParams", () =>
  object({ cursor: maybe(string()), cwd: maybe(string()), limit: maybe(natural()) }),
);
export type PermissionProfileListParams = Infer<typeof PermissionProfileListParams>;

export const PermissionProfileListResponse = named("PermissionProfileListResponse", () =>
  object({ data: array(PermissionProfileSummary()), nextCursor: maybe(string()) }),
);
export type PermissionProfileListResponse = Infer<typeof PermissionProfileListResponse>;

export const ConfigWarningNotification = named("ConfigWarningNotification", () =>
  object({ summary: string(), details: maybe(string()), path: maybe(string()), range: maybe(TextRange()) }),
);
export type ConfigWarningNotification = Infer<typeof ConfigWarningNotification>;

export const ConfigLayer = named("ConfigLayer", () =>
  object({ config: unknown(), name: ConfigLayerSource(), version: string(), disabledReason: maybe(string()) }),
);
export type ConfigLayer = Infer<typeof ConfigLayer>;

export const ConfigLayerMetadata = named("ConfigLayerMetadata", () => object({ name: ConfigLayerSource(), version: string() }));
export type ConfigLayerMetadata = Infer<typeof ConfigLayerMetadata>;

export const MergeStrategy = named("MergeStrategy", () => literals("replace", "upsert"));
export type MergeStrategy = Infer<typeof MergeStrategy>;

export const OverriddenMetadata = named("OverriddenMetadata", () =>
  object({ effectiveValue: unknown(), message: string(), overridingLayer: ConfigLayerMetadata() }),
);
export type OverriddenMetadata = Infer<typeof OverriddenMetadata>;

export const WriteStatus = named("WriteStatus", () => literals("ok", "okOverridden"));
export type WriteStatus = Infer<typeof WriteStatus>;

export const ConfigEdit = named("ConfigEdit", () => object({ keyPath: string(), mergeStrategy: MergeStrategy(), value: unknown() }));
export type ConfigEdit = Infer<typeof ConfigEdit>;

export const ConfigRequirements = named("ConfigRequirements", () =>
  object({
    additionalDeveloperInstructions: maybe(string()),
    allowAppshots: maybe(boolean()),
    allowBrowserAndComputerUse: maybe(boolean()),
    allowLoginShell: maybe(boolean()),
    allowManagedHooksOnly: maybe(boolean()),
    allowRemoteControl: maybe(boolean()),
    allowedApprovalPolicies: maybe(array(AskForApproval())),
    allowedApprovalsReviewers: maybe(array(ApprovalsReviewer())),
    allowedLoginMethods: maybe(array(ForcedLoginMethod())),
    allowedPermissionProfiles: maybe(record(boolean())),
    allowedSandboxModes: maybe(array(SandboxMode())),
    allowedWebSearchModes: maybe(array(WebSearchMode())),
    allowedWindowsSandboxImplementations: maybe(array(WindowsSandboxImplementation())),
    application: maybe(ApplicationRequirements()),
    autoReview: maybe(AutoReviewRequirements()),
    browserUse: maybe(BrowserUseRequirements()),
    chatgptBaseUrl: maybe(string()),
    checkForUpdateOnStartup: maybe(boolean()),
    cliAuthCredentialsStore: maybe(CliAuthCredentialsStoreMode()),
    computerUse: maybe(ComputerUseRequirements()),
    defaultPermissions: maybe(string()),
    enforceResidency: maybe(ResidencyRequirement()),
    featureRequirements: maybe(record(boolean())),
    feedback: maybe(FeedbackRequirements()),
    hooks: maybe(ManagedHooksRequirements()),
    inAppBrowser: maybe(InAppBrowserRequirements()),
    logDir: maybe(string()),
    modelCatalogJson: maybe(string()),
    modelProvider: maybe(string()),
    modelProviders: maybe(record(unknown())),
    models: maybe(ModelsRequirements()),
    network: maybe(NetworkRequirements()),
    otel: maybe(OtelRequirements()),
    sqliteHome: maybe(string()),
  }),
);
export type ConfigRequirements = Infer<typeof ConfigRequirements>;

export const ExperimentalFeature = named("ExperimentalFeature", () =>
  object({
    defaultEnabled: boolean(),
    enabled: boolean(),
    name: string(),
    stage: ExperimentalFeatureStage(),
    announcement: maybe(string()),
    description: maybe(string()),
    displayName: maybe(string()),
  }),
);
export type ExperimentalFeature = Infer<typeof ExperimentalFeature>;

export const PermissionProfileSummary = named("PermissionProfileSummary", () =>
  object({ allowed: boolean(), id: string(), description: maybe(string()) }),
);
export type PermissionProfileSummary = Infer<typeof PermissionProfileSummary>;

export const TextRange = named("TextRange", () => object({ end: TextPosition(), start: TextPosition() }));
export type TextRange = Infer<typeof TextRange>;

export const ConfigLayerSource = named("ConfigLayerSource", () =>
  union([
    object({ type: literals("packagedDefaults"), file: AbsolutePathBuf() }),
    object({ type: literals("mdm"), domain: string(), key: string() }),
    object({ type: literals("system"), file: AbsolutePathBuf() }),
    object({ type: literals("enterpriseManaged"), id: string(), name: string() }),
    object({ type: literals("user"), file: AbsolutePathBuf(), profile: maybe(string()) }),
    object({ type: literals("project"), dotCodexFolder: AbsolutePathBuf() }),
    object({ type: literals("sessionFlags") }),
    object({ type: literals("legacyManagedConfigTomlFromFile"), file: AbsolutePathBuf() }),
    object({ type: literals("legacyManagedConfigTomlFromMdm") }),
  ]),
);
export type ConfigLayerSource = Infer<typeof ConfigLayerSource>;

export const WindowsSandboxImplementation = named("WindowsSandboxImplementation", () => literals("elevated", "unelevated", "mxc"));
export type WindowsSandboxImplementation = Infer<typeof WindowsSandboxImplementation>;

export const ApplicationRequirements = named("ApplicationRequirements", () =>
  object({ network: maybe(ApplicationNetworkRequirements()), storage: maybe(ApplicationStorageRequirements()) }),
);
export type ApplicationRequirements = Infer<typeof ApplicationRequirements>;

export const AutoReviewRequirements = named("AutoReviewRequirements", () =>
  object({ ignoreRules: maybe(array(string())), requiredOnModels: maybe(array(string())) }),
);
export type AutoReviewRequirements = Infer<typeof AutoReviewRequirements>;

export const BrowserUseRequirements = named("BrowserUseRequirements", () =>
  object({
    allowGlobalPersistentApproval: maybe(boolean()),
    allowHistoryAccess: maybe(boolean()),
    allowWebmcp: maybe(boolean()),
    defaultOriginPolicy: maybe(BrowserUseOriginPolicy()),
    disableAutoReview: maybe(boolean()),
    extension: maybe(BrowserUseExtensionRequirements()),
    origins: maybe(record(BrowserUseOriginPolicy())),
  }),
);
export type BrowserUseRequirements = Infer<typeof BrowserUseRequirements>;

export const CliAuthCredentialsStoreMode = named("CliAuthCredentialsStoreMode", () => literals("file", "keyring", "auto", "ephemeral"));
export type CliAuthCredentialsStoreMode = Infer<typeof CliAuthCredentialsStoreMode>;

export const ComputerUseRequirements = named("ComputerUseRequirements", () =>
  object({
    allowLockedComputerUse: maybe(boolean()),
    allowPersistentApproval: maybe(boolean()),
    defaultAppAccess: maybe(AllowDenyRequirement()),
    macos: maybe(ComputerUseMacosRequirements()),
    windows: maybe(ComputerUseWindowsRequirements()),
  }),
);
export type ComputerUseRequirements = Infer<typeof ComputerUseRequirements>;

export const ResidencyRequirement = named("ResidencyRequirement", () => literals("us"));
export type ResidencyRequirement = Infer<typeof ResidencyRequirement>;

export const FeedbackRequirements = named("FeedbackRequirements", () => object({ enabled: maybe(boolean()) }));
export type FeedbackRequirements = Infer<typeof FeedbackRequirements>;

export const ManagedHooksRequirements = named("ManagedHooksRequirements", () =>
  object({
    PermissionRequest: array(ConfiguredHookMatcherGroup()),
    PostCompact: array(ConfiguredHookMatcherGroup()),
    PostToolUse: array(ConfiguredHookMatcherGroup()),
    PreCompact: array(ConfiguredHookMatcherGroup()),
    PreToolUse: array(ConfiguredHookMatcherGroup()),
    SessionStart: array(ConfiguredHookMatcherGroup()),
    Stop: array(ConfiguredHookMatcherGroup()),
    SubagentStart: array(ConfiguredHookMatcherGroup()),
    SubagentStop: array(ConfiguredHookMatcherGroup()),
    UserPromptSubmit: array(ConfiguredHookMatcherGroup()),
    Interrupt: optional(array(ConfiguredHookMatcherGroup())),
    PostModelRequest: optional(array(ConfiguredHookMatcherGroup())),
    PreModelRequest: optional(array(ConfiguredHookMatcherGroup())),
    SessionEnd: optional(array(ConfiguredHookMatcherGroup())),
    managedDir: maybe(string()),
    windowsManagedDir: maybe(string()),
  }),
);
export type ManagedHooksRequirements = Infer<typeof ManagedHooksRequirements>;

export const InAppBrowserRequirements = named("InAppBrowserRequirements", () =>
  object({ allowExternalBrowserSettingsImport: maybe(boolean()) }),
);
export type InAppBrowserRequirements = Infer<typeof InAppBrowserRequirements>;

export const ModelsRequirements = named("ModelsRequirements", () => object({ newThread: maybe(NewThreadModelDefaults()) }));
export type ModelsRequirements = Infer<typeof ModelsRequirements>;

export const NetworkRequirements = named("NetworkRequirements", () =>
  object({
    allowLocalBinding: maybe(boolean()),
    allowUnixSockets: maybe(array(string())),
    allowUpstreamProxy: maybe(boolean()),
    allowedDomains: maybe(array(string())),
    dangerouslyAllowAllUnixSockets: maybe(boolean()),
    dangerouslyAllowNonLoopbackProxy: maybe(boolean()),
    deniedDomains: maybe(array(string())),
    domains: maybe(record(NetworkDomainPermission())),
    enabled: maybe(boolean()),
    httpPort: maybe(natural()),
    managedAllowedDomainsOnly: maybe(boolean()),
    reviewDomains: maybe(array(string())),
    socksPort: maybe(natural()),
    unixSockets: maybe(record(NetworkUnixSocketPermission())),
  }),
);
export type NetworkRequirements = Infer<typeof NetworkRequirements>;

export const OtelRequirements = named("OtelRequirements", () =>
  object({
    environment: maybe(string()),
    exporter: maybe(OtelExporter()),
    log_agent_responses: maybe(boolean()),
    log_guardian_assessments: maybe(boolean()),
    log_user_prompt: maybe(boolean()),
    metrics_exporter: maybe(OtelExporter()),
    span_attributes: maybe(record(string())),
    tool_result: maybe(OtelToolResultLogConfig()),
    trace_exporter: maybe(OtelExporter()),
    tracestate: maybe(record(record(string()))),
  }),
);
export type OtelRequirements = Infer<typeof OtelRequirements>;

export const ExperimentalFeatureStage = named("ExperimentalFeatureStage", () =>
  literals("beta", "underDevelopment", "stable", "deprecated", "removed"),
);
export type ExperimentalFeatureStage = Infer<typeof ExperimentalFeatureStage>;

export const TextPosition = named("TextPosition", () => object({ column: natural(), line: natural() }));
export type TextPosition = Infer<typeof TextPosition>;

export const ApplicationNetworkRequirements = named("ApplicationNetworkRequirements", () =>
  object({ domains: record(NetworkDomainPermission()), enabled: boolean() }),
);
export type ApplicationNetworkRequirements = Infer<typeof ApplicationNetworkRequirements>;

export const ApplicationStorageRequirements = named("ApplicationStorageRequirements", () =>
  object({ defaultProjectParent: maybe(LegacyAppPathString()), projectlessWorkspaceRoot: maybe(LegacyAppPathString()) }),
);
export type ApplicationStorageRequirements = Infer<typeof ApplicationStorageRequirements>;

export const BrowserUseOriginPolicy = named("BrowserUseOriginPolicy", () =>
  object({
    access: maybe(AllowDenyRequirement()),
    accessApprovalLifetime: maybe(BrowserUseAccessApprovalLifetime()),
    autoReview: maybe(AllowDenyRequirement()),
    downloads: maybe(AllowDenyRequirement()),
    fullCdpAccess: maybe(AllowDenyRequirement()),
    persistentApproval: maybe(boolean()),
    uploads: maybe(AllowDenyRequirement()),
  }),
);
export type BrowserUseOriginPolicy = Infer<typeof BrowserUseOriginPolicy>;

export const BrowserUseExtensionRequirements = named("BrowserUseExtensionRequirements", () =>
  object({ requestHeaders: maybe(array(RequestHeader())) }),
);
export type BrowserUseExtensionRequirements = Infer<typeof BrowserUseExtensionRequirements>;

export const ComputerUseMacosRequirements = named("ComputerUseMacosRequirements", () =>
  object({ bundleIds: maybe(record(AllowDenyRequirement())) }),
);
export type ComputerUseMacosRequirements = Infer<typeof ComputerUseMacosRequirements>;

export const ComputerUseWindowsRequirements = named("ComputerUseWindowsRequirements", () =>
  object({ aumids: maybe(record(AllowDenyRequirement())), exes: maybe(array(ComputerUseWindowsExeRequirement())) }),
);
export type ComputerUseWindowsRequirements = Infer<typeof ComputerUseWindowsRequirements>;

export const ConfiguredHookMatcherGroup = named("ConfiguredHookMatcherGroup", () =>
  object({ hooks: array(ConfiguredHookHandler()), matcher: maybe(string()) }),
);
export type ConfiguredHookMatcherGroup = Infer<typeof ConfiguredHookMatcherGroup>;

export const NewThreadModelDefaults = named("NewThreadModelDefaults", () =>
  object({ model: maybe(string()), modelReasoningEffort: maybe(ReasoningEffort()), serviceTier: maybe(string()) }),
);
export type NewThreadModelDefaults = Infer<typeof NewThreadModelDefaults>;

export const NetworkDomainPermission = named("NetworkDomainPermission", () => literals("allow", "deny"));
export type NetworkDomainPermission = Infer<typeof NetworkDomainPermission>;

export const NetworkUnixSocketPermission = named("NetworkUnixSocketPermission", () => literals("allow", "deny"));
export type NetworkUnixSocketPermission = Infer<typeof NetworkUnixSocketPermission>;

export const OtelExporter = named("OtelExporter", () =>
  union([
    literals("none", "statsig"),
    object({
      "otlp-http": object({ endpoint: string(), headers: record(string()), protocol: OtelHttpProtocol(), tls: maybe(OtelTlsConfig()) }),
    }),
    object({ "otlp-grpc": object({ endpoint: string(), headers: record(string()), tls: maybe(OtelTlsConfig()) }) }),
  ]),
);
export type OtelExporter = Infer<typeof OtelExporter>;

export const OtelToolResultLogConfig = named("OtelToolResultLogConfig", () => object({ max_bytes: natural() }));
export type OtelToolResultLogConfig = Infer<typeof OtelToolResultLogConfig>;

export const BrowserUseAccessApprovalLifetime = named("BrowserUseAccessApprovalLifetime", () => literals("turn", "thread"));
export type BrowserUseAccessApprovalLifetime = Infer<typeof BrowserUseAccessApprovalLifetime>;

export const RequestHeader = named("RequestHeader", () => object({ name: string(), value: string() }));
export type RequestHeader = Infer<typeof RequestHeader>;

export const ComputerUseWindowsExeRequirement = named("ComputerUseWindowsExeRequirement", () =>
  object({ access: AllowDenyRequirement(), productName: string(), publisherName: string(), binaryName: maybe(string()) }),
);
export type ComputerUseWindowsExeRequirement = Infer<typeof ComputerUseWindowsExeRequirement>;

export const ConfiguredHookHandler = named("ConfiguredHookHandler", () =>
  union([
    object({
      type: literals("command"),
      async: boolean(),
      command: string(),
      additionalContextLimit: maybe(natural()),
      commandWindows: maybe(string()),
      statusMessage: maybe(string()),
      timeoutSec: maybe(natural()),
    }),
    object({
      type: literals("mcp_tool"),
      input: record(unknown()),
      server: string(),
      tool: string(),
      statusMessage: maybe(string()),
      timeoutSec: maybe(natural()),
    }),
    object({ type: literals("prompt") }),
    object({ type: literals("agent") }),
  ]),
);
export type ConfiguredHookHandler = Infer<typeof ConfiguredHookHandler>;

export const OtelHttpProtocol = named("OtelHttpProtocol", () => literals("binary", "json"));
export type OtelHttpProtocol = Infer<typeof OtelHttpProtocol>;

export const OtelTlsConfig = named("OtelTlsConfig", () =>
  object({ "ca-certificate": maybe(string()), "client-certificate": maybe(string()), "client-private-key": maybe(string()) }),
);
export type OtelTlsConfig = Infer<typeof OtelTlsConfig>;

export const configRequests = {
  "config/read": request({ params: ConfigReadParams, result: ConfigReadResponse }),
  "config/value/write": request({ params: ConfigValueWriteParams, result: ConfigWriteResponse }),
  "config/batchWrite": request({ params: ConfigBatchWriteParams, result: ConfigWriteResponse }),
  "configRequirements/read": request({ params: Empty, result: ConfigRequirementsReadResponse }),
  "config/mcpServer/reload": request({ params: Empty, result: McpServerRefreshResponse }),
  "experimentalFeature/list": request({ params: ExperimentalFeatureListParams, result: ExperimentalFeatureListResponse }),
  "experimentalFeature/enablement/set": request({
    params: ExperimentalFeatureEnablementSetParams,
    result: ExperimentalFeatureEnablementSetResponse,
  }),
  "permissionProfile/list": request({ params: PermissionProfileListParams, result: PermissionProfileListResponse }),
};

export const configNotifications = {
  configWarning: notification(ConfigWarningNotification),
};

/** What an administrator allows or requires, as returned by `configRequirements/read`. Implemented in config/. */
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
import { AllowDenyRequirement, ForcedLoginMethod, WebSearchMode } from "./config-value.ts";
import { LegacyAppPathString } from "./item.ts";
import { ApprovalsReviewer, AskForApproval, ReasoningEffort, SandboxMode } from "./policy.ts";

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

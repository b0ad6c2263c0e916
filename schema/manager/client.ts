/** A typed client of the Parley manager, generated from openapi.json. It needs nothing but fetch and WebSocket. */

export type About = { name: string; version: string };
export type AbsolutePathBuf = string;
export type Account = { type: "apiKey" } | { type: "chatgpt"; email: string | null; planType: PlanType; workspaceName?: string | null } | { type: "amazonBedrock"; usesCodexManagedCredentials?: boolean } | { type: "gcp" };
export type AccountLogin = { type: "apiKey"; apiKey: string; check?: boolean; provider?: string; model?: string } | { type: "chatgpt" } | { type: "chatgptDeviceCode" } | { type: "chatgptAuthTokens"; accessToken: string; chatgptAccountId: string; chatgptPlanType?: string | null };
export type AccountLoginCancel = { loginId: string };
export type AccountLoginDone = { success: boolean; error?: string | null; loginId?: string | null };
export type AccountRoutingOverride = "NO_CONSTRAINT" | "us" | "us_cr";
export type AccountUpdated = Record<string, unknown>;
export type Actor = { kind: "device" | "script" | "client" | "rule" | "timeout" | "system"; id?: string | null; name: string };
export type AgentMessageDelivery = "async";
export type AgentPath = string;
export type AgentSessions = { projectId: string; data: (SessionSummary)[] };
export type AllowDenyRequirement = "allow" | "deny";
export type AnalyticsConfig = { enabled?: boolean | null };
export type AnsweredQuestion = { question: string; answers: (string)[] | null };
export type AppBranding = { isDiscoverableApp: boolean; category?: string | null; developer?: string | null; privacyPolicy?: string | null; termsOfService?: string | null; website?: string | null };
export type AppInfo = { id: string; name: string; appMetadata?: AppMetadata | null; branding?: AppBranding | null; description?: string | null; distributionChannel?: string | null; iconAssets?: Record<string, string> | null; iconDarkAssets?: Record<string, string> | null; installUrl?: string | null; isAccessible?: boolean; isEnabled?: boolean; labels?: Record<string, string> | null; logoUrl?: string | null; logoUrlDark?: string | null; pluginDisplayNames?: (string)[] };
export type AppListUpdated = Record<string, unknown>;
export type AppMetadata = { categories?: (string)[] | null; developer?: string | null; firstPartyRequiresInstall?: boolean | null; review?: AppReview | null; screenshots?: (AppScreenshot)[] | null; seoDescription?: string | null; showInComposerWhenUnlinked?: boolean | null; subCategories?: (string)[] | null; version?: string | null; versionId?: string | null; versionNotes?: string | null };
export type AppReview = { status: string };
export type AppScreenshot = { userPrompt: string; fileId?: string | null; url?: string | null };
export type AppSummary = { id: string; name: string; category?: string | null; description?: string | null; installUrl?: string | null };
export type AppTemplateSummary = { materializedAppIds: (string)[]; name: string; templateId: string; canonicalConnectorId?: string | null; category?: string | null; description?: string | null; logoUrl?: string | null; logoUrlDark?: string | null; reason?: AppTemplateUnavailableReason | null };
export type AppTemplateUnavailableReason = "NOT_CONFIGURED_FOR_WORKSPACE" | "NO_ACTIVE_WORKSPACE";
export type AppToolApproval = "auto" | "prompt" | "writes" | "approve";
export type ApplicationNetworkRequirements = { domains: Record<string, NetworkDomainPermission>; enabled: boolean };
export type ApplicationRequirements = { network?: ApplicationNetworkRequirements | null; storage?: ApplicationStorageRequirements | null };
export type ApplicationStorageRequirements = { defaultProjectParent?: LegacyAppPathString | null; projectlessWorkspaceRoot?: LegacyAppPathString | null };
export type ApprovalDecision = { decision?: unknown; scope?: "turn" | "session"; response?: unknown; createdAt?: string; bootId?: string };
export type ApprovalPolicy = "untrusted" | "on-failure" | "on-request" | "never";
export type ApprovalResolved = { approvalId: string; decision?: unknown; scope?: string | null; status: "resolved" | "expired"; threadId: string; by: Actor; at: string; reason?: string | null; answers?: (AnsweredQuestion)[] };
export type ApprovalRule = { ruleId: string; pattern: (string | (string)[])[]; decision: "allow" | "prompt" | "forbidden"; justification?: string | null; file: string; line: number; editable: boolean; outsideSandbox: boolean; expiresAt: string | null; addedBy?: string | null };
export type ApprovalsReviewer = "user" | "auto_review" | "guardian_subagent";
export type AppsConfig = { _default?: AppsDefaultConfig | null };
export type AppsDefaultConfig = { approvals_reviewer?: ApprovalsReviewer | null; default_tools_approval_mode?: AppToolApproval | null; destructive_enabled?: boolean; enabled?: boolean; open_world_enabled?: boolean };
export type AppsListResponse = { data: (AppInfo)[]; nextCursor?: string | null };
export type ArchiveMany = { sessionIds: (string)[] };
export type ArchivedMany = { status: "ok"; archived: (string)[]; failed: ({ sessionId: string; message: string })[] };
export type AskForApproval = "untrusted" | "on-failure" | "on-request" | "never" | { granular: { mcp_elicitations: boolean; rules: boolean; sandbox_approval: boolean; request_permissions?: boolean; skill_approval?: boolean } };
export type AssignProject = { projectId: string | null };
export type AsyncUserInputQuestion = { title: string; options?: (string)[] | null };
export type AttachmentAdd = { attachmentType: string; identityKey: string; payload: unknown };
export type AttachmentRemove = { attachmentType: string; identityKey: string };
export type AuditEntry = { seq: number; at: string; type: string; by: Actor; threadId?: string | null; turnId?: string | null; requestId?: string | null; summary: string; decision?: unknown; outcome?: string | null; details?: unknown };
export type AuditPage = { data: (AuditEntry)[]; nextBefore: number | null };
export type AutoCompactTokenLimitScope = "total" | "body_after_prefix";
export type AutoReviewRequirements = { ignoreRules?: (string)[] | null; requiredOnModels?: (string)[] | null };
export type BackgroundTerminalEnded = { status: "ok"; terminated: boolean };
export type BackgroundTerminalList = { data: (ThreadBackgroundTerminal)[] };
export type BrowserUseAccessApprovalLifetime = "turn" | "thread";
export type BrowserUseConfig = { allow_history_access?: boolean | null; default_origin_policy?: BrowserUseOriginPolicyConfig | null; origins?: Record<string, BrowserUseOriginPolicyConfig> | null };
export type BrowserUseExtensionRequirements = { requestHeaders?: (RequestHeader)[] | null };
export type BrowserUseOriginPolicy = { access?: AllowDenyRequirement | null; accessApprovalLifetime?: BrowserUseAccessApprovalLifetime | null; autoReview?: AllowDenyRequirement | null; downloads?: AllowDenyRequirement | null; fullCdpAccess?: AllowDenyRequirement | null; persistentApproval?: boolean | null; uploads?: AllowDenyRequirement | null };
export type BrowserUseOriginPolicyConfig = { access?: AllowDenyRequirement | null; downloads?: AllowDenyRequirement | null; full_cdp_access?: AllowDenyRequirement | null; uploads?: AllowDenyRequirement | null };
export type BrowserUseRequirements = { allowGlobalPersistentApproval?: boolean | null; allowHistoryAccess?: boolean | null; allowWebmcp?: boolean | null; defaultOriginPolicy?: BrowserUseOriginPolicy | null; disableAutoReview?: boolean | null; extension?: BrowserUseExtensionRequirements | null; origins?: Record<string, BrowserUseOriginPolicy> | null };
export type ByteRange = { end: number; start: number };
export type CancelLoginAccountResponse = { status: CancelLoginAccountStatus };
export type CancelLoginAccountStatus = "canceled" | "notFound";
export type Capabilities = { status: "ok"; runtime: { userAgent: string; codexHome?: string | null; offlineTour: boolean; model?: string | null; remote: boolean; platform?: string | null; cwd: string; sandbox?: SandboxReadResponse | null; fleet?: boolean }; methods: Record<string, "available" | "disabled" | "unknown">; details: Record<string, string>; features: Record<string, boolean> };
export type ChangeRestore = { undoId: string; force?: boolean };
export type ChangeRevert = { patch: string; of: "session" | "repository" };
export type CliAuthCredentialsStoreMode = "file" | "keyring" | "auto" | "ephemeral";
export type CodexErrorInfo = "contextWindowExceeded" | "sessionBudgetExceeded" | "usageLimitExceeded" | "rateLimitExceeded" | "flexUnavailable" | "serverOverloaded" | "modelNotFound" | "policyCapacityUnavailable" | "cyberPolicy" | "misalignmentPolicyViolation" | "tooManyDenials" | "internalServerError" | "unauthorized" | "badRequest" | "threadRollbackFailed" | "sandboxError" | "other" | { httpConnectionFailed: { httpStatusCode?: number | null } } | { responseStreamConnectionFailed: { httpStatusCode?: number | null } } | { responseStreamDisconnected: { httpStatusCode?: number | null } } | { responseTooManyFailedAttempts: { httpStatusCode?: number | null } } | { activeTurnNotSteerable: { turnKind: NonSteerableTurnKind } } | string | Record<string, unknown>;
export type CollabAgentState = { status: CollabAgentStatus; message?: string | null };
export type CollabAgentStatus = "pendingInit" | "running" | "interrupted" | "completed" | "errored" | "shutdown" | "notFound";
export type CollabAgentTool = "spawnAgent" | "sendInput" | "resumeAgent" | "wait" | "closeAgent" | "sendMessage" | "followupTask" | "interruptAgent" | "listAgents";
export type CollabAgentToolCallStatus = "inProgress" | "completed" | "failed" | "interrupted";
export type CollaborationModeListResponse = { data: (CollaborationModeMask)[] };
export type CollaborationModeMask = { name: string; mode?: ModeKind | null; model?: string | null; reasoning_effort?: ReasoningEffort | null | null };
export type CommandAction = { type: "read"; command: string; name: string; path: LegacyAppPathString } | { type: "listFiles"; command: string; path?: string | null } | { type: "search"; command: string; path?: string | null; query?: string | null } | { type: "unknown"; command: string };
export type CommandExecResponse = { exitCode: number; stderr: string; stdout: string };
export type CommandExecutionSource = "agent" | "userShell" | "unifiedExecStartup" | "unifiedExecInteraction";
export type CommandExecutionStatus = "inProgress" | "completed" | "failed" | "declined";
export type CommandRun = { command: (string)[]; cwd?: string | null; timeoutMs?: number | null };
export type CommitBody = { message: string; branch?: string | null; all?: boolean };
export type Committed = { status: "ok"; sessionId: string; sha: string; branch: string };
export type ComputerUseConfig = { default_app_access?: AllowDenyRequirement | null; macos?: ComputerUseMacosConfig | null; windows?: ComputerUseWindowsConfig | null };
export type ComputerUseMacosConfig = { bundle_ids?: Record<string, AllowDenyRequirement> | null };
export type ComputerUseMacosRequirements = { bundleIds?: Record<string, AllowDenyRequirement> | null };
export type ComputerUseRequirements = { allowLockedComputerUse?: boolean | null; allowPersistentApproval?: boolean | null; defaultAppAccess?: AllowDenyRequirement | null; macos?: ComputerUseMacosRequirements | null; windows?: ComputerUseWindowsRequirements | null };
export type ComputerUseWindowsConfig = { aumids?: Record<string, AllowDenyRequirement> | null; exes?: (ComputerUseWindowsExeConfig)[] | null };
export type ComputerUseWindowsExeConfig = { access: AllowDenyRequirement; product_name: string; publisher_name: string; binary_name?: string | null };
export type ComputerUseWindowsExeRequirement = { access: AllowDenyRequirement; productName: string; publisherName: string; binaryName?: string | null };
export type ComputerUseWindowsRequirements = { aumids?: Record<string, AllowDenyRequirement> | null; exes?: (ComputerUseWindowsExeRequirement)[] | null };
export type Config = { analytics?: AnalyticsConfig | null; approval_policy?: AskForApproval | null; approvals_reviewer?: ApprovalsReviewer | null; apps?: AppsConfig | null; browser_use?: BrowserUseConfig | null; compact_prompt?: string | null; computer_use?: ComputerUseConfig | null; desktop?: Record<string, unknown> | null; developer_instructions?: string | null; forced_chatgpt_workspace_id?: ForcedChatgptWorkspaceIds | null; forced_login_method?: ForcedLoginMethod | null; instructions?: string | null; model?: string | null; model_auto_compact_token_limit?: number | null; model_auto_compact_token_limit_scope?: AutoCompactTokenLimitScope | null; model_context_window?: number | null; model_provider?: string | null; model_reasoning_effort?: ReasoningEffort | null; model_reasoning_summary?: ReasoningSummary | null; model_verbosity?: Verbosity | null; review_model?: string | null; sandbox_mode?: SandboxMode | null; sandbox_workspace_write?: SandboxWorkspaceWrite | null; service_tier?: string | null; tools?: ToolsV2 | null; web_search?: WebSearchMode | null };
export type ConfigBatch = { edits: ({ keyPath: string; mergeStrategy: "replace" | "upsert"; value: unknown })[]; expectedVersion?: string | null; filePath?: string | null };
export type ConfigLayer = { config: unknown; name: ConfigLayerSource; version: string; disabledReason?: string | null };
export type ConfigLayerMetadata = { name: ConfigLayerSource; version: string };
export type ConfigLayerSource = { type: "packagedDefaults"; file: AbsolutePathBuf } | { type: "mdm"; domain: string; key: string } | { type: "system"; file: AbsolutePathBuf } | { type: "enterpriseManaged"; id: string; name: string } | { type: "user"; file: AbsolutePathBuf; profile?: string | null } | { type: "project"; dotCodexFolder: AbsolutePathBuf } | { type: "sessionFlags" } | { type: "legacyManagedConfigTomlFromFile"; file: AbsolutePathBuf } | { type: "legacyManagedConfigTomlFromMdm" };
export type ConfigReadResponse = { config: Config; origins: Record<string, ConfigLayerMetadata>; layers?: (ConfigLayer)[] | null };
export type ConfigRequirements = { additionalDeveloperInstructions?: string | null; allowAppshots?: boolean | null; allowBrowserAndComputerUse?: boolean | null; allowLoginShell?: boolean | null; allowManagedHooksOnly?: boolean | null; allowRemoteControl?: boolean | null; allowedApprovalPolicies?: (AskForApproval)[] | null; allowedApprovalsReviewers?: (ApprovalsReviewer)[] | null; allowedLoginMethods?: (ForcedLoginMethod)[] | null; allowedPermissionProfiles?: Record<string, boolean> | null; allowedSandboxModes?: (SandboxMode)[] | null; allowedWebSearchModes?: (WebSearchMode)[] | null; allowedWindowsSandboxImplementations?: (WindowsSandboxImplementation)[] | null; application?: ApplicationRequirements | null; autoReview?: AutoReviewRequirements | null; browserUse?: BrowserUseRequirements | null; chatgptBaseUrl?: string | null; checkForUpdateOnStartup?: boolean | null; cliAuthCredentialsStore?: CliAuthCredentialsStoreMode | null; computerUse?: ComputerUseRequirements | null; defaultPermissions?: string | null; enforceResidency?: ResidencyRequirement | null; featureRequirements?: Record<string, boolean> | null; feedback?: FeedbackRequirements | null; hooks?: ManagedHooksRequirements | null; inAppBrowser?: InAppBrowserRequirements | null; logDir?: string | null; modelCatalogJson?: string | null; modelProvider?: string | null; modelProviders?: Record<string, unknown> | null; models?: ModelsRequirements | null; network?: NetworkRequirements | null; otel?: OtelRequirements | null; sqliteHome?: string | null };
export type ConfigRequirementsReadResponse = { requirements?: ConfigRequirements | null; supportsIndependentSpeedModes?: boolean | null };
export type ConfigValue = { keyPath: string; mergeStrategy: "replace" | "upsert"; value: unknown; expectedVersion?: string | null; filePath?: string | null };
export type ConfigWriteResponse = { filePath: AbsolutePathBuf; status: WriteStatus; version: string; overriddenMetadata?: OverriddenMetadata | null };
export type ConfiguredHookHandler = { type: "command"; async: boolean; command: string; additionalContextLimit?: number | null; commandWindows?: string | null; statusMessage?: string | null; timeoutSec?: number | null } | { type: "mcp_tool"; input: Record<string, unknown>; server: string; tool: string; statusMessage?: string | null; timeoutSec?: number | null } | { type: "prompt" } | { type: "agent" };
export type ConfiguredHookMatcherGroup = { hooks: (ConfiguredHookHandler)[]; matcher?: string | null };
export type ControlsRead = { status: "ok"; sessionId: string; controls: SessionControls; defaults: SessionControls; defaultsLocked: boolean };
export type ControlsWrite = { scope: "session" | "default"; controls: SessionControls; actor?: string; source?: string };
export type ControlsWritten = { status: "ok"; sessionId: string; scope: string; applied: boolean; controls: SessionControls };
export type CreditsSnapshot = { hasCredits: boolean; unlimited: boolean; balance?: string | null };
export type CyberAccessProgram = "standard" | "daybreakBlue" | "daybreakRed";
export type Decision = { requestId: string; kind: RequestKind; threadId: string; turnId: string | null; itemId: string | null; summary: string; status: "resolved" | "expired"; decision: unknown; answers?: (AnsweredQuestion)[]; by: Actor; at: string; reason: string | null };
export type DeletedAll = { status: "ok"; projectId: string; deletedSessionIds: (string)[]; failed: (string)[] };
export type DeletedSession = { status: "deleted"; sessionId: string; title?: string; message: string; deletedAt: string };
export type Device = { deviceId: string; name: string; scope: "read" | "approve" | "drive" | "admin"; createdAt: string; lastSeenAt: string; expiresAt: string; current: boolean };
export type DeviceList = { data: (Device)[] };
export type DeviceRename = { name: string };
export type DeviceRevoked = { status: "ok"; deviceId: string };
export type DrainedWorker = { name: string; state: "draining" };
export type DynamicToolCallOutputContentItem = { type: "inputText"; text: string } | { type: "inputImage"; imageUrl: string } | { type: "inputAudio"; audioUrl: string };
export type DynamicToolCallStatus = "inProgress" | "completed" | "failed";
export type Empty = Record<string, unknown>;
export type EngineState = { running: boolean; reason?: string | null };
export type ExperimentalFeature = { defaultEnabled: boolean; enabled: boolean; name: string; stage: ExperimentalFeatureStage; announcement?: string | null; description?: string | null; displayName?: string | null };
export type ExperimentalFeatureListResponse = { data: (ExperimentalFeature)[]; nextCursor?: string | null };
export type ExperimentalFeatureStage = "beta" | "underDevelopment" | "stable" | "deprecated" | "removed";
export type Failure = { status: "error"; code: string; message: string; details?: unknown };
export type Feedback = { classification: string; includeLogs: boolean; reason?: string | null; threadId?: string | null };
export type FeedbackRequirements = { enabled?: boolean | null };
export type FeedbackUploadResponse = { threadId: string; promptHash?: string | null };
export type FileConflict = { path: string; reason: string };
export type FileRead = { path: string; text: string; size: number; version: string; readOnly: string | null };
export type FileSave = { path: string; text: string; version: string };
export type FileSaved = { status: "ok"; path: string; version: string };
export type FileUpdateChange = { diff: string; kind: PatchChangeKind; path: string };
export type FilesFound = { data: ({ path: string; name: string; root: string; isDirectory: boolean })[] };
export type FilesystemSandbox = "read-only" | "workspace-write" | "danger-full-access";
export type FleetStatus = { workers: (FleetWorker)[]; threads: { live: number; active: number; waiting: number } };
export type FleetWorker = { name: string; state: "up" | "draining" | "lost"; threads: number; labels: (string)[] };
export type FoldersFound = { data: ({ name: string; path: string })[]; isFolder: boolean; truncated: boolean };
export type ForcedChatgptWorkspaceIds = string | (string)[];
export type ForcedLoginMethod = "chatgpt" | "api";
export type Fork = { beforeTurnId?: string | null };
export type FunctionCallOutputBody = string | (FunctionCallOutputContentItem)[];
export type FunctionCallOutputContentItem = { type: "input_text"; text: string } | { type: "input_image"; image_url: string; detail?: ImageDetail | null } | { type: "input_image"; file_id: string; detail?: ImageDetail | null } | { type: "input_audio"; audio_url: string } | { type: "encrypted_content"; encrypted_content: string };
export type GetAccountRateLimitsResponse = { rateLimits: RateLimitSnapshot; accountId?: string | null; ordinaryUsageAllowed?: boolean | null; rateLimitResetCredits?: RateLimitResetCreditsSummary | null; rateLimitUpsell?: unknown; rateLimitsByLimitId?: Record<string, RateLimitSnapshot> | null };
export type GetAccountResponse = { requiresOpenaiAuth: boolean; account?: Account | null; workspaceRouting?: WorkspaceRouting | null };
export type GitChangedFile = { path: string; oldPath: string | null; change: "add" | "delete" | "update" | "rename" | "type"; untracked: boolean; submodule: boolean; binary: boolean; added: number; removed: number; id: string; fixed: string | null; omitted: boolean };
export type GitDiffResponse = { root: string; base: string | null; diff: string; files: (GitChangedFile)[]; truncated: boolean };
export type GitDraft = { scope: "staged" | "all" | "branch" };
export type GitDrafted = { text: string };
export type GitFolder = { repository: { root: string; branch: string | null; sha: string | null } | null };
export type GitInfo = { branch?: string | null; originUrl?: string | null; sha?: string | null };
export type GitPullRequest = { url: string; number: number; title: string; state: "open" | "draft" | "merged" | "closed"; checks: "none" | "pending" | "passed" | "failed" };
export type GitRevert = { scope: "unstaged" | "branch"; path: string; id: string };
export type GitStage = { scope: "staged" | "unstaged"; path: string; id: string; hunk?: number };
export type GitStaged = { status: "ok"; sessionId: string };
export type GitStatus = { root: string; branch: string | null; sha: string | null; base: { name: string; sha: string } | null; upstream: { name: string; ahead: number; behind: number } | null; ahead: number; underway: string | null; staged: number; unstaged: number; untracked: number; conflicts: (string)[]; branches: (string)[]; remote: { name: string; url: string } | null; forge: string | null; hooks: (string)[]; signs: boolean; worktree: { root: string; branch: string | null; isOurs: boolean } | null };
export type GoalChange = { objective?: string; status?: "active" | "paused"; tokenBudget?: number | null };
export type Health = { status: "ok"; service?: "api"; codex?: { running: boolean; pid: number | null; initialized: boolean; lastExit?: unknown; remote: boolean }; orchestratorQueue?: { enabled: boolean }; auth?: { hasOpenAiApiKey: boolean; codexHomeAuthFile: boolean; likelyUnauthenticated: boolean }; timestamp?: string };
export type HookErrorInfo = { message: string; path: string };
export type HookEventName = "preModelRequest" | "postModelRequest" | "preToolUse" | "permissionRequest" | "postToolUse" | "preCompact" | "postCompact" | "sessionStart" | "sessionEnd" | "userPromptSubmit" | "subagentStart" | "subagentStop" | "stop" | "interrupt";
export type HookMetadata = ({ currentHash: string; displayOrder: number; enabled: boolean; eventName: HookEventName; isManaged: boolean; key: string; source: HookSource; sourcePath: AbsolutePathBuf; timeoutSec: number; trustStatus: HookTrustStatus; additionalContextLimit?: number | null; environmentId?: string | null; matcher?: string | null; pluginId?: string | null; statusMessage?: string | null }) & ({ command: string; handlerType: "command"; async?: boolean } | { handlerType: "mcpTool"; server: string; tool: string } | { handlerType: "prompt" } | { handlerType: "agent" });
export type HookPromptFragment = { hookRunId: string; text: string };
export type HookSource = "system" | "user" | "project" | "mdm" | "sessionFlags" | "plugin" | "cloudRequirements" | "cloudManagedConfig" | "legacyManagedConfigFile" | "legacyManagedConfigMdm" | "unknown";
export type HookTrustStatus = "managed" | "untrusted" | "trusted" | "modified";
export type HooksListEntry = { cwd: string; errors: (HookErrorInfo)[]; hooks: (HookMetadata)[]; warnings: (string)[] };
export type HooksListResponse = { data: (HooksListEntry)[] };
export type Html = string;
export type ImageDetail = "auto" | "low" | "high" | "original";
export type ImageGenerationFailure = { type: "usageLimitExceeded"; limitId: string; resetsAt?: number | null };
export type ImageGenerationInputImage = { path: AbsolutePathBuf; sha256: string };
export type InAppBrowserRequirements = { allowExternalBrowserSettingsImport?: boolean | null };
export type InputModality = "text" | "image" | "audio";
export type Interrupt = { turnId?: string | null };
export type Interrupted = { status: "ok"; sessionId: string; turnId: string };
export type InvalidRequest = { status: "error"; code: "invalid_request"; message: string; issues: ({ path: string; message: string })[] };
export type ItemRead = { data: (ThreadItemEntry)[] };
export type LegacyAppPathString = string;
export type LinkMade = { url: string; urls: (string)[]; code: string; scope: Scope; expiresAt: string };
export type LinkMake = { scope: Scope; name?: string; minutes?: number };
export type ListMcpServerStatusResponse = { data: (McpServerStatus)[]; nextCursor?: string | null };
export type LoginAccountResponse = { type: "apiKey"; checked?: boolean; model?: string } | { type: "chatgpt"; authUrl: string; loginId: string } | { type: "chatgptDeviceCode"; loginId: string; userCode: string; verificationUrl: string } | { type: "chatgptAuthTokens" } | { type: "amazonBedrock" };
export type LogoutAccountResponse = Record<string, unknown>;
export type ManagedHooksRequirements = { PermissionRequest: (ConfiguredHookMatcherGroup)[]; PostCompact: (ConfiguredHookMatcherGroup)[]; PostToolUse: (ConfiguredHookMatcherGroup)[]; PreCompact: (ConfiguredHookMatcherGroup)[]; PreToolUse: (ConfiguredHookMatcherGroup)[]; SessionStart: (ConfiguredHookMatcherGroup)[]; Stop: (ConfiguredHookMatcherGroup)[]; SubagentStart: (ConfiguredHookMatcherGroup)[]; SubagentStop: (ConfiguredHookMatcherGroup)[]; UserPromptSubmit: (ConfiguredHookMatcherGroup)[]; Interrupt?: (ConfiguredHookMatcherGroup)[]; PostModelRequest?: (ConfiguredHookMatcherGroup)[]; PreModelRequest?: (ConfiguredHookMatcherGroup)[]; SessionEnd?: (ConfiguredHookMatcherGroup)[]; managedDir?: string | null; windowsManagedDir?: string | null };
export type ManagerNetworkAccess = "restricted" | "enabled";
export type MarketplaceAddResponse = { alreadyAdded: boolean; installedRoot: AbsolutePathBuf; marketplaceName: string };
export type MarketplaceChoice = { name?: string };
export type MarketplaceInterface = { displayName?: string | null };
export type MarketplaceRemoveResponse = { marketplaceName: string; installedRoot?: AbsolutePathBuf | null };
export type MarketplaceUpgradeErrorInfo = { marketplaceName: string; message: string };
export type MarketplaceUpgradeResponse = { errors: (MarketplaceUpgradeErrorInfo)[]; selectedMarketplaces: (string)[]; upgradedRoots: (AbsolutePathBuf)[] };
export type McpAppDisplayMode = "inline" | "fullscreen";
export type McpAppUi = { preferredModelDisplayMode: McpAppDisplayMode; resourceUri: string };
export type McpAuthStatus = "unknown" | "unsupported" | "notLoggedIn" | "bearerToken" | "oAuth";
export type McpLogin = { scopes?: (string)[]; timeoutSecs?: number };
export type McpOauthCompleted = { name: string; success: boolean; error?: string | null };
export type McpServerConnectionStatus = "notStarted" | "starting" | "connected" | "authenticationRequired" | "failed" | "cancelled" | "disabled";
export type McpServerInfo = { name: string; version: string; description?: string | null; icons?: (unknown)[] | null; title?: string | null; websiteUrl?: string | null };
export type McpServerOauthLoginResponse = { authorizationUrl: string; authorization_url?: string; loginId?: string | null };
export type McpServerStatus = { authStatus: McpAuthStatus; name: string; resourceTemplates: (ResourceTemplate)[]; resources: (Resource)[]; tools: Record<string, Tool>; httpOrigin?: string | null; pluginId?: string | null; runtimeStatus?: McpServerConnectionStatus | null; serverCapabilities?: unknown; serverInfo?: McpServerInfo | null; toolListMeta?: unknown; toolsError?: string | null };
export type McpToolCallAppContext = { connectorId: string; actionName?: string | null; appName?: string | null; linkId?: string | null; resourceUri?: string | null };
export type McpToolCallError = { message: string };
export type McpToolCallResult = { content: (unknown)[]; _meta?: unknown; structuredContent?: unknown };
export type McpToolCallStatus = "inProgress" | "completed" | "failed";
export type Me = { device: Device; scope: Scope };
export type MemoryCitation = { entries: (MemoryCitationEntry)[]; threadIds: (string)[] };
export type MemoryCitationEntry = { lineEnd: number; lineStart: number; note: string; path: string };
export type MessageAccepted = { status: "accepted"; sessionId: string; turnId: string | null; messageId: string; delivery: "started" | "steered" | "queued" };
export type MessagePhase = "commentary" | "partial_answer" | "final_answer";
export type MessageSend = { text?: string; input?: (UserInput)[]; clientMessageId?: string; delivery?: "auto" | "steer" | "queue"; model?: string | null; effort?: string | null; approvalPolicy?: ApprovalPolicy; networkAccess?: ManagerNetworkAccess; filesystemSandbox?: FilesystemSandbox; mode?: WorkMode; dynamicTools?: ({ name: string; description: string; inputSchema: unknown; namespace?: string | null; deferLoading?: boolean })[] };
export type MisalignmentErrorDetails = { detailedExplanation?: string | null; errorType?: string | null; reviewTarget?: string | null; steer?: MisalignmentSteer | null };
export type MisalignmentSteer = { message: string };
export type ModeKind = "plan" | "default" | "code" | "pair_programming" | "execute" | "custom";
export type Model = { defaultReasoningEffort: ReasoningEffort; description: string; displayName: string; hidden: boolean; id: string; isDefault: boolean; model: string; supportedReasoningEfforts: (ReasoningEffortOption)[]; additionalSpeedTiers?: (string)[]; availabilityNux?: ModelAvailabilityNux | null; availableAccessPrograms?: ModelAccessPrograms | null; defaultServiceTier?: string | null; inputModalities?: (InputModality)[]; modelSpecialty?: string | null; multiAgentVersion?: MultiAgentVersion | null; serviceTiers?: (ModelServiceTier)[]; supportsPersonality?: boolean; upgrade?: string | null; upgradeInfo?: ModelUpgradeInfo | null };
export type ModelAccessPrograms = { cyber: (CyberAccessProgram)[] };
export type ModelAvailabilityNux = { message: string };
export type ModelListResponse = { data: (Model)[]; nextCursor?: string | null };
export type ModelServiceTier = { description: string; id: string; name: string };
export type ModelUpgradeInfo = { model: string; migrationMarkdown?: string | null; modelLink?: string | null; retirementAt?: number | null; upgradeCopy?: string | null };
export type ModelsRequirements = { newThread?: NewThreadModelDefaults | null };
export type MoveAll = { destination: "unassigned" | "archive" };
export type MovedAll = { status: "ok"; projectId: string; movedSessionIds: (string)[] };
export type MultiAgentVersion = "disabled" | "v1" | "v2";
export type NetworkDomainPermission = "allow" | "deny";
export type NetworkRequirements = { allowLocalBinding?: boolean | null; allowUnixSockets?: (string)[] | null; allowUpstreamProxy?: boolean | null; allowedDomains?: (string)[] | null; dangerouslyAllowAllUnixSockets?: boolean | null; dangerouslyAllowNonLoopbackProxy?: boolean | null; deniedDomains?: (string)[] | null; domains?: Record<string, NetworkDomainPermission> | null; enabled?: boolean | null; httpPort?: number | null; managedAllowedDomainsOnly?: boolean | null; reviewDomains?: (string)[] | null; socksPort?: number | null; unixSockets?: Record<string, NetworkUnixSocketPermission> | null };
export type NetworkUnixSocketPermission = "allow" | "deny";
export type NewMarketplace = { source: string; refName?: string | null };
export type NewThreadModelDefaults = { model?: string | null; modelReasoningEffort?: ReasoningEffort | null; serviceTier?: string | null };
export type NonSteerableTurnKind = "review" | "compact";
export type OccurrencePage = { data: ({ turnId: string; itemId: string; snippet: string; start: number; end: number; turnCursor: string })[]; nextCursor: string | null };
export type OpenApi = Record<string, unknown>;
export type OtelExporter = "none" | "statsig" | { "otlp-http": { endpoint: string; headers: Record<string, string>; protocol: OtelHttpProtocol; tls?: OtelTlsConfig | null } } | { "otlp-grpc": { endpoint: string; headers: Record<string, string>; tls?: OtelTlsConfig | null } };
export type OtelHttpProtocol = "binary" | "json";
export type OtelRequirements = { environment?: string | null; exporter?: OtelExporter | null; log_agent_responses?: boolean | null; log_guardian_assessments?: boolean | null; log_user_prompt?: boolean | null; metrics_exporter?: OtelExporter | null; span_attributes?: Record<string, string> | null; tool_result?: OtelToolResultLogConfig | null; trace_exporter?: OtelExporter | null; tracestate?: Record<string, Record<string, string>> | null };
export type OtelTlsConfig = { "ca-certificate"?: string | null; "client-certificate"?: string | null; "client-private-key"?: string | null };
export type OtelToolResultLogConfig = { max_bytes: number };
export type OverriddenMetadata = { effectiveValue: unknown; message: string; overridingLayer: ConfigLayerMetadata };
export type PassThroughEvent = { seq: number; bootId: string; threadId: string | null; type: `app_server.${string}`; payload: { source: "app_server"; signalType: "notification" | "request"; eventType: string; method: string; receivedAt: string; context: { threadId: string | null; turnId: string | null }; params: unknown; session: { id: string; title: string | null; projectId: string | null } | null; requestId?: string } };
export type PatchApplyStatus = "inProgress" | "completed" | "failed" | "declined";
export type PatchChangeKind = { type: "add" } | { type: "delete" } | { type: "update"; move_path?: string | null };
export type PendingList = { data: (PendingRequest)[] };
export type PendingRequest = { requestId: string; approvalId?: string; kind: RequestKind; method: string; threadId: string; rootThreadId: string; turnId: string | null; itemId: string | null; callId: string | null; tool: string | null; arguments: unknown; questions?: (unknown)[]; toolSpec?: { description: string; inputSchema: unknown }; summary: string; details: unknown; createdAt: string; expiresAt: string | null; status: "pending" | "responding"; sessionTitle: string | null };
export type PlanType = "free" | "go" | "plus" | "pro" | "prolite" | "promax" | "team" | "self_serve_business_prolite" | "self_serve_business_usage_based" | "business" | "ent26" | "enterprise_cbp_automation" | "enterprise_cbp_usage_based" | "enterprise" | "edu" | "edu_plus" | "edu_pro" | "sci" | "sci_plus" | "unknown";
export type PluginAgreement = { content: string };
export type PluginAuthPolicy = "ON_INSTALL" | "ON_USE";
export type PluginAvailability = "DISABLED_BY_ADMIN" | "AVAILABLE";
export type PluginDetail = { appTemplates: (AppTemplateSummary)[]; apps: (AppSummary)[]; hooks: (PluginHookSummary)[]; marketplaceName: string; mcpServers: (string)[]; skills: (SkillSummary)[]; summary: PluginSummary; description?: string | null; marketplacePath?: AbsolutePathBuf | null; onboardingSkill?: SkillSummary | null; scheduledTasks?: (ScheduledTaskSummary)[] | null; shareUrl?: string | null };
export type PluginDisabledReason = "disabled_by_admin" | "plan_not_eligible" | "required_app_unavailable" | "unknown";
export type PluginFacts = { marketplaces: (PluginMarketplaceEntry)[]; added: ({ name: string; sourceType: "local" | "git"; source: string })[]; trust: (PluginTrust)[] | null; problems: (string)[] };
export type PluginHookSummary = { eventName: HookEventName; key: string };
export type PluginInstallPolicy = "NOT_AVAILABLE" | "AVAILABLE" | "INSTALLED_BY_DEFAULT";
export type PluginInstallPolicySource = "WORKSPACE_SETTING" | "IMPLICIT_CANONICAL_APP";
export type PluginInstallResponse = { appsNeedingAuth: (AppSummary)[]; authPolicy: PluginAuthPolicy };
export type PluginInterface = { capabilities: (string)[]; screenshotUrls: (string)[]; screenshots: (AbsolutePathBuf)[]; brandColor?: string | null; category?: string | null; composerIcon?: AbsolutePathBuf | null; composerIconUrl?: string | null; defaultPrompt?: (string)[] | null; developerName?: string | null; displayName?: string | null; logo?: AbsolutePathBuf | null; logoDark?: AbsolutePathBuf | null; logoUrl?: string | null; logoUrlDark?: string | null; longDescription?: string | null; privacyPolicyUrl?: string | null; shortDescription?: string | null; termsOfServiceUrl?: string | null; websiteUrl?: string | null };
export type PluginMarketplaceEntry = { name: string; plugins: (PluginSummary)[]; interface?: MarketplaceInterface | null; path?: AbsolutePathBuf | null };
export type PluginProgram = { type: "mcpServer" | "hook"; name: string; action: string };
export type PluginReadResponse = { plugin: PluginDetail };
export type PluginShareContext = { remotePluginId: string; canPublishToWorkspace?: boolean | null; creatorAccountUserId?: string | null; creatorName?: string | null; discoverability?: PluginShareDiscoverability | null; remoteVersion?: string | null; sharePrincipals?: (PluginSharePrincipal)[] | null; shareUrl?: string | null };
export type PluginShareDiscoverability = "LISTED" | "UNLISTED" | "PRIVATE";
export type PluginSharePrincipal = { name: string; principalId: string; principalType: PluginSharePrincipalType; role: PluginSharePrincipalRole };
export type PluginSharePrincipalRole = "reader" | "editor" | "owner";
export type PluginSharePrincipalType = "user" | "group" | "workspace";
export type PluginSource = { type: "local"; path: AbsolutePathBuf } | { type: "git"; url: string; path?: string | null; refName?: string | null; sha?: string | null } | { type: "npm"; package: string; registry?: string | null; version?: string | null } | { type: "remote" };
export type PluginSummary = { authPolicy: PluginAuthPolicy; enabled: boolean; id: string; installPolicy: PluginInstallPolicy; installed: boolean; name: string; source: PluginSource; availability?: PluginAvailability; disabledReason?: PluginDisabledReason | null; eligiblePlanTypes?: (string)[] | null; installPolicySource?: PluginInstallPolicySource | null; installedAt?: number | null; interface?: PluginInterface | null; keywords?: (string)[]; localVersion?: string | null; mustShowInstallationInterstitial?: boolean | null; remotePluginId?: string | null; shareContext?: PluginShareContext | null; version?: string | null };
export type PluginTrust = { pluginId: string; enabled: boolean; status: PluginTrustStatus; root?: string | null; content?: string | null; problem?: string | null; runs: (PluginProgram)[] };
export type PluginTrustStatus = "accepted" | "changed" | "new" | "unusable";
export type PluginUninstallResponse = Record<string, unknown>;
export type PolicyWrite = { approvalPolicy: ApprovalPolicy };
export type PolicyWritten = { status: "ok"; sessionId: string; approvalPolicy: ApprovalPolicy };
export type Preview = { previewId: string; port: number; openedAt: string; by: string; address: string };
export type PreviewClosed = { status: "ok"; previewId: string };
export type PreviewList = { data: (Preview)[] };
export type PreviewOpen = { port: number };
export type PreviewOpened = { preview: Preview; url: string };
export type Project = { projectId: string; name: string; workingDirectory: string | null; createdAt: string; updatedAt: string };
export type ProjectAssigned = { status: "ok"; sessionId: string; projectId: string | null };
export type ProjectDeleted = { status: "ok"; projectId: string };
export type ProjectDeletedEvent = { projectId: string };
export type ProjectList = { data: (Project)[] };
export type ProjectRename = { name: string; workingDirectory?: string | null };
export type ProjectRenamed = { status: "ok"; project: Project };
export type ProjectSaved = { status: "ok"; project: Project };
export type ProjectWrite = { name: string; workingDirectory?: string | null };
export type ProviderChoice = { id: string; name: string; isLocal: boolean; needsKey: boolean; keyVariable: string | null; model: string | null; isSetUp: boolean; hasStoredKey: boolean; isCurrent: boolean; runningModels?: (string)[] | null };
export type ProviderListResponse = { data: (ProviderChoice)[]; model: string; noModel: string | null };
export type PullRequestOpen = { title: string; body?: string; base?: string | null; draft?: boolean };
export type PullRequestOpened = { status: "ok"; sessionId: string; pullRequest: GitPullRequest };
export type PushState = { publicKey: string; wants: PushWants | null };
export type PushSubscribe = { endpoint: string; keys: { p256dh: string; auth: string }; wants: PushWants };
export type PushTested = { status: "ok" };
export type PushWants = { needsYou: boolean; done: boolean; failed: boolean };
export type Pushed = { status: "ok"; sessionId: string; remote: string; branch: string };
export type QueueChange = { input: (UserInput)[] };
export type QueueList = { data: (QueuedMessage)[] };
export type QueueNotFound = { status: "not_found"; sessionId: string; message: string };
export type QueueOrder = { messageIds: (string)[] };
export type QueueTaken = { status: "ok"; messageId: string };
export type QueueUpdated = { sessionId: string; queue: (QueuedMessage)[] };
export type QueuedMessage = { messageId: string; input: (UserInput)[]; text: string; createdAt: string; by: Actor };
export type QueuedSent = { status: "ok"; messageId: string; delivery: "started" | "steered" };
export type RateLimitReachedType = "rate_limit_reached" | "workspace_owner_credits_depleted" | "workspace_member_credits_depleted" | "workspace_owner_usage_limit_reached" | "workspace_member_usage_limit_reached";
export type RateLimitResetCredit = { grantedAt: number; id: string; resetType: RateLimitResetType; status: RateLimitResetCreditStatus; description?: string | null; expiresAt?: number | null; title?: string | null };
export type RateLimitResetCreditStatus = "available" | "redeeming" | "redeemed" | "unknown";
export type RateLimitResetCreditsSummary = { availableCount: number; credits?: (RateLimitResetCredit)[] | null };
export type RateLimitResetType = "codexRateLimits" | "unknown";
export type RateLimitSnapshot = { credits?: CreditsSnapshot | null; individualLimit?: SpendControlLimitSnapshot | null; limitId?: string | null; limitName?: string | null; normalModelSlug?: string | null; planType?: PlanType | null; primary?: RateLimitWindow | null; rateLimitReachedType?: RateLimitReachedType | null; secondary?: RateLimitWindow | null; spendControlReached?: boolean | null };
export type RateLimitWindow = { usedPercent: number; resetsAt?: number | null; windowDurationMins?: number | null };
export type RateLimitsUpdated = { rateLimits: unknown };
export type RawNotification = { method: string; params: unknown; emittedAtMs?: number | null };
export type RawServerRequest = { method: string; params: unknown; requestId: string };
export type ReadMark = { read: boolean };
export type ReadMarked = { status: "ok"; session: SessionSummary };
export type ReasoningEffort = string;
export type ReasoningEffortOption = { description: string; reasoningEffort: ReasoningEffort };
export type ReasoningSummary = "auto" | "concise" | "detailed" | "none";
export type Rename = { title: string };
export type RequestAnswer = { response?: unknown; error?: { code?: unknown; message: string } | null; note?: string | null; createdAt?: string; bootId?: string };
export type RequestAnswered = { status: "ok"; requestId: string; threadId: string; approvalId?: string };
export type RequestConflict = { status: "conflict"; code: "in_flight" | "reconciled"; requestId: string; message?: string; by?: Actor | null };
export type RequestFailed = { status: "error"; requestId: string; code?: string; message?: string };
export type RequestHeader = { name: string; value: string };
export type RequestKind = "command" | "fileChange" | "permissions" | "question" | "toolCall" | "elicitation" | "other";
export type RequestNotFound = { status: "not_found"; requestId: string; message?: string; outcome?: string | null; by?: Actor | null };
export type RequestResolved = { requestId: string; decision?: unknown; status: "resolved" | "expired"; threadId: string; by: Actor; at: string; reason?: string | null; answers?: (AnsweredQuestion)[] };
export type RequestResponding = { requestId: string; threadId: string; responding: boolean; by: Actor };
export type ResidencyRequirement = "us";
export type Resource = { name: string; uri: string; _meta?: unknown; annotations?: unknown; description?: string | null; icons?: (unknown)[] | null; mimeType?: string | null; size?: number | null; title?: string | null };
export type ResourceTemplate = { name: string; uriTemplate: string; annotations?: unknown; description?: string | null; mimeType?: string | null; title?: string | null };
export type RestoredChange = { restored: (string)[]; conflicts: (FileConflict)[] };
export type Resume = { dynamicTools?: ({ name: string; description: string; inputSchema: unknown; namespace?: string | null; deferLoading?: boolean })[] };
export type RevertedChange = { status: "ok"; sessionId: string; undoId: string; restored: (string)[] };
export type Review = { delivery?: "inline" | "detached"; targetType?: "uncommittedChanges" | "baseBranch" | "commit" | "custom"; branch?: string; sha?: string; title?: string; instructions?: string };
export type ReviewStarted = { status: "ok"; sessionId: string; reviewSessionId: string; turnId: string };
export type Rollback = { numTurns?: number; files?: "keep" | "restore" | "force"; conversation?: boolean };
export type RollbackCheck = { files: ({ path: string; becomes: "restored" | "deleted" })[]; conflicts: (FileConflict)[] };
export type RuleChange = { pattern?: (string)[]; decision?: RuleDecision; justification?: string | null; expiresAt?: string | null };
export type RuleDecision = "allow" | "prompt" | "forbidden";
export type RuleList = { data: (ApprovalRule)[]; writable: boolean; file: string | null };
export type RuleWrite = { pattern: (string)[]; decision: RuleDecision; justification?: string | null; expiresAt?: string | null };
export type SandboxMode = "read-only" | "workspace-write" | "danger-full-access";
export type SandboxReadResponse = { engine: "bubblewrap" | "namespaces" | "landlock" | "seatbelt" | "none"; standing: "full" | "weaker" | "refused"; line: string; fix?: string | null };
export type SandboxWorkspaceWrite = { exclude_slash_tmp?: boolean; exclude_tmpdir_env_var?: boolean; network_access?: boolean; writable_roots?: (string)[] };
export type Schedule = { scheduleId: string; name: string; prompt: string; cron: string; timeZone: string; cwd: string | null; projectId: string | null; model: string | null; enabled: boolean; runMissed: boolean; createdAt: string; updatedAt: string; nextRunAt: string | null; runs: (ScheduleRun)[] };
export type ScheduleChange = { name?: string; prompt?: string; cron?: string; timeZone?: string; cwd?: string | null; projectId?: string | null; model?: string | null; enabled?: boolean; runMissed?: boolean };
export type ScheduleList = { data: (Schedule)[] };
export type ScheduleRemoved = { status: "ok"; scheduleId: string };
export type ScheduleRun = { at: string; outcome: "started" | "failed" | "missed" | "still_running"; sessionId: string | null; message: string | null };
export type ScheduleWrite = { name: string; prompt: string; cron: string; timeZone: string; cwd?: string | null; projectId?: string | null; model?: string | null; enabled?: boolean; runMissed?: boolean };
export type ScheduledTaskSchedule = { type: "hourly"; intervalHours: number; days?: (ScheduledTaskWeekday)[] | null } | { type: "daily"; time: string } | { type: "weekdays"; time: string } | { type: "weekly"; days: (ScheduledTaskWeekday)[]; time: string };
export type ScheduledTaskSummary = { key: string; name: string; prompt: string; schedule: ScheduledTaskSchedule };
export type ScheduledTaskWeekday = "MO" | "TU" | "WE" | "TH" | "FR" | "SA" | "SU";
export type SchedulesChanged = Record<string, unknown>;
export type Scope = "read" | "approve" | "drive" | "admin";
export type SearchPage = { data: ({ session: SessionSummary; snippet: string })[]; nextCursor: string | null };
export type Section = { sectionId: string; name: string; isPinned: boolean; sessionIds: (string)[] };
export type SectionList = { data: (Section)[] };
export type SectionMove = { sectionId: string | null; beforeSessionId?: string | null };
export type SectionName = { name: string };
export type SectionsUpdated = { data: (Section)[] };
export type SessionAndThread = { session: SessionSummary; thread: Thread };
export type SessionAttachment = { attachmentType: string; identityKey: string; payload: unknown; createdAt: number };
export type SessionAttachments = { data: (SessionAttachment)[] };
export type SessionChanges = { files: number; added: number; removed: number };
export type SessionControls = { model: string | null; effort?: string | null; approvalPolicy: ApprovalPolicy; networkAccess: ManagerNetworkAccess; filesystemSandbox: FilesystemSandbox; permissions?: string; mode?: WorkMode; settings: Record<string, unknown> };
export type SessionCost = { money: number | null };
export type SessionDeleted = { status: "ok"; sessionId: string; title?: string | null; deletedFileCount: number };
export type SessionDeletedEvent = { status: "deleted"; sessionId: string; title?: string | null; message: string; deletedAt: string };
export type SessionDiff = { sessionId: string; scope: "session" | "turn"; turnId: string | null; diff: string; inexact: (string)[]; truncated: boolean };
export type SessionDone = { status: "ok"; sessionId: string; session?: SessionSummary; title?: string | null };
export type SessionGit = { sessionId: string; repository: GitStatus | null; pullRequest: GitPullRequest | null; problem: string | null };
export type SessionGoal = { goal: ThreadGoal | null };
export type SessionList = { data: (SessionSummary)[]; nextCursor: string | null; archived: boolean; seq: number; bootId: string };
export type SessionNotFound = { status: "not_found"; sessionId: string; message: string };
export type SessionNotice = { id: string; kind: "warning" | "info"; text: string };
export type SessionProjectUpdated = { sessionId: string; projectId: string | null };
export type SessionQueue = { data: (QueuedMessage)[] };
export type SessionRead = { session: SessionSummary; thread: Thread; transcript: (TranscriptRow)[]; seq: number; bootId: string };
export type SessionSource = "cli" | "vscode" | "exec" | "appServer" | "unknown" | { custom: string } | { subAgent: SubAgentSource };
export type SessionStart = { cwd?: string | null; projectId?: string | null; createFolder?: boolean; worktree?: boolean; model?: string | null; effort?: string | null; approvalPolicy?: ApprovalPolicy; networkAccess?: ManagerNetworkAccess; filesystemSandbox?: FilesystemSandbox; mode?: WorkMode; dynamicTools?: ({ name: string; description: string; inputSchema: unknown; namespace?: string | null; deferLoading?: boolean })[] };
export type SessionState = "idle" | "working" | "waiting" | "failed" | "notLoaded";
export type SessionSummary = { sessionId: string; title: string; materialized: boolean; modelProvider: string; approvalPolicy: AskForApproval | null; sessionControls: SessionControls | null; createdAt: number; updatedAt: number; cwd: string; source: string; projectId: string | null; state: SessionState; pendingCount: number; archived: boolean; systemOwned: boolean; preview: string; model?: string | null; branch?: string | null; activeTurnId?: string | null; lastTurnStatus?: string | null; parentSessionId?: string | null; forkedFromId?: string | null; queued: number; worktree?: { root: string; branch: string } | null; pullRequest?: GitPullRequest | null; unread: boolean; sectionId?: string | null; snoozedUntil?: number | null; changes?: SessionChanges | null; agentName?: string };
export type SettingsRead = { status: "ok"; sessionId: string; scope: string; settings: Record<string, unknown>; value?: unknown };
export type SettingsRemoved = { status: "ok"; sessionId: string; scope: string; removed: boolean; settings: Record<string, unknown> };
export type SettingsWrite = { scope?: "session" | "default"; key?: string; value?: unknown; settings?: Record<string, unknown>; mode?: "merge" | "replace"; actor?: string; source?: string };
export type SettingsWritten = { status: "ok"; sessionId: string; scope: string; settings: Record<string, unknown> };
export type Share = { shareId: string; sessionId: string; title: string; bytes: number; createdAt: string; expiresAt: string; by: string };
export type ShareEnded = { status: "ok"; shareId: string };
export type ShareList = { data: (Share)[] };
export type ShareMade = { share: Share; url: string };
export type ShareMake = { days?: number; outputs?: boolean };
export type SignIn = { code: string; name?: string; bearer?: boolean };
export type SignedIn = { device: Device; scope: Scope; token?: string; pageKey?: string };
export type SignedOut = { status: "ok" };
export type SkillAdded = { status: "ok"; path: string };
export type SkillDependencies = { tools: (SkillToolDependency)[] };
export type SkillErrorInfo = { message: string; path: string };
export type SkillInterface = { brandColor?: string | null; defaultPrompt?: string | null; displayName?: string | null; iconLarge?: AbsolutePathBuf | null; iconLargeUrl?: string | null; iconSmall?: AbsolutePathBuf | null; iconSmallUrl?: string | null; shortDescription?: string | null };
export type SkillMetadata = { description: string; enabled: boolean; name: string; path: LegacyAppPathString; scope: SkillScope; dependencies?: SkillDependencies | null; interface?: SkillInterface | null; pluginId?: string | null; shortDescription?: string | null };
export type SkillScope = "user" | "repo" | "system" | "admin";
export type SkillSummary = { description: string; enabled: boolean; name: string; interface?: SkillInterface | null; path?: LegacyAppPathString | null; shortDescription?: string | null };
export type SkillSwitch = { path: string; enabled: boolean };
export type SkillToolDependency = { type: string; value: string; command?: string | null; description?: string | null; transport?: string | null; url?: string | null };
export type SkillWrite = { name: string; description: string; instructions: string };
export type SkillsConfigWriteResponse = { effectiveEnabled: boolean };
export type SkillsListEntry = { cwd: string; errors: (SkillErrorInfo)[]; skills: (SkillMetadata)[] };
export type SkillsListResponse = { data: (SkillsListEntry)[] };
export type Snooze = { until: number | null };
export type Snoozed = { status: "ok"; session: SessionSummary };
export type SpendControlLimitSnapshot = { limit: string; remainingPercent: number; resetsAt: number; used: string };
export type Steer = { input: string | (UserInput)[]; clientMessageId?: string };
export type Steered = { status: "ok"; sessionId: string; turnId: string };
export type StreamCommand = { type: "subscribe"; threadId?: string | null; threadIds?: (string)[] | null; families?: ("core" | "raw" | "app_server" | "inbox")[] | null; since?: number | null; bootId?: string | null } | { type: "unsubscribe" } | { type: "ping" };
export type StreamControl = { type: "ready"; threadId: string | null; seq: number; bootId: string } | { type: "subscribed"; threadIds: (string)[] | "*"; seq: number; bootId: string; replayed: number } | { type: "resync"; seq: number; bootId: string; reason: string } | { type: "pong" } | { type: "error"; message: string };
export type StreamEvent = { seq: number; bootId: string; threadId: string | null; type: "approval"; payload: PendingRequest } | { seq: number; bootId: string; threadId: string | null; type: "approval_resolved"; payload: ApprovalResolved } | { seq: number; bootId: string; threadId: string | null; type: "tool_user_input_requested"; payload: PendingRequest } | { seq: number; bootId: string; threadId: string | null; type: "tool_user_input_resolved"; payload: ToolUserInputResolved } | { seq: number; bootId: string; threadId: string | null; type: "tool_call_requested"; payload: PendingRequest } | { seq: number; bootId: string; threadId: string | null; type: "tool_call_resolved"; payload: ToolCallResolved } | { seq: number; bootId: string; threadId: string | null; type: "request_pending"; payload: PendingRequest } | { seq: number; bootId: string; threadId: string | null; type: "request_resolved"; payload: RequestResolved } | { seq: number; bootId: string; threadId: string | null; type: "request_responding"; payload: RequestResponding } | { seq: number; bootId: string; threadId: string | null; type: "transcript_updated"; payload: TranscriptUpdated } | { seq: number; bootId: string; threadId: string | null; type: "turn_plan_updated"; payload: TurnPlanUpdated } | { seq: number; bootId: string; threadId: string | null; type: "turn_diff_updated"; payload: TurnDiffUpdated } | { seq: number; bootId: string; threadId: string | null; type: "thread_token_usage_updated"; payload: TokenUsageUpdated } | { seq: number; bootId: string; threadId: string | null; type: "notification"; payload: RawNotification } | { seq: number; bootId: string; threadId: string | null; type: "server_request"; payload: RawServerRequest } | { seq: number; bootId: string; threadId: string | null; type: "session_upserted"; payload: SessionSummary } | { seq: number; bootId: string; threadId: string | null; type: "session_deleted"; payload: SessionDeletedEvent } | { seq: number; bootId: string; threadId: string | null; type: "session_project_updated"; payload: SessionProjectUpdated } | { seq: number; bootId: string; threadId: string | null; type: "queue_updated"; payload: QueueUpdated } | { seq: number; bootId: string; threadId: string | null; type: "sections_updated"; payload: SectionsUpdated } | { seq: number; bootId: string; threadId: string | null; type: "project_upserted"; payload: Project } | { seq: number; bootId: string; threadId: string | null; type: "project_deleted"; payload: ProjectDeletedEvent } | { seq: number; bootId: string; threadId: string | null; type: "app_list_updated"; payload: AppListUpdated } | { seq: number; bootId: string; threadId: string | null; type: "mcp_oauth_completed"; payload: McpOauthCompleted } | { seq: number; bootId: string; threadId: string | null; type: "account_updated"; payload: AccountUpdated } | { seq: number; bootId: string; threadId: string | null; type: "account_login_completed"; payload: AccountLoginDone } | { seq: number; bootId: string; threadId: string | null; type: "account_rate_limits_updated"; payload: RateLimitsUpdated } | { seq: number; bootId: string; threadId: string | null; type: "templates_changed"; payload: TemplatesChanged } | { seq: number; bootId: string; threadId: string | null; type: "schedules_changed"; payload: SchedulesChanged } | { seq: number; bootId: string; threadId: string | null; type: "engine_state"; payload: EngineState };
export type StreamMessage = StreamControl | StreamEvent | PassThroughEvent;
export type SubAgentActivityKind = "started" | "interacted" | "interrupted" | "completed";
export type SubAgentSource = "review" | "compact" | "memory_consolidation" | { thread_spawn: { depth: number; parent_thread_id: ThreadId; agent_nickname?: string | null; agent_path?: AgentPath | null; agent_role?: string | null } } | { other: string };
export type SystemSession = { status: "error"; code: "system_session"; sessionId: string; message: string };
export type Template = { templateId: string; name: string; text: string; createdAt: string; updatedAt: string };
export type TemplateChange = { name?: string; text?: string };
export type TemplateList = { data: (Template)[] };
export type TemplateRemoved = { status: "ok"; templateId: string };
export type TemplateWrite = { name: string; text: string };
export type TemplatesChanged = Record<string, unknown>;
export type Terminal = { terminalId: string; sessionId: string; cwd: string; openedAt: string; by: string; exitCode: number | null };
export type TerminalClosed = { status: "ok"; terminalId: string };
export type TerminalList = { data: (Terminal)[] };
export type TextElement = { byteRange: ByteRange; placeholder?: string | null };
export type Thread = { cliVersion: string; createdAt: number; cwd: AbsolutePathBuf; ephemeral: boolean; id: string; modelProvider: string; preview: string; projectId: string | null; sessionId: string; source: SessionSource; status: ThreadStatus; turns: (Turn)[]; updatedAt: number; agentNickname?: string | null; agentRole?: string | null; canAcceptDirectInput?: boolean | null; daybreakEnabled?: boolean | null; environments?: (ThreadEnvironment)[] | null; extra?: ThreadExtra | null; forkedFromId?: string | null; gitInfo?: GitInfo | null; historyMode?: ThreadHistoryMode; model?: string | null; name?: string | null; originator?: string | null; parentThreadId?: string | null; path?: string | null; reasoningEffort?: ReasoningEffort | null; recencyAt?: number | null; section?: ThreadSection | null; sectionEnteredAt?: number | null; threadSource?: ThreadSource | null };
export type ThreadActiveFlag = "waitingOnApproval" | "waitingOnUserInput";
export type ThreadBackgroundTerminal = { command: string; cwd: LegacyAppPathString; itemId: string; processId: string; cpuPercent?: number | null; osPid?: number | null; rssKb?: number | null };
export type ThreadEnvironment = { cwd: LegacyAppPathString; environmentId: string; runtimeWorkspaceRoots: (LegacyAppPathString)[] };
export type ThreadExtra = Record<string, unknown>;
export type ThreadGoal = { createdAt: number; objective: string; status: ThreadGoalStatus; threadId: string; timeUsedSeconds: number; tokensUsed: number; updatedAt: number; tokenBudget?: number | null };
export type ThreadGoalStatus = "active" | "paused" | "blocked" | "usageLimited" | "budgetLimited" | "complete";
export type ThreadHistoryMode = "legacy" | "paginated";
export type ThreadId = string;
export type ThreadItem = { type: "userMessage"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; content: (UserInput)[]; clientId?: string | null } | { type: "hookPrompt"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; fragments: (HookPromptFragment)[] } | { type: "agentMessage"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; text: string; delivery?: AgentMessageDelivery | null; memoryCitation?: MemoryCitation | null; phase?: MessagePhase | null; questions?: (AsyncUserInputQuestion)[] | null } | { type: "functionCallOutput"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; name: string; output: FunctionCallOutputBody; namespace?: string | null } | { type: "plan"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; text: string } | { type: "reasoning"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; summary?: (string)[]; content?: (string)[] } | { type: "commandExecution"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; command: string; commandActions: (CommandAction)[]; cwd: LegacyAppPathString; status: CommandExecutionStatus; aggregatedOutput?: string | null; durationMs?: number | null; exitCode?: number | null; pluginId?: string | null; processId?: string | null; scriptPath?: string | null; source?: CommandExecutionSource } | { type: "fileChange"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; changes: (FileUpdateChange)[]; status: PatchApplyStatus } | { type: "mcpToolCall"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; arguments: unknown; server: string; status: McpToolCallStatus; tool: string; appContext?: McpToolCallAppContext | null; durationMs?: number | null; error?: McpToolCallError | null; mcpAppResourceUri?: string | null; mcpAppUi?: McpAppUi | null; pluginId?: string | null; readOnlyHint?: boolean | null; result?: McpToolCallResult | null } | { type: "dynamicToolCall"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; arguments: unknown; status: DynamicToolCallStatus; tool: string; contentItems?: (DynamicToolCallOutputContentItem)[] | null; durationMs?: number | null; namespace?: string | null; success?: boolean | null } | { type: "collabAgentToolCall"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; agentsStates: Record<string, CollabAgentState>; receiverThreadIds: (string)[]; senderThreadId: string; status: CollabAgentToolCallStatus; tool: CollabAgentTool; model?: string | null; prompt?: string | null; reasoningEffort?: ReasoningEffort | null } | { type: "subAgentActivity"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; agentPath: string; agentThreadId: string; kind: SubAgentActivityKind; model?: string | null; reasoningEffort?: ReasoningEffort | null } | { type: "webSearch"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; query: string; action?: WebSearchAction | null; results?: (unknown)[] | null } | { type: "imageView"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; path: LegacyAppPathString } | { type: "sleep"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; durationMs: number } | { type: "imageGeneration"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; status: string; failure?: ImageGenerationFailure | null; generationId?: string | null; inputImages?: (ImageGenerationInputImage)[]; revisedPrompt?: string | null; savedPath?: AbsolutePathBuf | null; transparentBackground?: boolean | null; result: string } | { type: "imageGeneration"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; status: string; failure?: ImageGenerationFailure | null; generationId?: string | null; inputImages?: (ImageGenerationInputImage)[]; revisedPrompt?: string | null; savedPath?: AbsolutePathBuf | null; transparentBackground?: boolean | null; fileId: string } | { type: "enteredReviewMode"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; review: string } | { type: "exitedReviewMode"; id: string; startedAtMs?: number | null; completedAtMs?: number | null; review: string } | { type: "contextCompaction"; id: string; startedAtMs?: number | null; completedAtMs?: number | null };
export type ThreadItemEntry = { item: ThreadItem; turnId: string; completedAtMs?: number | null; startedAtMs?: number | null };
export type ThreadSection = { id: string; name: string; appearance?: ThreadSectionAppearance | null };
export type ThreadSectionAppearance = { color?: string | null; icon?: string | null };
export type ThreadSource = string;
export type ThreadStatus = { type: "notLoaded" } | { type: "idle" } | { type: "systemError" } | { type: "active"; activeFlags: (ThreadActiveFlag)[] };
export type ThreadTimelineEntry = { item: ThreadItem; position: number; turnId: string; type: "item" } | { position: number; startedAt?: number | null; turnId: string; type: "turnStarted" } | { completedAt?: number | null; durationMs?: number | null; error?: TurnError | null; position: number; startedAt?: number | null; status: TurnStatus; turnId: string; type: "turnCompleted" };
export type ThreadTokenUsage = { last: TokenUsageBreakdown; total: TokenUsageBreakdown; modelContextWindow?: number | null };
export type TimelinePage = { data: (ThreadTimelineEntry)[]; nextCursor: string | null };
export type TokenUsageBreakdown = { cachedInputTokens: number; inputTokens: number; outputTokens: number; reasoningOutputTokens: number; totalTokens: number; cacheWriteInputTokens?: number };
export type TokenUsageUpdated = { threadId: string; turnId: string; tokenUsage: ThreadTokenUsage };
export type Tool = { inputSchema: unknown; name: string; _meta?: unknown; annotations?: unknown; description?: string | null; icons?: (unknown)[] | null; outputSchema?: unknown; title?: string | null };
export type ToolCallAnswer = { success?: boolean; contentItems?: (DynamicToolCallOutputContentItem)[]; text?: string; response?: unknown; createdAt?: string; bootId?: string };
export type ToolCallResolved = { requestId: string; success: boolean; status: "resolved" | "expired"; threadId: string; by: Actor; at: string; reason?: string | null; answers?: (AnsweredQuestion)[] };
export type ToolInputDecision = { decision?: "accept" | "decline" | "cancel"; answers?: Record<string, { answers: (string)[] }>; response?: unknown; createdAt?: string; bootId?: string };
export type ToolUserInputResolved = { requestId: string; decision?: unknown; status: "resolved" | "expired"; threadId: string; by: Actor; at: string; reason?: string | null; answers?: (AnsweredQuestion)[] };
export type ToolsV2 = { web_search?: WebSearchToolConfig | null };
export type TranscriptRow = { messageId: string; turnId: string; role: "user" | "assistant" | "system"; type: string; content: string; status: TranscriptStatus; details?: unknown; startedAt?: number | null; completedAt?: number | null };
export type TranscriptStatus = "streaming" | "complete" | "canceled" | "error";
export type TranscriptUpdated = { turnId: string; entry: TranscriptRow };
export type TranscriptUpsert = { messageId: string; turnId: string; role: "user" | "assistant" | "system"; type: string; content: string; status: TranscriptStatus; details?: unknown; startedAt?: number | null; completedAt?: number | null };
export type TranscriptUpserted = { status: "ok"; sessionId: string; entry: TranscriptRow };
export type Turn = { id: string; items: (ThreadItem)[]; status: TurnStatus; completedAt?: number | null; durationMs?: number | null; error?: TurnError | null; itemsView?: TurnItemsView; rootTurnId?: string | null; startedAt?: number | null };
export type TurnDiffUpdated = { threadId: string; turnId: string; diff: string };
export type TurnError = { message: string; additionalDetails?: string | null; codexErrorInfo?: CodexErrorInfo | null; misalignment?: MisalignmentErrorDetails | null };
export type TurnItemsView = "notLoaded" | "summary" | "full";
export type TurnPlanStep = { status: TurnPlanStepStatus; step: string };
export type TurnPlanStepStatus = "pending" | "inProgress" | "completed";
export type TurnPlanUpdated = { threadId: string; turnId: string; explanation?: string | null; plan: (TurnPlanStep)[] };
export type TurnStatus = "completed" | "interrupted" | "failed" | "inProgress";
export type TurnsPageAnswer = { data: (Turn)[]; nextCursor: string | null; session: SessionSummary; plan?: { turnId: string; explanation?: string | null; plan: (TurnPlanStep)[] } | null; diffs: Record<string, string>; tokenUsage: ThreadTokenUsage | null; notices: (SessionNotice)[]; queue: (QueuedMessage)[]; decisions: (Decision)[]; seq: number; bootId: string };
export type UsageBreakdownResponse = { rows: (UsageBreakdownRow)[]; currency: string; budget: UsageBudget; today: { day: string; tokens: number; money: number | null }; truncated: boolean };
export type UsageBreakdownRow = { day: string; cwd: string | null; projectId: string | null; model: string; provider: string | null; threads: number; inputTokens: number; cachedInputTokens: number; outputTokens: number; totalTokens: number; money: number | null };
export type UsageBudget = { tokensPerDay: number | null; tokensPerThread: number | null; moneyPerDay: number | null; moneyPerThread: number | null };
export type UserInput = { type: "text"; text: string; text_elements?: (TextElement)[] } | { type: "image"; url: string; detail?: ImageDetail | null } | { type: "image"; fileId: string; detail?: ImageDetail | null } | { type: "localImage"; path: string; detail?: ImageDetail | null } | { type: "audio"; url: string } | { type: "localAudio"; path: string } | { type: "skill"; name: string; path: string } | { type: "mention"; name: string; path: string };
export type Verbosity = "low" | "medium" | "high";
export type WebSearchAction = { type: "search"; queries?: (string)[] | null; query?: string | null } | { type: "openPage"; url?: string | null } | { type: "findInPage"; pattern?: string | null; url?: string | null } | { type: "other" };
export type WebSearchContextSize = "low" | "medium" | "high";
export type WebSearchLocation = { city?: string | null; country?: string | null; region?: string | null; timezone?: string | null };
export type WebSearchMode = "disabled" | "cached" | "indexed" | "live";
export type WebSearchToolConfig = { allowed_domains?: (string)[] | null; context_size?: WebSearchContextSize | null; location?: WebSearchLocation | null };
export type WindowsSandboxImplementation = "elevated" | "unelevated" | "mxc";
export type WorkMode = "default" | "plan";
export type WorkspaceRouting = { accountRoutingOverride: AccountRoutingOverride; backendOrigin: string; chatgptAccountId: string };
export type WorktreeEnded = { status: "ok"; sessionId: string; session: SessionSummary; into: string | null; kept: string | null };
export type WriteStatus = "ok" | "okOverridden";

/** An error response of the manager: its status, code and message. */
export class ManagerError extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: unknown;
  constructor(status: number, body: unknown) {
    const { code, message } = (typeof body === "object" && body !== null ? body : {}) as { code?: unknown; message?: unknown };
    super(typeof message === "string" ? message : `status ${status}`);
    this.status = status;
    this.code = typeof code === "string" ? code : "error";
    this.body = body;
  }
}

export interface ManagerOptions {
  /** Such as http://127.0.0.1:4180 */
  readonly url: string;
  /** The content of the token file, or a device's own token. */
  readonly token: string;
  readonly fetch?: typeof fetch;
  /** Opens a websocket with these headers, for platforms whose built-in one cannot send any. */
  readonly openSocket?: (url: string, headers: Readonly<Record<string, string>>) => WebSocket;
}

export interface EventOptions {
  /** Only this session; default: all of them. */
  readonly threadId?: string;
  readonly families?: readonly ("core" | "raw" | "app_server" | "inbox")[];
  /** The last event number received, and from which run of the manager: later events are replayed first. */
  readonly since?: number;
  readonly bootId?: string;
  readonly signal?: AbortSignal;
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

export class ManagerClient {
  readonly #options: ManagerOptions;
  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  async #call<T>(method: string, path: string, query: Query, body: unknown): Promise<T> {
    const url = new URL(path, this.#options.url);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers: Record<string, string> = { authorization: `Bearer ${this.#options.token}` };
    if (method === "POST") headers["content-type"] = "application/json";
    const send = this.#options.fetch ?? fetch;
    const response = await send(url, { method, headers, ...(method === "POST" ? { body: JSON.stringify(body ?? {}) } : {}) });
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new ManagerError(response.status, answer);
    return answer as T;
  }

  /** Whether the manager is running; more details only for signed-in callers. */
  getHealth(): Promise<Health> {
    return this.#call("GET", "/api/health", {}, undefined);
  }

  /** Name and version. */
  get(): Promise<About> {
    return this.#call("GET", "/api", {}, undefined);
  }

  /** This description. */
  getOpenapiJson(): Promise<OpenApi> {
    return this.#call("GET", "/api/openapi.json", {}, undefined);
  }

  /** Exchange a one-time code for this browser's cookie and its page's key. */
  postAuthSignIn(body: SignIn): Promise<SignedIn> {
    return this.#call("POST", "/api/auth/sign-in", {}, body);
  }

  /** Sign out this browser. */
  postAuthSignOut(): Promise<SignedOut> {
    return this.#call("POST", "/api/auth/sign-out", {}, undefined);
  }

  /** The calling device and its scope. */
  getAuthMe(): Promise<Me> {
    return this.#call("GET", "/api/auth/me", {}, undefined);
  }

  /** Create a one-time link that signs in another device. */
  postAuthLinks(body: LinkMake): Promise<LinkMade> {
    return this.#call("POST", "/api/auth/links", {}, body);
  }

  /** Signed-in devices. */
  getDevices(): Promise<DeviceList> {
    return this.#call("GET", "/api/devices", {}, undefined);
  }

  /** Give a device another name. */
  postDevicesByDeviceId(deviceId: string, body: DeviceRename): Promise<Device> {
    return this.#call("POST", `/api/devices/${encodeURIComponent(deviceId)}`, {}, body);
  }

  /** Revoke a device immediately. */
  deleteDevicesByDeviceId(deviceId: string): Promise<DeviceRevoked> {
    return this.#call("DELETE", `/api/devices/${encodeURIComponent(deviceId)}`, {}, undefined);
  }

  /** Who allowed what, newest first. */
  getAudit(query: { before?: number; limit?: number; threadId?: string; type?: string } = {}): Promise<AuditPage> {
    return this.#call("GET", "/api/audit", query, undefined);
  }

  /** Permanent rules for commands. */
  getRules(): Promise<RuleList> {
    return this.#call("GET", "/api/rules", {}, undefined);
  }

  /** Add a rule. */
  postRules(body: RuleWrite): Promise<RuleList> {
    return this.#call("POST", "/api/rules", {}, body);
  }

  /** Change a rule. */
  postRulesByRuleId(ruleId: string, body: RuleChange): Promise<RuleList> {
    return this.#call("POST", `/api/rules/${encodeURIComponent(ruleId)}`, {}, body);
  }

  /** Remove a rule. */
  deleteRulesByRuleId(ruleId: string): Promise<RuleList> {
    return this.#call("DELETE", `/api/rules/${encodeURIComponent(ruleId)}`, {}, undefined);
  }

  /** Prompt templates, by name. */
  getTemplates(): Promise<TemplateList> {
    return this.#call("GET", "/api/templates", {}, undefined);
  }

  /** Add a prompt template. */
  postTemplates(body: TemplateWrite): Promise<Template> {
    return this.#call("POST", "/api/templates", {}, body);
  }

  /** Change a prompt template. */
  postTemplatesByTemplateId(templateId: string, body: TemplateChange): Promise<Template> {
    return this.#call("POST", `/api/templates/${encodeURIComponent(templateId)}`, {}, body);
  }

  /** Remove a prompt template. */
  deleteTemplatesByTemplateId(templateId: string): Promise<TemplateRemoved> {
    return this.#call("DELETE", `/api/templates/${encodeURIComponent(templateId)}`, {}, undefined);
  }

  /** Schedules, by name, with their last runs. */
  getSchedules(): Promise<ScheduleList> {
    return this.#call("GET", "/api/schedules", {}, undefined);
  }

  /** Add a schedule: at its times the manager starts a session and sends it the prompt. */
  postSchedules(body: ScheduleWrite): Promise<Schedule> {
    return this.#call("POST", "/api/schedules", {}, body);
  }

  /** Change a schedule, or switch it on or off. */
  postSchedulesByScheduleId(scheduleId: string, body: ScheduleChange): Promise<Schedule> {
    return this.#call("POST", `/api/schedules/${encodeURIComponent(scheduleId)}`, {}, body);
  }

  /** Remove a schedule; sessions that it started stay. */
  deleteSchedulesByScheduleId(scheduleId: string): Promise<ScheduleRemoved> {
    return this.#call("DELETE", `/api/schedules/${encodeURIComponent(scheduleId)}`, {}, undefined);
  }

  /** Run a schedule now, in addition to its times. */
  postSchedulesRun(scheduleId: string): Promise<Schedule> {
    return this.#call("POST", `/api/schedules/${encodeURIComponent(scheduleId)}/run`, {}, undefined);
  }

  /** What the engine behind the manager can do. */
  getCapabilities(query: { refresh?: boolean } = {}): Promise<Capabilities> {
    return this.#call("GET", "/api/capabilities", query, undefined);
  }

  /** Features that can be enabled. */
  getFeaturesExperimental(query: { cursor?: string; limit?: number } = {}): Promise<ExperimentalFeatureListResponse> {
    return this.#call("GET", "/api/features/experimental", query, undefined);
  }

  /** Collaboration modes (plan, default …). */
  getCollaborationModes(query: { cursor?: string; limit?: number } = {}): Promise<CollaborationModeListResponse> {
    return this.#call("GET", "/api/collaboration/modes", query, undefined);
  }

  /** Connected apps. */
  getApps(query: { cursor?: string; limit?: number; threadId?: string; forceRefetch?: boolean } = {}): Promise<AppsListResponse> {
    return this.#call("GET", "/api/apps", query, undefined);
  }

  /** Skills of a folder. */
  getSkills(query: { forceReload?: boolean; cwd?: string } = {}): Promise<SkillsListResponse> {
    return this.#call("GET", "/api/skills", query, undefined);
  }

  /** Add a skill of the user: a folder with instructions that the agent reads when it needs them. */
  postSkills(body: SkillWrite): Promise<SkillAdded> {
    return this.#call("POST", "/api/skills", {}, body);
  }

  /** Hooks of the folders in use: the engine's own, those of projects and of the newest sessions. */
  getHooks(): Promise<HooksListResponse> {
    return this.#call("GET", "/api/hooks", {}, undefined);
  }

  /** Enable or disable a skill. */
  postSkillsConfig(body: SkillSwitch): Promise<SkillsConfigWriteResponse> {
    return this.#call("POST", "/api/skills/config", {}, body);
  }

  /** Reload the MCP servers' settings. */
  postMcpReload(): Promise<Empty> {
    return this.#call("POST", "/api/mcp/reload", {}, undefined);
  }

  /** Sign in to an MCP server. */
  postMcpServersOauthLogin(serverName: string, body: McpLogin): Promise<McpServerOauthLoginResponse> {
    return this.#call("POST", `/api/mcp/servers/${encodeURIComponent(serverName)}/oauth/login`, {}, body);
  }

  /** MCP servers and their state. */
  getMcpServers(query: { cursor?: string; limit?: number } = {}): Promise<ListMcpServerStatusResponse> {
    return this.#call("GET", "/api/mcp/servers", query, undefined);
  }

  /** Available models. */
  getModels(query: { cursor?: string; limit?: number } = {}): Promise<ModelListResponse> {
    return this.#call("GET", "/api/models", query, undefined);
  }

  /** The current account. */
  getAccount(): Promise<GetAccountResponse> {
    return this.#call("GET", "/api/account", {}, undefined);
  }

  /** The available model providers, which of them are set up and, if wanted, which local ones run. */
  getAccountProviders(query: { findLocal?: boolean } = {}): Promise<ProviderListResponse> {
    return this.#call("GET", "/api/account/providers", query, undefined);
  }

  /** Sign the engine in. */
  postAccountLoginStart(body: AccountLogin): Promise<LoginAccountResponse> {
    return this.#call("POST", "/api/account/login/start", {}, body);
  }

  /** Cancel a sign-in. */
  postAccountLoginCancel(body: AccountLoginCancel): Promise<CancelLoginAccountResponse> {
    return this.#call("POST", "/api/account/login/cancel", {}, body);
  }

  /** Sign the engine out. */
  postAccountLogout(): Promise<LogoutAccountResponse> {
    return this.#call("POST", "/api/account/logout", {}, undefined);
  }

  /** Tokens and money by day, folder and model, and the budget. */
  getUsage(query: { days?: number } = {}): Promise<UsageBreakdownResponse> {
    return this.#call("GET", "/api/usage", query, undefined);
  }

  /** What remains of the account's limits. */
  getAccountRateLimits(): Promise<GetAccountRateLimitsResponse> {
    return this.#call("GET", "/api/account/rate-limits", {}, undefined);
  }

  /** Current settings. */
  getConfig(query: { cwd?: string; includeLayers?: boolean } = {}): Promise<ConfigReadResponse> {
    return this.#call("GET", "/api/config", query, undefined);
  }

  /** Settings that an administrator has fixed. */
  getConfigRequirements(): Promise<ConfigRequirementsReadResponse> {
    return this.#call("GET", "/api/config/requirements", {}, undefined);
  }

  /** Change one setting. */
  postConfigValue(body: ConfigValue): Promise<ConfigWriteResponse> {
    return this.#call("POST", "/api/config/value", {}, body);
  }

  /** Change several settings at once. */
  postConfigBatch(body: ConfigBatch): Promise<ConfigWriteResponse> {
    return this.#call("POST", "/api/config/batch", {}, body);
  }

  /** Run one command outside any session. */
  postCommandsExec(body: CommandRun): Promise<CommandExecResponse> {
    return this.#call("POST", "/api/commands/exec", {}, body);
  }

  /** Send feedback. */
  postFeedback(body: Feedback): Promise<FeedbackUploadResponse> {
    return this.#call("POST", "/api/feedback", {}, body);
  }

  /** A text file in the session's folder. */
  getSessionsFile(sessionId: string, query: { path: string }): Promise<FileRead> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/file`, query, undefined);
  }

  /** Save a text file that was read before; refused as `file_changed` if it has changed since. */
  postSessionsFile(sessionId: string, body: FileSave): Promise<FileSaved> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/file`, {}, body);
  }

  /** Folders on the engine's machine whose path begins like this. */
  getFolders(query: { path: string }): Promise<FoldersFound> {
    return this.#call("GET", "/api/folders", query, undefined);
  }

  /** The fleet's workers and how many threads they hold; 404 where the manager has no fleet. */
  getFleet(): Promise<FleetStatus> {
    return this.#call("GET", "/api/fleet", {}, undefined);
  }

  /** Let a worker leave: it takes nothing new, gives up idle and waiting threads, lets running turns end, and exits. */
  postFleetWorkersDrain(name: string): Promise<DrainedWorker> {
    return this.#call("POST", `/api/fleet/workers/${encodeURIComponent(name)}/drain`, {}, undefined);
  }

  /** The repository that a folder is in, before a session is started there; null outside one. */
  getGit(query: { cwd: string }): Promise<GitFolder> {
    return this.#call("GET", "/api/git", query, undefined);
  }

  /** Branch, remote and counts of changes of the session's repository, and its pull request; null outside one. */
  getSessionsGit(sessionId: string, query: { refresh?: boolean } = {}): Promise<SessionGit> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/git`, query, undefined);
  }

  /** The changes of files: staged, not staged, or of the branch. */
  getSessionsGitDiff(sessionId: string, query: { scope: "staged" | "unstaged" | "branch" }): Promise<GitDiffResponse> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/git/diff`, query, undefined);
  }

  /** Stage a shown change, or unstage a staged one: the whole file, or one hunk by its number. */
  postSessionsGitStage(sessionId: string, body: GitStage): Promise<GitStaged> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/stage`, {}, body);
  }

  /** Restore a file to its state in the index or before the branch; what was there is kept. */
  postSessionsGitRevert(sessionId: string, body: GitRevert): Promise<RevertedChange> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/revert`, {}, body);
  }

  /** Take back what a diff of one file shows, in the file as it is now; what was there is kept. */
  postSessionsChangesRevert(sessionId: string, body: ChangeRevert): Promise<RevertedChange> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/changes/revert`, {}, body);
  }

  /** Bring back what a revert replaced. */
  postSessionsChangesRestore(sessionId: string, body: ChangeRestore): Promise<RestoredChange> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/changes/restore`, {}, body);
  }

  /** What restoring the files of the last turns would do, and which files are in its way. */
  getSessionsRollbackCheck(sessionId: string, query: { numTurns?: number } = {}): Promise<RollbackCheck> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/rollback/check`, query, undefined);
  }

  /** A message for a commit or a pull request, written by the session's model; nothing of it is stored. */
  postSessionsGitDraft(sessionId: string, body: GitDraft): Promise<GitDrafted> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/draft`, {}, body);
  }

  /** Commit what is staged, or every change, without running hooks. */
  postSessionsGitCommit(sessionId: string, body: CommitBody): Promise<Committed> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/commit`, {}, body);
  }

  /** Commit as git in a terminal does: hooks and filters of the repository run outside the sandbox, and the commit is signed. */
  postSessionsGitCommitAsInTerminal(sessionId: string, body: CommitBody): Promise<Committed> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/commit/as-in-terminal`, {}, body);
  }

  /** Push the branch to its remote. */
  postSessionsGitPush(sessionId: string): Promise<Pushed> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/push`, {}, undefined);
  }

  /** Open a pull request for the branch with gh or glab. */
  postSessionsGitPullRequest(sessionId: string, body: PullRequestOpen): Promise<PullRequestOpened> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/pull-request`, {}, body);
  }

  /** Merge the session's worktree into the repository and remove it; with conflicts (409 `conflicts`) nothing is changed. */
  postSessionsGitWorktreeMerge(sessionId: string): Promise<WorktreeEnded> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/worktree/merge`, {}, undefined);
  }

  /** Remove the session's worktree; what only it contained stays in the repository under a ref. */
  postSessionsGitWorktreeDiscard(sessionId: string): Promise<WorktreeEnded> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/git/worktree/discard`, {}, undefined);
  }

  /** The sections, Pinned first, with the order of their sessions. */
  getSections(): Promise<SectionList> {
    return this.#call("GET", "/api/sections", {}, undefined);
  }

  /** Add a section. */
  postSections(body: SectionName): Promise<SectionList> {
    return this.#call("POST", "/api/sections", {}, body);
  }

  /** Rename a section. */
  postSectionsBySectionId(sectionId: string, body: SectionName): Promise<SectionList> {
    return this.#call("POST", `/api/sections/${encodeURIComponent(sectionId)}`, {}, body);
  }

  /** Remove a section; its sessions stay. */
  deleteSectionsBySectionId(sectionId: string): Promise<SectionList> {
    return this.#call("DELETE", `/api/sections/${encodeURIComponent(sectionId)}`, {}, undefined);
  }

  /** Put a session into a section, before another session or at its end; null takes it out. */
  postSessionsSection(sessionId: string, body: SectionMove): Promise<SectionList> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/section`, {}, body);
  }

  /** Mark a session as read or unread, for all clients. */
  postSessionsRead(sessionId: string, body: ReadMark): Promise<ReadMarked> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/read`, {}, body);
  }

  /** Leave a session out of the list until this time, in seconds since 1970; null ends it. */
  postSessionsSnooze(sessionId: string, body: Snooze): Promise<Snoozed> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/snooze`, {}, body);
  }

  /** Archive several sessions; what cannot be archived is named with its reason. */
  postArchive(body: ArchiveMany): Promise<ArchivedMany> {
    return this.#call("POST", "/api/archive", {}, body);
  }

  /** What is attached to a session, such as a pull request or an issue. */
  getSessionsAttachments(sessionId: string): Promise<SessionAttachments> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/attachments`, {}, undefined);
  }

  /** Attach something to a session; the same type and key are attached once. */
  postSessionsAttachments(sessionId: string, body: AttachmentAdd): Promise<SessionAttachments> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/attachments`, {}, body);
  }

  /** Remove an attachment. */
  postSessionsAttachmentsRemove(sessionId: string, body: AttachmentRemove): Promise<SessionAttachments> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/attachments/remove`, {}, body);
  }

  /** Plugins by marketplace; the installed ones with what they run and whether that was accepted. */
  getPlugins(): Promise<PluginFacts> {
    return this.#call("GET", "/api/plugins", {}, undefined);
  }

  /** What a plugin contains. */
  getPluginsByPluginId(pluginId: string): Promise<PluginReadResponse> {
    return this.#call("GET", `/api/plugins/${encodeURIComponent(pluginId)}`, {}, undefined);
  }

  /** Uninstall a plugin. */
  deletePluginsByPluginId(pluginId: string): Promise<PluginUninstallResponse> {
    return this.#call("DELETE", `/api/plugins/${encodeURIComponent(pluginId)}`, {}, undefined);
  }

  /** Install a plugin, which enables it and accepts its content. */
  postPluginsInstall(pluginId: string): Promise<PluginInstallResponse> {
    return this.#call("POST", `/api/plugins/${encodeURIComponent(pluginId)}/install`, {}, undefined);
  }

  /** Accept an installed plugin as it was reviewed. */
  postPluginsAccept(pluginId: string, body: PluginAgreement): Promise<Empty> {
    return this.#call("POST", `/api/plugins/${encodeURIComponent(pluginId)}/accept`, {}, body);
  }

  /** Add a marketplace from a folder or a git repository. */
  postMarketplaces(body: NewMarketplace): Promise<MarketplaceAddResponse> {
    return this.#call("POST", "/api/marketplaces", {}, body);
  }

  /** Fetch the marketplaces that come from repositories again, or one of them. */
  postMarketplacesUpgrade(body: MarketplaceChoice): Promise<MarketplaceUpgradeResponse> {
    return this.#call("POST", "/api/marketplaces/upgrade", {}, body);
  }

  /** Remove a marketplace; installed plugins stay. */
  deleteMarketplacesByName(name: string): Promise<MarketplaceRemoveResponse> {
    return this.#call("DELETE", `/api/marketplaces/${encodeURIComponent(name)}`, {}, undefined);
  }

  /** Projects. */
  getProjects(): Promise<ProjectList> {
    return this.#call("GET", "/api/projects", {}, undefined);
  }

  /** Create a project. */
  postProjects(body: ProjectWrite): Promise<ProjectSaved> {
    return this.#call("POST", "/api/projects", {}, body);
  }

  /** Rename a project or move its folder. */
  postProjectsRename(projectId: string, body: ProjectRename): Promise<ProjectRenamed> {
    return this.#call("POST", `/api/projects/${encodeURIComponent(projectId)}/rename`, {}, body);
  }

  /** Remove an empty project. */
  deleteProjectsByProjectId(projectId: string): Promise<ProjectDeleted> {
    return this.#call("DELETE", `/api/projects/${encodeURIComponent(projectId)}`, {}, undefined);
  }

  /** Sessions that the system runs for a project. */
  getProjectsAgentSessions(projectId: string): Promise<AgentSessions> {
    return this.#call("GET", `/api/projects/${encodeURIComponent(projectId)}/agent-sessions`, {}, undefined);
  }

  /** Empty a project: its sessions are assigned to no project, or archived. */
  postProjectsChatsMoveAll(projectId: string, body: MoveAll): Promise<MovedAll> {
    return this.#call("POST", `/api/projects/${encodeURIComponent(projectId)}/chats/move-all`, {}, body);
  }

  /** Delete all sessions of a project. */
  postProjectsChatsDeleteAll(projectId: string): Promise<DeletedAll> {
    return this.#call("POST", `/api/projects/${encodeURIComponent(projectId)}/chats/delete-all`, {}, undefined);
  }

  /** The key for subscribing, and what this device is notified of. */
  getPush(): Promise<PushState> {
    return this.#call("GET", "/api/push", {}, undefined);
  }

  /** Notify this device from now on, or change what it is notified of. */
  postPush(body: PushSubscribe): Promise<PushState> {
    return this.#call("POST", "/api/push", {}, body);
  }

  /** No longer notify this device. */
  deletePush(): Promise<PushState> {
    return this.#call("DELETE", "/api/push", {}, undefined);
  }

  /** Send a notification to this device now. */
  postPushTest(): Promise<PushTested> {
    return this.#call("POST", "/api/push/test", {}, undefined);
  }

  /** Sessions whose messages contain a text, newest first. A page may hold few or none: follow nextCursor to search on. */
  getSearch(query: { query: string; archived?: boolean; cursor?: string; limit?: number }): Promise<SearchPage> {
    return this.#call("GET", "/api/search", query, undefined);
  }

  /** The places in a session's messages where a text occurs, oldest first. */
  getSessionsSearch(sessionId: string, query: { query: string; cursor?: string; limit?: number }): Promise<OccurrencePage> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/search`, query, undefined);
  }

  /** What happened in a session, in order; the newest page first. */
  getSessionsTimeline(sessionId: string, query: { cursor?: string; limit?: number } = {}): Promise<TimelinePage> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/timeline`, query, undefined);
  }

  /** One item of a turn, as it is stored: with its whole output. */
  getSessionsTurnsItemsByItemId(sessionId: string, turnId: string, itemId: string): Promise<ItemRead> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/turns/${encodeURIComponent(turnId)}/items/${encodeURIComponent(itemId)}`, {}, undefined);
  }

  /** Sessions, most recent first. */
  getSessions(query: { archived?: boolean; cursor?: string; limit?: number; includeSystemOwned?: boolean; search?: string } = {}): Promise<SessionList> {
    return this.#call("GET", "/api/sessions", query, undefined);
  }

  /** Start a session. */
  postSessions(body: SessionStart): Promise<SessionAndThread> {
    return this.#call("POST", "/api/sessions", {}, body);
  }

  /** A session with its whole transcript. */
  getSessionsBySessionId(sessionId: string): Promise<SessionRead> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}`, {}, undefined);
  }

  /** Delete a session permanently. */
  deleteSessionsBySessionId(sessionId: string): Promise<SessionDeleted> {
    return this.#call("DELETE", `/api/sessions/${encodeURIComponent(sessionId)}`, {}, undefined);
  }

  /** The file changes of the session, or of one turn, as one diff from before to now. */
  getSessionsDiff(sessionId: string, query: { scope?: "session" | "turn"; turnId?: string } = {}): Promise<SessionDiff> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/diff`, query, undefined);
  }

  /** A page of turns, newest first; the running one contains what was streamed so far. */
  getSessionsTurns(sessionId: string, query: { cursor?: string; limit?: number } = {}): Promise<TurnsPageAnswer> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/turns`, query, undefined);
  }

  /** Send a message: starts a turn, or while one is running steers it or is queued. */
  postSessionsMessages(sessionId: string, body: MessageSend): Promise<MessageAccepted> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/messages`, {}, body);
  }

  /** Messages that wait for the running turn to end. */
  getSessionsQueue(sessionId: string): Promise<QueueList> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/queue`, {}, undefined);
  }

  /** Remove a queued message. */
  deleteSessionsQueueByMessageId(sessionId: string, messageId: string): Promise<QueueTaken> {
    return this.#call("DELETE", `/api/sessions/${encodeURIComponent(sessionId)}/queue/${encodeURIComponent(messageId)}`, {}, undefined);
  }

  /** Change a message that waits. */
  postSessionsQueueByMessageId(sessionId: string, messageId: string, body: QueueChange): Promise<SessionQueue> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/queue/${encodeURIComponent(messageId)}`, {}, body);
  }

  /** Stop the running turn. */
  postSessionsInterrupt(sessionId: string, body: Interrupt): Promise<Interrupted> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/interrupt`, {}, body);
  }

  /** Add input to the running turn. */
  postSessionsTurnsSteer(sessionId: string, turnId: string, body: Steer): Promise<Steered> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/turns/${encodeURIComponent(turnId)}/steer`, {}, body);
  }

  /** Load a session so that it accepts messages. */
  postSessionsResume(sessionId: string, body: Resume): Promise<SessionAndThread> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/resume`, {}, body);
  }

  /** A new session that starts with this one's history. */
  postSessionsFork(sessionId: string, body: Fork): Promise<SessionAndThread> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/fork`, {}, body);
  }

  /** Summarize the history to free space in the context window. */
  postSessionsCompact(sessionId: string): Promise<SessionDone> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/compact`, {}, undefined);
  }

  /** Remove the last turns from the history, and on request restore the files that they changed. */
  postSessionsRollback(sessionId: string, body: Rollback): Promise<SessionAndThread> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/rollback`, {}, body);
  }

  /** End the commands that are still running in the background. */
  postSessionsBackgroundTerminalsClean(sessionId: string): Promise<SessionDone> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/background-terminals/clean`, {}, undefined);
  }

  /** Start a review of the changes. */
  postSessionsReview(sessionId: string, body: Review): Promise<ReviewStarted> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/review`, {}, body);
  }

  /** Set a session's title. */
  postSessionsRename(sessionId: string, body: Rename): Promise<SessionDone> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/rename`, {}, body);
  }

  /** Archive a session. */
  postSessionsArchive(sessionId: string): Promise<SessionDone> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/archive`, {}, undefined);
  }

  /** Restore an archived session. */
  postSessionsUnarchive(sessionId: string): Promise<SessionDone> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/unarchive`, {}, undefined);
  }

  /** Assign a session to a project, or to none. */
  postSessionsProject(sessionId: string, body: AssignProject): Promise<ProjectAssigned> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/project`, {}, body);
  }

  /** Model, approval policy, network and file access of a session and of new ones. */
  getSessionsSessionControls(sessionId: string): Promise<ControlsRead> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/session-controls`, {}, undefined);
  }

  /** Change them. */
  postSessionsSessionControls(sessionId: string, body: ControlsWrite): Promise<ControlsWritten> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/session-controls`, {}, body);
  }

  /** Free-form settings stored with a session. */
  getSessionsSettings(sessionId: string, query: { scope?: "session" | "default"; key?: string } = {}): Promise<SettingsRead> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/settings`, query, undefined);
  }

  /** Change them. */
  postSessionsSettings(sessionId: string, body: SettingsWrite): Promise<SettingsWritten> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/settings`, {}, body);
  }

  /** Remove one. */
  deleteSessionsSettingsByKey(sessionId: string, key: string, query: { scope?: "session" | "default"; actor?: string; source?: string } = {}): Promise<SettingsRemoved> {
    return this.#call("DELETE", `/api/sessions/${encodeURIComponent(sessionId)}/settings/${encodeURIComponent(key)}`, query, undefined);
  }

  /** Set the approval policy, from the next message on. */
  postSessionsApprovalPolicy(sessionId: string, body: PolicyWrite): Promise<PolicyWritten> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/approval-policy`, {}, body);
  }

  /** Add or replace a row of the side transcript. */
  postSessionsTranscriptUpsert(sessionId: string, body: TranscriptUpsert): Promise<TranscriptUpserted> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/transcript/upsert`, {}, body);
  }

  /** Find files of the session's folder by a few letters. */
  getSessionsFiles(sessionId: string, query: { query: string }): Promise<FilesFound> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/files`, query, undefined);
  }

  /** Make a read-only link to the session as it is now; whoever has the link needs no sign-in. */
  postSessionsShares(sessionId: string, body: ShareMake): Promise<ShareMade> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/shares`, {}, body);
  }

  /** The read-only links that still work. */
  getShares(): Promise<ShareList> {
    return this.#call("GET", "/api/shares", {}, undefined);
  }

  /** End a read-only link. */
  deleteSharesByShareId(shareId: string): Promise<ShareEnded> {
    return this.#call("DELETE", `/api/shares/${encodeURIComponent(shareId)}`, {}, undefined);
  }

  /** Open terminals. */
  getTerminals(): Promise<TerminalList> {
    return this.#call("GET", "/api/terminals", {}, undefined);
  }

  /** Close a terminal and end everything in it. */
  deleteTerminalsByTerminalId(terminalId: string): Promise<TerminalClosed> {
    return this.#call("DELETE", `/api/terminals/${encodeURIComponent(terminalId)}`, {}, undefined);
  }

  /** Commands that the agent left running. */
  getSessionsBackgroundTerminals(sessionId: string): Promise<BackgroundTerminalList> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/background-terminals`, {}, undefined);
  }

  /** End one of them. */
  deleteSessionsBackgroundTerminalsByProcessId(sessionId: string, processId: string): Promise<BackgroundTerminalEnded> {
    return this.#call("DELETE", `/api/sessions/${encodeURIComponent(sessionId)}/background-terminals/${encodeURIComponent(processId)}`, {}, undefined);
  }

  /** Open previews of local ports. */
  getPreviews(): Promise<PreviewList> {
    return this.#call("GET", "/api/previews", {}, undefined);
  }

  /** Make a local port visible to signed-in browsers, at an address of its own; `url` works once. */
  postPreviews(body: PreviewOpen): Promise<PreviewOpened> {
    return this.#call("POST", "/api/previews", {}, body);
  }

  /** Close a preview. */
  deletePreviewsByPreviewId(previewId: string): Promise<PreviewClosed> {
    return this.#call("DELETE", `/api/previews/${encodeURIComponent(previewId)}`, {}, undefined);
  }

  /** The goal that a session pursues over many turns. */
  getSessionsGoal(sessionId: string): Promise<SessionGoal> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/goal`, {}, undefined);
  }

  /** Set or change the goal; omitted fields stay, a budget of null removes it. */
  postSessionsGoal(sessionId: string, body: GoalChange): Promise<SessionGoal> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/goal`, {}, body);
  }

  /** Give the goal up; a turn that runs for it goes on to its end. */
  deleteSessionsGoal(sessionId: string): Promise<SessionGoal> {
    return this.#call("DELETE", `/api/sessions/${encodeURIComponent(sessionId)}/goal`, {}, undefined);
  }

  /** What a session has cost so far, in US dollars; null where a price is not known. */
  getSessionsCost(sessionId: string): Promise<SessionCost> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/cost`, {}, undefined);
  }

  /** Send a message that waits now: it starts a turn, or steers the running one. */
  postSessionsQueueSend(sessionId: string, messageId: string): Promise<QueuedSent> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/queue/${encodeURIComponent(messageId)}/send`, {}, undefined);
  }

  /** Put the messages that wait in this order; it names all of them. */
  postSessionsQueueOrder(sessionId: string, body: QueueOrder): Promise<SessionQueue> {
    return this.#call("POST", `/api/sessions/${encodeURIComponent(sessionId)}/queue-order`, {}, body);
  }

  /** All pending requests, across all sessions, oldest first. */
  getPending(): Promise<PendingList> {
    return this.#call("GET", "/api/pending", {}, undefined);
  }

  /** Pending approvals. */
  getSessionsApprovals(sessionId: string): Promise<PendingList> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/approvals`, {}, undefined);
  }

  /** Pending questions. */
  getSessionsToolInput(sessionId: string): Promise<PendingList> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/tool-input`, {}, undefined);
  }

  /** Pending calls of client tools. */
  getSessionsToolCalls(sessionId: string): Promise<PendingList> {
    return this.#call("GET", `/api/sessions/${encodeURIComponent(sessionId)}/tool-calls`, {}, undefined);
  }

  /** Decide an approval. */
  postApprovalsDecision(approvalId: string, body: ApprovalDecision): Promise<RequestAnswered> {
    return this.#call("POST", `/api/approvals/${encodeURIComponent(approvalId)}/decision`, {}, body);
  }

  /** Answer a question. */
  postToolInputDecision(requestId: string, body: ToolInputDecision): Promise<RequestAnswered> {
    return this.#call("POST", `/api/tool-input/${encodeURIComponent(requestId)}/decision`, {}, body);
  }

  /** Send a client tool's result. */
  postToolCallsResponse(requestId: string, body: ToolCallAnswer): Promise<RequestAnswered> {
    return this.#call("POST", `/api/tool-calls/${encodeURIComponent(requestId)}/response`, {}, body);
  }

  /** Keep a request that would time out pending until its turn ends. */
  postRequestsKeep(requestId: string): Promise<PendingRequest> {
    return this.#call("POST", `/api/requests/${encodeURIComponent(requestId)}/keep`, {}, undefined);
  }

  /** Answer any pending request with the protocol's own result or error. */
  postRequestsResponse(requestId: string, body: RequestAnswer): Promise<RequestAnswered> {
    return this.#call("POST", `/api/requests/${encodeURIComponent(requestId)}/response`, {}, body);
  }

  /**
   * Every frame of the websocket in order. After a disconnect it reconnects and continues after the last event received; a `resync` frame
   * means that some are lost and the sessions must be read again. Ends with the signal; throws ManagerError when the manager refuses.
   */
  async *events(options: EventOptions = {}): AsyncGenerator<StreamMessage, void, undefined> {
    const { threadId, signal } = options;
    let { since, bootId } = options;
    for (let failures = 0; signal?.aborted !== true; failures++) {
      if (failures > 0) await pause(Math.min(10_000, 200 * 2 ** failures), signal);
      const refused = await this.getAuthMe().then(() => undefined, (error: unknown) => error);
      if (refused instanceof ManagerError && refused.status < 500) throw refused;
      if (refused !== undefined) continue;
      const families = options.families?.join(",");
      for await (const message of this.#frames({ threadId, families, since, bootId }, signal)) {
        failures = 0;
        if ("bootId" in message) ({ seq: since, bootId } = message);
        yield message;
      }
    }
  }

  async *#frames(query: Query, signal: AbortSignal | undefined): AsyncGenerator<StreamMessage, void, undefined> {
    const url = new URL("/api/stream", this.#options.url);
    url.protocol = url.protocol.replace("http", "ws");
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers = { authorization: `Bearer ${this.#options.token}` };
    // The second parameter is Node's and Bun's; browsers can send no such header and need openSocket.
    const socket = this.#options.openSocket?.(url.href, headers) ?? new WebSocket(url.href, { headers } as never);
    const received: StreamMessage[] = [];
    let isOver = false;
    let wake = (): void => {};
    const end = (): void => {
      isOver = true;
      wake();
    };
    socket.addEventListener("message", ({ data }: { data: unknown }) => {
      received.push(JSON.parse(String(data)) as StreamMessage);
      wake();
    });
    socket.addEventListener("close", end);
    socket.addEventListener("error", end);
    signal?.addEventListener("abort", end, { once: true });
    try {
      while (!isOver || received.length > 0) {
        const next = received.shift();
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (signal?.aborted !== true) yield next;
      }
    } finally {
      signal?.removeEventListener("abort", end);
      socket.close();
    }
  }
}

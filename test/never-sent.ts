/** Values that the schemas name and that no scenario causes, by the reason why they are kept. For scenarios/what-was-sent.test.ts. */
export interface NeverSent {
  /** All but those with a test are in the schemas because Codex's are, and clients match on them. */
  readonly why: string;
  /** For values of our own: the test outside of the scenarios that causes them. */
  readonly heldBy?: string;
  readonly values: Readonly<Record<string, string>>;
}

export const neverSent: readonly NeverSent[] = [
  {
    why: "the vendor's service says it about its accounts and limits, which nothing here asks for",
    values: {
      RateLimitReachedType:
        "rate_limit_reached workspace_owner_credits_depleted workspace_member_credits_depleted workspace_owner_usage_limit_reached workspace_member_usage_limit_reached",
      AccountRoutingOverride: "NO_CONSTRAINT us us_cr",
      RateLimitResetType: "codexRateLimits unknown",
      RateLimitResetCreditStatus: "available redeeming redeemed unknown",
      AccountSessionWorkspaceKind: "personal workspace",
      GatewayOAuthStatus: "notReady started succeeded failed",
      UserVerificationUnavailableReason: "credentialMissing biometricsUnavailable",
      CyberAccessProgram: "standard daybreakBlue daybreakRed",
      DesktopOnboardingEntrypoint: "life_sciences",
      RemoteControlConnectionStatus: "connecting connected errored",
      "ImageGenerationFailure.type": "usageLimitExceeded",
      "McpServerElicitationRequestParams.mode": "openai/userVerification openai/form openaiForm",
    },
  },
  {
    why: "ways to sign in that only the vendor's own programs have; here they are refused, or there is no request for them",
    values: {
      AuthMode: "headers agentIdentity personalAccessToken bedrockAccessKeys",
      "Account.type": "gcp",
    },
  },
  {
    why: "the vendor's issuer hands out the code; an issuer in this test does",
    heldBy: "src/auth/accounts.test.ts",
    values: {
      "LoginAccountResponse.type": "chatgptDeviceCode",
    },
  },
  {
    why: "the vendor's directory of apps, shared plugins and scheduled tasks, and connectors of other agents' services, are not here",
    values: {
      PluginAvailability: "DISABLED_BY_ADMIN",
      PluginDisabledReason: "disabled_by_admin plan_not_eligible required_app_unavailable unknown",
      PluginInstallPolicySource: "WORKSPACE_SETTING IMPLICIT_CANONICAL_APP",
      PluginShareDiscoverability: "LISTED UNLISTED PRIVATE",
      PluginSharePrincipalType: "user group workspace",
      PluginSharePrincipalRole: "reader editor owner",
      AppTemplateUnavailableReason: "NOT_CONFIGURED_FOR_WORKSPACE NO_ACTIVE_WORKSPACE",
      "ScheduledTaskSchedule.type": "hourly daily weekdays weekly",
      ScheduledTaskWeekday: "MO TU WE TH FR SA SU",
      McpAppDisplayMode: "inline fullscreen",
      ExternalAgentConfigMigrationItemType: "MEMORY",
      ExternalAgentDetectedConnectorSource: "remoteMcpServersConfig sessionToolUse",
      ExternalAgentImportedConnectorSource: "remoteMcpServersConfig",
      "PluginSource.type": "remote",
    },
  },
  {
    why: "of Windows, of macOS and of devices that a vendor's service manages: there are no such settings on other machines",
    values: {
      WindowsSandboxReadiness: "ready updateRequired",
      HookSource: "mdm cloudRequirements cloudManagedConfig legacyManagedConfigMdm",
      "ConfigLayerSource.type": "mdm enterpriseManaged legacyManagedConfigTomlFromMdm",
    },
  },
  {
    why: "nothing of the kind exists here: no packaged defaults, no removed feature, no hook that is a prompt or an agent (a warning says so), no source without a name, no remote environment, no model that is given sound or has a mode of sub-agents",
    values: {
      "ConfigLayerSource.type": "packagedDefaults",
      HookSource: "unknown",
      ExperimentalFeatureStage: "removed",
      HookHandlerType: "prompt agent",
      "HookMetadata.handlerType": "prompt agent",
      EnvironmentStatusKind: "pending disconnected",
      InputModality: "audio",
      MultiAgentVersion: "disabled v1 v2",
      MultiAgentMode: "explicitRequestOnly proactive",
    },
  },
  {
    why: "hooks in the background are not announced, so that no client waits for their end",
    values: { HookExecutionMode: "async" },
  },
  {
    why: "the tool asks only for folders to write; clients may answer with the other forms, which are more than was asked for",
    values: {
      FileSystemAccessMode: "read deny",
      "FileSystemPath.type": "glob_pattern special",
      "FileSystemSpecialPath.kind": "root minimal project_roots tmpdir slash_tmp unknown",
    },
  },
  {
    why: "never asked about here: commands run in one way, their input and the programs that they start are theirs, and the proxy takes no UDP",
    values: {
      GuardianCommandSource: "shell",
      "GuardianApprovalReviewAction.type": "execve writeStdin",
      NetworkApprovalProtocol: "socks5Udp",
      CommandExecutionApprovalKind: "writeStdin",
    },
  },
  {
    why: "an MCP server is listed when it has started or failed, its sign-in is always known, and no start is cancelled",
    values: {
      McpAuthStatus: "unknown",
      McpServerStartupState: "cancelled",
      McpServerConnectionStatus: "notStarted starting cancelled",
      "v1.McpStartupStatus.state": "starting cancelled",
    },
  },
  {
    why: "a name of older clients, which is taken and told by its present name",
    values: {
      ModeKind: "code pair_programming execute custom",
    },
  },
  {
    why: "the older API's words for what the current one reports another way, or not at all",
    values: {
      "v1.CodexErrorInfo": "sandbox_error thread_rollback_failed",
      "v1.TurnAbortedEvent.reason": "replaced review_ended",
      "v1.TurnAbortReason": "replaced review_ended",
      "v1.ExecCommandSource": "unified_exec_interaction",
      "v1.AgentStatus": "pending_init not_found",
    },
  },
  {
    why: "a forge answers it; its answers are read in this test",
    heldBy: "src/workspace/forge.test.ts",
    values: {
      "GitPullRequest.state": "open draft merged closed",
      "GitPullRequest.checks": "none pending passed failed",
    },
  },
  {
    why: "the sandbox of the machine that the test runs on; the others are described in this test",
    heldBy: "src/exec/describe-sandbox.test.ts",
    values: {
      "SandboxReadResponse.engine": "namespaces seatbelt none",
    },
  },
  {
    why: "where no command can be confined, as in this test",
    heldBy: "src/exec/describe-sandbox.test.ts",
    values: {
      "SandboxReadResponse.standing": "refused",
    },
  },
  {
    why: "files that a command changed too much or made a link, as in this test",
    heldBy: "src/workspace/snapshots.test.ts",
    values: {
      "FileBefore.type": "notKept link",
    },
  },
];

/** A sub-agent's state at the moment of a call, and the machine's own: whether they are seen depends on the moment and the machine. */
export const maybeSent: readonly string[] = ["v1.AgentStatus", "SandboxReadResponse.engine", "SandboxReadResponse.standing"];

/** Values that the schemas name because Codex's do, and that nothing here leads to, by the reason for it. For scenarios/what-was-sent.test.ts. */
export const neverSent: readonly { readonly why: string; readonly values: Readonly<Record<string, string>> }[] = [
  {
    why: "the vendor's service says it about its accounts, plans and limits; an account of that kind is passed on as it is",
    values: {
      AuthMode: "agentIdentity personalAccessToken bedrockAccessKeys",
      PlanType:
        "free prolite promax team self_serve_business_prolite self_serve_business_usage_based business ent26 enterprise_cbp_automation enterprise_cbp_usage_based enterprise edu edu_plus edu_pro sci sci_plus",
      RateLimitReachedType:
        "rate_limit_reached workspace_owner_credits_depleted workspace_member_credits_depleted workspace_owner_usage_limit_reached workspace_member_usage_limit_reached",
      "Account.type": "gcp",
      AccountRoutingOverride: "NO_CONSTRAINT us us_cr",
      RateLimitResetType: "codexRateLimits",
      RateLimitResetCreditStatus: "redeeming redeemed",
      AccountSessionWorkspaceKind: "personal",
      GatewayOAuthStatus: "notReady succeeded",
      UserVerificationUnavailableReason: "credentialMissing biometricsUnavailable",
      CyberAccessProgram: "daybreakBlue daybreakRed",
      DesktopOnboardingEntrypoint: "life_sciences",
      RemoteControlConnectionStatus: "connecting",
      ResidencyRequirement: "us",
      CodexErrorInfo: "policyCapacityUnavailable misalignmentPolicyViolation",
    },
  },
  {
    why: "the vendor's directory of apps, plugins and scheduled tasks is not here",
    values: {
      PluginAvailability: "DISABLED_BY_ADMIN",
      PluginDisabledReason: "disabled_by_admin plan_not_eligible required_app_unavailable",
      PluginInstallPolicySource: "WORKSPACE_SETTING IMPLICIT_CANONICAL_APP",
      PluginShareDiscoverability: "LISTED UNLISTED PRIVATE",
      PluginSharePrincipalType: "group",
      PluginSharePrincipalRole: "editor",
      AppTemplateUnavailableReason: "NOT_CONFIGURED_FOR_WORKSPACE NO_ACTIVE_WORKSPACE",
      "ScheduledTaskSchedule.type": "hourly daily weekdays weekly",
      ScheduledTaskWeekday: "MO TU WE TH FR SA SU",
      McpAppDisplayMode: "fullscreen",
      ExternalAgentConfigMigrationItemType: "MEMORY",
      ExternalAgentDetectedConnectorSource: "remoteMcpServersConfig sessionToolUse",
      ExternalAgentImportedConnectorSource: "remoteMcpServersConfig",
    },
  },
  {
    why: "of Windows, macOS and managed devices, whose settings come another way",
    values: {
      WindowsSandboxReadiness: "updateRequired",
      WindowsSandboxImplementation: "elevated unelevated mxc",
      HookSource: "mdm cloudRequirements cloudManagedConfig legacyManagedConfigMdm",
      "ConfigLayerSource.type": "packagedDefaults mdm enterpriseManaged legacyManagedConfigTomlFromMdm",
    },
  },
  {
    why: "config/read returns it where the settings say so",
    values: { AutoCompactTokenLimitScope: "body_after_prefix", OtelExporter: "statsig" },
  },
  {
    why: "there is no such thing here: no datagrams for commands, no sound in tool results, no modes and budgets of agents",
    values: {
      NetworkApprovalProtocol: "socks5Udp",
      "FileSystemPath.type": "special",
      "DynamicToolCallOutputContentItem.type": "inputAudio",
      MultiAgentMode: "explicitRequestOnly proactive",
      MessagePhase: "partial_answer",
      CodexErrorInfo: "sessionBudgetExceeded tooManyDenials",
      CommandExecutionSource: "unifiedExecInteraction",
    },
  },
  {
    why: "the older API's own names for what it never told over this door",
    values: {
      "v1.CodexErrorInfo": "thread_rollback_failed",
      "v1.TurnAbortedEvent.reason": "review_ended",
      "v1.TurnAbortReason": "review_ended",
      "v1.ExecCommandSource": "unified_exec_startup unified_exec_interaction",
    },
  },
];

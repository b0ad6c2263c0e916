/** The current settings, as returned by `config/read`. Implemented in config/. */
import {
  array,
  boolean,
  type Infer,
  integer,
  literals,
  maybe,
  named,
  object,
  optional,
  record,
  string,
  union,
  unknown,
} from "../lib/schema.ts";
import { ApprovalsReviewer, AskForApproval, ReasoningEffort, ReasoningSummary, SandboxMode } from "./policy.ts";

export const Config = named("Config", () =>
  object({
    analytics: maybe(AnalyticsConfig()),
    approval_policy: maybe(AskForApproval()),
    approvals_reviewer: maybe(ApprovalsReviewer()),
    apps: maybe(AppsConfig()),
    browser_use: maybe(BrowserUseConfig()),
    compact_prompt: maybe(string()),
    computer_use: maybe(ComputerUseConfig()),
    desktop: maybe(record(unknown())),
    developer_instructions: maybe(string()),
    forced_chatgpt_workspace_id: maybe(ForcedChatgptWorkspaceIds()),
    forced_login_method: maybe(ForcedLoginMethod()),
    instructions: maybe(string()),
    model: maybe(string()),
    model_auto_compact_token_limit: maybe(integer()),
    model_auto_compact_token_limit_scope: maybe(AutoCompactTokenLimitScope()),
    model_context_window: maybe(integer()),
    model_provider: maybe(string()),
    model_reasoning_effort: maybe(ReasoningEffort()),
    model_reasoning_summary: maybe(ReasoningSummary()),
    model_verbosity: maybe(Verbosity()),
    review_model: maybe(string()),
    sandbox_mode: maybe(SandboxMode()),
    sandbox_workspace_write: maybe(SandboxWorkspaceWrite()),
    service_tier: maybe(string()),
    tools: maybe(ToolsV2()),
    web_search: maybe(WebSearchMode()),
  }),
);
export type Config = Infer<typeof Config>;

export const AnalyticsConfig = named("AnalyticsConfig", () => object({ enabled: maybe(boolean()) }));
export type AnalyticsConfig = Infer<typeof AnalyticsConfig>;

export const AppsConfig = named("AppsConfig", () => object({ _default: maybe(AppsDefaultConfig()) }));
export type AppsConfig = Infer<typeof AppsConfig>;

export const BrowserUseConfig = named("BrowserUseConfig", () =>
  object({
    allow_history_access: maybe(boolean()),
    default_origin_policy: maybe(BrowserUseOriginPolicyConfig()),
    origins: maybe(record(BrowserUseOriginPolicyConfig())),
  }),
);
export type BrowserUseConfig = Infer<typeof BrowserUseConfig>;

export const ComputerUseConfig = named("ComputerUseConfig", () =>
  object({
    default_app_access: maybe(AllowDenyRequirement()),
    macos: maybe(ComputerUseMacosConfig()),
    windows: maybe(ComputerUseWindowsConfig()),
  }),
);
export type ComputerUseConfig = Infer<typeof ComputerUseConfig>;

export const ForcedChatgptWorkspaceIds = named("ForcedChatgptWorkspaceIds", () => union([string(), array(string())]));
export type ForcedChatgptWorkspaceIds = Infer<typeof ForcedChatgptWorkspaceIds>;

export const ForcedLoginMethod = named("ForcedLoginMethod", () => literals("chatgpt", "api"));
export type ForcedLoginMethod = Infer<typeof ForcedLoginMethod>;

export const AutoCompactTokenLimitScope = named("AutoCompactTokenLimitScope", () => literals("total", "body_after_prefix"));
export type AutoCompactTokenLimitScope = Infer<typeof AutoCompactTokenLimitScope>;

export const Verbosity = named("Verbosity", () => literals("low", "medium", "high"));
export type Verbosity = Infer<typeof Verbosity>;

export const SandboxWorkspaceWrite = named("SandboxWorkspaceWrite", () =>
  object({
    exclude_slash_tmp: optional(boolean()),
    exclude_tmpdir_env_var: optional(boolean()),
    network_access: optional(boolean()),
    writable_roots: optional(array(string())),
  }),
);
export type SandboxWorkspaceWrite = Infer<typeof SandboxWorkspaceWrite>;

export const ToolsV2 = named("ToolsV2", () => object({ web_search: maybe(WebSearchToolConfig()) }));
export type ToolsV2 = Infer<typeof ToolsV2>;

export const WebSearchMode = named("WebSearchMode", () => literals("disabled", "cached", "indexed", "live"));
export type WebSearchMode = Infer<typeof WebSearchMode>;

export const AppsDefaultConfig = named("AppsDefaultConfig", () =>
  object({
    approvals_reviewer: maybe(ApprovalsReviewer()),
    default_tools_approval_mode: maybe(AppToolApproval()),
    destructive_enabled: optional(boolean()),
    enabled: optional(boolean()),
    open_world_enabled: optional(boolean()),
  }),
);
export type AppsDefaultConfig = Infer<typeof AppsDefaultConfig>;

export const BrowserUseOriginPolicyConfig = named("BrowserUseOriginPolicyConfig", () =>
  object({
    access: maybe(AllowDenyRequirement()),
    downloads: maybe(AllowDenyRequirement()),
    full_cdp_access: maybe(AllowDenyRequirement()),
    uploads: maybe(AllowDenyRequirement()),
  }),
);
export type BrowserUseOriginPolicyConfig = Infer<typeof BrowserUseOriginPolicyConfig>;

export const AllowDenyRequirement = named("AllowDenyRequirement", () => literals("allow", "deny"));
export type AllowDenyRequirement = Infer<typeof AllowDenyRequirement>;

export const ComputerUseMacosConfig = named("ComputerUseMacosConfig", () => object({ bundle_ids: maybe(record(AllowDenyRequirement())) }));
export type ComputerUseMacosConfig = Infer<typeof ComputerUseMacosConfig>;

export const ComputerUseWindowsConfig = named("ComputerUseWindowsConfig", () =>
  object({ aumids: maybe(record(AllowDenyRequirement())), exes: maybe(array(ComputerUseWindowsExeConfig())) }),
);
export type ComputerUseWindowsConfig = Infer<typeof ComputerUseWindowsConfig>;

export const WebSearchToolConfig = named("WebSearchToolConfig", () =>
  object({ allowed_domains: maybe(array(string())), context_size: maybe(WebSearchContextSize()), location: maybe(WebSearchLocation()) }),
);
export type WebSearchToolConfig = Infer<typeof WebSearchToolConfig>;

export const AppToolApproval = named("AppToolApproval", () => literals("auto", "prompt", "writes", "approve"));
export type AppToolApproval = Infer<typeof AppToolApproval>;

export const ComputerUseWindowsExeConfig = named("ComputerUseWindowsExeConfig", () =>
  object({ access: AllowDenyRequirement(), product_name: string(), publisher_name: string(), binary_name: maybe(string()) }),
);
export type ComputerUseWindowsExeConfig = Infer<typeof ComputerUseWindowsExeConfig>;

export const WebSearchContextSize = named("WebSearchContextSize", () => literals("low", "medium", "high"));
export type WebSearchContextSize = Infer<typeof WebSearchContextSize>;

export const WebSearchLocation = named("WebSearchLocation", () =>
  object({ city: maybe(string()), country: maybe(string()), region: maybe(string()), timezone: maybe(string()) }),
);
export type WebSearchLocation = Infer<typeof WebSearchLocation>;

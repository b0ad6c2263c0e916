// Generated from the method tables of Parley's app-server. Do not edit.

import type { AutoCompactTokenLimitScope } from "../AutoCompactTokenLimitScope";
import type { ForcedLoginMethod } from "../ForcedLoginMethod";
import type { ReasoningEffort } from "../ReasoningEffort";
import type { ReasoningSummary } from "../ReasoningSummary";
import type { Verbosity } from "../Verbosity";
import type { WebSearchMode } from "../WebSearchMode";
import type { JsonValue } from "../serde_json/JsonValue";
import type { AnalyticsConfig } from "./AnalyticsConfig";
import type { ApprovalsReviewer } from "./ApprovalsReviewer";
import type { AppsConfig } from "./AppsConfig";
import type { AskForApproval } from "./AskForApproval";
import type { BrowserUseConfig } from "./BrowserUseConfig";
import type { ComputerUseConfig } from "./ComputerUseConfig";
import type { ForcedChatgptWorkspaceIds } from "./ForcedChatgptWorkspaceIds";
import type { SandboxMode } from "./SandboxMode";
import type { SandboxWorkspaceWrite } from "./SandboxWorkspaceWrite";
import type { ToolsV2 } from "./ToolsV2";

export type Config = { analytics?: AnalyticsConfig | null, approval_policy?: AskForApproval | null, approvals_reviewer?: ApprovalsReviewer | null, apps?: AppsConfig | null, browser_use?: BrowserUseConfig | null, compact_prompt?: string | null, computer_use?: ComputerUseConfig | null, desktop?: { [key in string]?: JsonValue } | null, developer_instructions?: string | null, forced_chatgpt_workspace_id?: ForcedChatgptWorkspaceIds | null, forced_login_method?: ForcedLoginMethod | null, instructions?: string | null, model?: string | null, model_auto_compact_token_limit?: number | null, model_auto_compact_token_limit_scope?: AutoCompactTokenLimitScope | null, model_context_window?: number | null, model_provider?: string | null, model_reasoning_effort?: ReasoningEffort | null, model_reasoning_summary?: ReasoningSummary | null, model_verbosity?: Verbosity | null, review_model?: string | null, sandbox_mode?: SandboxMode | null, sandbox_workspace_write?: SandboxWorkspaceWrite | null, service_tier?: string | null, tools?: ToolsV2 | null, web_search?: WebSearchMode | null };

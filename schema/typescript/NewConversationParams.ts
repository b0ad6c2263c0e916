// Generated from the method tables of Parley's app-server. Do not edit.

import type { JsonValue } from "./serde_json/JsonValue";
import type { AskForApproval } from "./v2/AskForApproval";
import type { SandboxMode } from "./v2/SandboxMode";

export type NewConversationParams = { approvalPolicy?: AskForApproval | null, baseInstructions?: string | null, compactPrompt?: string | null, config?: { [key in string]?: JsonValue } | null, cwd?: string | null, developerInstructions?: string | null, includeApplyPatchTool?: boolean | null, includePlanTool?: boolean | null, model?: string | null, modelProvider?: string | null, profile?: string | null, sandbox?: SandboxMode | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "./ReasoningEffort";
import type { SandboxPolicy } from "./SandboxPolicy";
import type { ThreadId } from "./ThreadId";
import type { AskForApproval } from "./v2/AskForApproval";

export type SessionConfiguredEvent = { type: "session_configured", session_id: ThreadId, forked_from_id?: ThreadId | null, model: string, model_provider_id: string, approval_policy: AskForApproval, sandbox_policy: SandboxPolicy, cwd: string, reasoning_effort?: ReasoningEffort | null, history_log_id: number, history_entry_count: number, initial_messages?: Array<{ type: string }> | null, rollout_path?: string | null };

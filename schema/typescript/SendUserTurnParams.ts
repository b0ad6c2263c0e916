// Generated from the method tables of Parley's app-server. Do not edit.

import type { ReasoningEffort } from "./ReasoningEffort";
import type { ReasoningSummary } from "./ReasoningSummary";
import type { ThreadId } from "./ThreadId";
import type { JsonValue } from "./serde_json/JsonValue";
import type { AskForApproval } from "./v2/AskForApproval";
import type { SandboxPolicy } from "./v2/SandboxPolicy";
import type { UserInput } from "./v2/UserInput";

export type SendUserTurnParams = { conversationId: ThreadId, items: Array<UserInput>, cwd: string, approvalPolicy: AskForApproval, sandboxPolicy: SandboxPolicy, model: string, effort?: ReasoningEffort | null, summary: ReasoningSummary, outputSchema?: JsonValue };

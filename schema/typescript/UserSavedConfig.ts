// Generated from the method tables of Parley's app-server. Do not edit.

import type { ForcedLoginMethod } from "./ForcedLoginMethod";
import type { Profile } from "./Profile";
import type { ReasoningEffort } from "./ReasoningEffort";
import type { ReasoningSummary } from "./ReasoningSummary";
import type { SandboxSettings } from "./SandboxSettings";
import type { Tools } from "./Tools";
import type { Verbosity } from "./Verbosity";
import type { AskForApproval } from "./v2/AskForApproval";
import type { SandboxMode } from "./v2/SandboxMode";

export type UserSavedConfig = { approvalPolicy?: AskForApproval | null, sandboxMode?: SandboxMode | null, sandboxSettings?: SandboxSettings | null, forcedChatgptWorkspaceId?: string | null, forcedLoginMethod?: ForcedLoginMethod | null, model?: string | null, modelReasoningEffort?: ReasoningEffort | null, modelReasoningSummary?: ReasoningSummary | null, modelVerbosity?: Verbosity | null, tools?: Tools | null, profile?: string | null, profiles: { [key in string]?: Profile } };

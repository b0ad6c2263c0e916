// Generated from the method tables of Parley's app-server. Do not edit.

import type { ConfiguredHookMatcherGroup } from "./ConfiguredHookMatcherGroup";

export type ManagedHooksRequirements = { PermissionRequest: Array<ConfiguredHookMatcherGroup>, PostCompact: Array<ConfiguredHookMatcherGroup>, PostToolUse: Array<ConfiguredHookMatcherGroup>, PreCompact: Array<ConfiguredHookMatcherGroup>, PreToolUse: Array<ConfiguredHookMatcherGroup>, SessionStart: Array<ConfiguredHookMatcherGroup>, Stop: Array<ConfiguredHookMatcherGroup>, SubagentStart: Array<ConfiguredHookMatcherGroup>, SubagentStop: Array<ConfiguredHookMatcherGroup>, UserPromptSubmit: Array<ConfiguredHookMatcherGroup>, Interrupt?: Array<ConfiguredHookMatcherGroup>, PostModelRequest?: Array<ConfiguredHookMatcherGroup>, PreModelRequest?: Array<ConfiguredHookMatcherGroup>, SessionEnd?: Array<ConfiguredHookMatcherGroup>, managedDir?: string | null, windowsManagedDir?: string | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { AbsolutePathBuf } from "../AbsolutePathBuf";
import type { AppSummary } from "./AppSummary";
import type { AppTemplateSummary } from "./AppTemplateSummary";
import type { PluginHookSummary } from "./PluginHookSummary";
import type { PluginSummary } from "./PluginSummary";
import type { ScheduledTaskSummary } from "./ScheduledTaskSummary";
import type { SkillSummary } from "./SkillSummary";

export type PluginDetail = { appTemplates: Array<AppTemplateSummary>, apps: Array<AppSummary>, hooks: Array<PluginHookSummary>, marketplaceName: string, mcpServers: Array<string>, skills: Array<SkillSummary>, summary: PluginSummary, description?: string | null, marketplacePath?: AbsolutePathBuf | null, onboardingSkill?: SkillSummary | null, scheduledTasks?: Array<ScheduledTaskSummary> | null, shareUrl?: string | null };

// Generated from the method tables of Parley's app-server. Do not edit.

import type { CommandMigration } from "./CommandMigration";
import type { HookMigration } from "./HookMigration";
import type { McpServerMigration } from "./McpServerMigration";
import type { PluginsMigration } from "./PluginsMigration";
import type { SessionMigration } from "./SessionMigration";
import type { SkillMigration } from "./SkillMigration";
import type { SubagentMigration } from "./SubagentMigration";

export type MigrationDetails = { commands?: Array<CommandMigration>, hooks?: Array<HookMigration>, mcpServers?: Array<McpServerMigration>, memory?: Array<string>, plugins?: Array<PluginsMigration>, sessions?: Array<SessionMigration>, skills?: Array<SkillMigration>, subagents?: Array<SubagentMigration> };

/** Moving in from another agent: what it has, importing it, and what was imported. Implemented in server/external-agent.ts. */
import { array, boolean, type Infer, integer, literals, maybe, named, natural, object, optional, string } from "../lib/schema.ts";
import { byConfig, Empty, notification, request } from "./define.ts";
import { invalidParams } from "./errors.ts";
import { limitPath } from "./limits.ts";

export const ExternalAgentConfigMigrationItemType = named("ExternalAgentConfigMigrationItemType", () =>
  literals("AGENTS_MD", "CONFIG", "SKILLS", "PLUGINS", "MCP_SERVER_CONFIG", "SUBAGENTS", "HOOKS", "COMMANDS", "MEMORY", "SESSIONS"),
);
export type ExternalAgentConfigMigrationItemType = Infer<typeof ExternalAgentConfigMigrationItemType>;

export const PluginsMigration = named("PluginsMigration", () => object({ marketplaceName: string(), pluginNames: array(string()) }));
export const SkillMigration = named("SkillMigration", () => object({ name: string() }));
export const SessionMigration = named("SessionMigration", () => object({ cwd: string(), path: string(), title: maybe(string()) }));
export const McpServerMigration = named("McpServerMigration", () => object({ name: string() }));
export const HookMigration = named("HookMigration", () => object({ name: string() }));
export const SubagentMigration = named("SubagentMigration", () => object({ name: string() }));
export const CommandMigration = named("CommandMigration", () => object({ name: string() }));

export const MigrationDetails = named("MigrationDetails", () =>
  object({
    commands: optional(array(CommandMigration())),
    hooks: optional(array(HookMigration())),
    mcpServers: optional(array(McpServerMigration())),
    memory: optional(array(string())),
    plugins: optional(array(PluginsMigration())),
    sessions: optional(array(SessionMigration())),
    skills: optional(array(SkillMigration())),
    subagents: optional(array(SubagentMigration())),
  }),
);
export type MigrationDetails = Infer<typeof MigrationDetails>;

export const ExternalAgentConfigMigrationItem = named("ExternalAgentConfigMigrationItem", () =>
  object({
    itemType: ExternalAgentConfigMigrationItemType(),
    description: string(),
    cwd: maybe(string()),
    details: maybe(MigrationDetails()),
  }),
);
export type ExternalAgentConfigMigrationItem = Infer<typeof ExternalAgentConfigMigrationItem>;

export const ExternalAgentDetectedConnectorSource = named("ExternalAgentDetectedConnectorSource", () =>
  literals("remoteMcpServersConfig", "sessionToolUse"),
);
export const ExternalAgentDetectedConnectorCandidate = named("ExternalAgentDetectedConnectorCandidate", () =>
  object({ name: string(), sessionCount: natural(), source: ExternalAgentDetectedConnectorSource() }),
);
export const ExternalAgentImportedConnectorSource = named("ExternalAgentImportedConnectorSource", () => literals("remoteMcpServersConfig"));
export const ExternalAgentImportedConnectorCandidate = named("ExternalAgentImportedConnectorCandidate", () =>
  object({ name: string(), sessionCount: natural(), source: ExternalAgentImportedConnectorSource() }),
);

export const ExternalAgentConfigDetectParams = named("ExternalAgentConfigDetectParams", () =>
  object({
    cwds: maybe(array(string())),
    includeHome: optional(boolean()),
    maxSessionAgeDays: maybe(natural()),
    maxSessions: maybe(natural()),
    migrationSource: maybe(string()),
    source: maybe(string()),
  }),
);
export type ExternalAgentConfigDetectParams = Infer<typeof ExternalAgentConfigDetectParams>;

export const ExternalAgentConfigDetectResponse = named("ExternalAgentConfigDetectResponse", () =>
  object({ items: array(ExternalAgentConfigMigrationItem()), connectors: optional(array(ExternalAgentDetectedConnectorCandidate())) }),
);

export const ExternalAgentConfigImportParams = named("ExternalAgentConfigImportParams", () =>
  object({
    migrationItems: array(ExternalAgentConfigMigrationItem()),
    migrationSource: maybe(string()),
    providerId: maybe(string()),
    source: maybe(string()),
  }),
);
export type ExternalAgentConfigImportParams = Infer<typeof ExternalAgentConfigImportParams>;

export const ExternalAgentConfigImportResponse = named("ExternalAgentConfigImportResponse", () => object({ importId: string() }));

export const ExternalAgentConfigImportItemTypeFailure = named("ExternalAgentConfigImportItemTypeFailure", () =>
  object({
    itemType: ExternalAgentConfigMigrationItemType(),
    failureStage: string(),
    message: string(),
    errorType: maybe(string()),
    subErrorType: maybe(string()),
    cwd: maybe(string()),
    source: maybe(string()),
  }),
);
export type ExternalAgentConfigImportItemTypeFailure = Infer<typeof ExternalAgentConfigImportItemTypeFailure>;

export const ExternalAgentConfigImportItemTypeSuccess = named("ExternalAgentConfigImportItemTypeSuccess", () =>
  object({
    itemType: ExternalAgentConfigMigrationItemType(),
    cwd: maybe(string()),
    source: maybe(string()),
    target: maybe(string()),
    title: maybe(string()),
  }),
);
export type ExternalAgentConfigImportItemTypeSuccess = Infer<typeof ExternalAgentConfigImportItemTypeSuccess>;

export const ExternalAgentConfigImportTypeResult = named("ExternalAgentConfigImportTypeResult", () =>
  object({
    itemType: ExternalAgentConfigMigrationItemType(),
    successes: array(ExternalAgentConfigImportItemTypeSuccess()),
    failures: array(ExternalAgentConfigImportItemTypeFailure()),
  }),
);
export type ExternalAgentConfigImportTypeResult = Infer<typeof ExternalAgentConfigImportTypeResult>;

export const ExternalAgentConfigImportHistoryRecordSuccessParams = named("ExternalAgentConfigImportHistoryRecordSuccessParams", () =>
  object({
    itemType: ExternalAgentConfigMigrationItemType(),
    cwd: maybe(string()),
    source: maybe(string()),
    target: maybe(string()),
    title: maybe(string()),
  }),
);
export const ExternalAgentConfigImportHistoryRecordTypeResultParams = named("ExternalAgentConfigImportHistoryRecordTypeResultParams", () =>
  object({
    itemType: ExternalAgentConfigMigrationItemType(),
    successes: array(ExternalAgentConfigImportHistoryRecordSuccessParams()),
    failures: array(ExternalAgentConfigImportItemTypeFailure()),
  }),
);
export const ExternalAgentConfigImportHistoryRecordParams = named("ExternalAgentConfigImportHistoryRecordParams", () =>
  object({ itemTypeResults: array(ExternalAgentConfigImportHistoryRecordTypeResultParams()), providerId: string() }),
);
export type ExternalAgentConfigImportHistoryRecordParams = Infer<typeof ExternalAgentConfigImportHistoryRecordParams>;
export const ExternalAgentConfigImportHistoryRecordResponse = named("ExternalAgentConfigImportHistoryRecordResponse", () =>
  object({ importId: string() }),
);

export const ExternalAgentConfigImportHistory = named("ExternalAgentConfigImportHistory", () =>
  object({
    importId: string(),
    completedAtMs: integer(),
    providerId: maybe(string()),
    successes: array(ExternalAgentConfigImportItemTypeSuccess()),
    failures: array(ExternalAgentConfigImportItemTypeFailure()),
  }),
);
export type ExternalAgentConfigImportHistory = Infer<typeof ExternalAgentConfigImportHistory>;
export const ExternalAgentConfigImportHistoriesReadResponse = named("ExternalAgentConfigImportHistoriesReadResponse", () =>
  object({ data: array(ExternalAgentConfigImportHistory()), connectors: array(ExternalAgentImportedConnectorCandidate()) }),
);

export const ExternalAgentConfigImportProgressNotification = named("ExternalAgentConfigImportProgressNotification", () =>
  object({ importId: string(), itemTypeResults: array(ExternalAgentConfigImportTypeResult()) }),
);
export const ExternalAgentConfigImportCompletedNotification = named("ExternalAgentConfigImportCompletedNotification", () =>
  object({ importId: string(), itemTypeResults: array(ExternalAgentConfigImportTypeResult()) }),
);

export const externalAgentRequests = {
  /** Lists what another agent on this machine has that can be imported. */
  "externalAgentConfig/detect": request({
    params: ExternalAgentConfigDetectParams,
    result: ExternalAgentConfigDetectResponse,
    limits({ cwds, migrationSource }) {
      if ((cwds?.length ?? 0) > maxFolders) throw invalidParams(`cwds takes at most ${maxFolders} folders`);
      for (const cwd of cwds ?? []) limitPath("cwds", cwd);
      limitSource(migrationSource);
    },
  }),
  /** Imports the items; nothing that exists is overwritten. Notifications report each item and the end. */
  "externalAgentConfig/import": request({
    params: ExternalAgentConfigImportParams,
    result: ExternalAgentConfigImportResponse,
    order: byConfig,
    limits({ migrationItems, migrationSource }) {
      if (migrationItems.length > maxItems) throw invalidParams(`migrationItems takes at most ${maxItems} items`);
      for (const { cwd } of migrationItems) limitPath("cwd", cwd ?? "");
      limitSource(migrationSource);
    },
  }),
  /** Adds an import that the client has done itself to the list of imports. */
  "externalAgentConfig/import/recordHistory": request({
    params: ExternalAgentConfigImportHistoryRecordParams,
    result: ExternalAgentConfigImportHistoryRecordResponse,
    order: byConfig,
    limits({ itemTypeResults }) {
      if (JSON.stringify(itemTypeResults).length > maxHistory)
        throw invalidParams(`itemTypeResults takes at most ${maxHistory} characters`);
    },
  }),
  /** Lists the imports of this home, the newest first. */
  "externalAgentConfig/import/readHistories": request({ params: Empty, result: ExternalAgentConfigImportHistoriesReadResponse }),
};

export const externalAgentNotifications = {
  /** One item of an import is done. */
  "externalAgentConfig/import/progress": notification(ExternalAgentConfigImportProgressNotification),
  /** An import has ended. */
  "externalAgentConfig/import/completed": notification(ExternalAgentConfigImportCompletedNotification),
};

const maxFolders = 100;
const maxItems = 200;
const maxHistory = 100_000;

/** Codex takes every other value for the agent whose files it reads by default. */
function limitSource(source: string | null | undefined): void {
  if (source?.toLowerCase() === "cursor")
    throw invalidParams("migrationSource: nothing is imported from Cursor; leave it out for Claude Code");
}

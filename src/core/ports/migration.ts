/** Moving in from another agent, as the server needs it. Implemented in src/migration. */
import type {
  ExternalAgentConfigImportHistory,
  ExternalAgentConfigImportTypeResult,
  ExternalAgentConfigMigrationItem,
} from "../../protocol/external-agent.ts";

export interface WantedItems {
  readonly home: boolean;
  readonly cwds: readonly string[];
  readonly sessions?: SessionLimits;
}
/** Fewer sessions than those that are imported at most. */
export interface SessionLimits {
  readonly max?: number | undefined;
  readonly maxAgeDays?: number | undefined;
}

export interface Migration {
  /** What can be imported for the user (`home`) and for the projects of these folders. Never throws: what cannot be read is left out. */
  detect(wanted: WantedItems): Promise<readonly ExternalAgentConfigMigrationItem[]>;
  /** Imports one item. Contract: nothing that exists is overwritten, and nothing that is imported runs before the user has trusted it. */
  importItem(item: ExternalAgentConfigMigrationItem): Promise<ExternalAgentConfigImportTypeResult>;
  /** Keeps what was imported; the oldest are forgotten. */
  record(history: ExternalAgentConfigImportHistory): void;
  /** The newest first. */
  histories(): readonly ExternalAgentConfigImportHistory[];
}

/** Moving in from another agent, as the server needs it. Implemented in src/migration. */
import type {
  ExternalAgentConfigImportHistory,
  ExternalAgentConfigImportTypeResult,
  ExternalAgentConfigMigrationItem,
} from "../../protocol/external-agent.ts";

export interface Migration {
  /** What can be imported for the user (`home`) and for the projects of these folders. Never throws: what cannot be read is left out. */
  detect(wanted: { readonly home: boolean; readonly cwds: readonly string[] }): Promise<readonly ExternalAgentConfigMigrationItem[]>;
  /** Imports one item. Contract: nothing that exists is overwritten, and nothing that is imported runs before the user has trusted it. */
  importItem(item: ExternalAgentConfigMigrationItem): Promise<ExternalAgentConfigImportTypeResult>;
  /** Keeps what was imported; the oldest are forgotten. */
  record(history: ExternalAgentConfigImportHistory): void;
  /** The newest first. */
  histories(): readonly ExternalAgentConfigImportHistory[];
}

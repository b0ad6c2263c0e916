/** Moving in from another agent: what its parts need of this process. */
import type { ConfigStore } from "../core/ports/config.ts";
import type { CorePorts } from "../core/ports/core-ports.ts";
import type { Migration } from "../core/ports/migration.ts";
import { createMigration, type MigrationOptions } from "../migration/migration.ts";

interface Parts extends Pick<MigrationOptions, "codexHome" | "userHome" | "plugins"> {
  readonly config: Pick<ConfigStore, "read" | "write">;
  readonly ports: Pick<CorePorts, "store" | "clock" | "ids" | "version">;
}

export function openMigration({ config, ports, ...parts }: Parts): Migration {
  const { store, clock, ids, version } = ports;
  return createMigration({
    ...{ ...parts, config },
    sessions: {
      ...{ store, now: () => clock.now(), newId: () => ids.thread() },
      meta: () => ({
        ...{ cliVersion: version, originator: "parley_import", source: "cli" },
        // As the settings name it: the tour that plays without a model must not stay with the thread.
        modelProvider: String(config.read(undefined).config.model_provider ?? "openai"),
      }),
    },
  });
}

/** `externalAgentConfig/*`: moving in from another agent. */
import { errorMessage } from "../lib/error-text.ts";
import type {
  ExternalAgentConfigImportTypeResult,
  ExternalAgentConfigMigrationItem,
  externalAgentRequests,
} from "../protocol/external-agent.ts";
import type { App, HandlersFor } from "./app.ts";

export const externalAgentHandlers: HandlersFor<typeof externalAgentRequests> = {
  async "externalAgentConfig/detect"({ includeHome, cwds, maxSessions, maxSessionAgeDays }, { app }) {
    const sessions = { max: maxSessions ?? undefined, maxAgeDays: maxSessionAgeDays ?? undefined };
    return { items: [...(await app.migration.detect({ home: includeHome === true, cwds: cwds ?? [], sessions }))], connectors: [] };
  },
  async "externalAgentConfig/import"({ migrationItems, providerId }, { app, after }) {
    const importId = app.ids.thread();
    after(() => {
      importAll(app, { importId, providerId: providerId ?? null, items: migrationItems }).catch((error: unknown) =>
        app.log.error(`an import failed: ${errorMessage(error)}`),
      );
    });
    return { importId };
  },
  async "externalAgentConfig/import/recordHistory"({ providerId, itemTypeResults }, { app }) {
    const importId = app.ids.thread();
    app.migration.record({ importId, providerId, completedAtMs: app.clock.now(), ...sumOf(itemTypeResults) });
    return { importId };
  },
  async "externalAgentConfig/import/readHistories"(_params, { app }) {
    return { data: [...app.migration.histories()], connectors: [] };
  },
};

interface Wanted {
  readonly importId: string;
  readonly providerId: string | null;
  readonly items: readonly ExternalAgentConfigMigrationItem[];
}

/** One item after another; a failure of one stops none of the others. */
async function importAll(app: App, { importId, providerId, items }: Wanted): Promise<void> {
  const results: ExternalAgentConfigImportTypeResult[] = [];
  for (const item of items) {
    const result = await app.migration.importItem(item);
    results.push(result);
    app.subscriptions.toAll("externalAgentConfig/import/progress", { importId, itemTypeResults: [result] });
  }
  try {
    app.migration.record({ importId, providerId, completedAtMs: app.clock.now(), ...sumOf(results) });
  } finally {
    app.subscriptions.toAll("externalAgentConfig/import/completed", { importId, itemTypeResults: results });
  }
}

const sumOf = (
  results: readonly ExternalAgentConfigImportTypeResult[],
): Pick<ExternalAgentConfigImportTypeResult, "successes" | "failures"> => ({
  successes: results.flatMap(({ successes }) => successes),
  failures: results.flatMap(({ failures }) => failures),
});

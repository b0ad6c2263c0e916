/** `config/*`, `configRequirements/read`, `experimentalFeature/*` and `permissionProfile/list`. */
import type { configRequests } from "../protocol/config.ts";
import { invalidRequest, RpcError } from "../protocol/errors.ts";
import type { App, HandlersFor, Session } from "./app.ts";
import { page } from "./page.ts";

export const configHandlers: HandlersFor<typeof configRequests> = {
  "config/read"({ cwd, includeLayers }, { app }) {
    const { config, origins, layers } = app.config.read(cwd ?? undefined);
    return includeLayers === true ? { config, origins, layers } : { config, origins };
  },
  "config/value/write"({ keyPath, value, mergeStrategy, expectedVersion, filePath }, { app, session }) {
    refuseProfiles([{ keyPath }], session);
    return app.config.write([{ keyPath, value, mergeStrategy }], {
      expectedVersion: expectedVersion ?? undefined,
      filePath: filePath ?? undefined,
    });
  },
  "config/batchWrite"({ edits, expectedVersion, filePath }, { app, session }) {
    refuseProfiles(edits, session);
    return app.config.write(edits, { expectedVersion: expectedVersion ?? undefined, filePath: filePath ?? undefined });
  },
  "configRequirements/read"(_params, { app }) {
    return { requirements: app.config.requirements(), supportsIndependentSpeedModes: false };
  },
  async "config/mcpServer/reload"(_params, { app }) {
    await app.mcp.reload();
    return {};
  },
  "experimentalFeature/list"({ cursor, limit, threadId }, { app }) {
    return page(app.config.features(threadId ? app.threads.require(threadId).settings.cwd : undefined), cursor, limit);
  },
  "experimentalFeature/enablement/set"({ enablement }, { app, session, after }) {
    const known = app.config.setFeatures(enablement);
    const without = Object.keys(enablement).filter((name) => !Object.hasOwn(known, name));
    const message = `experimentalFeature/enablement/set: no effect here, since there are no such features: ${without.join(", ")}`;
    if (without.length > 0) after(() => session.notify("warning", { threadId: null, message }));
    return { enablement: known };
  },
  "permissionProfile/list"({ cursor, limit, cwd }, { app }) {
    return page(app.config.permissionProfiles(cwd ?? undefined), cursor, limit);
  },
};

/** Current Codex versions no longer read profiles in config.toml, so their clients would write settings that have no effect there. */
function refuseProfiles(edits: readonly { readonly keyPath: string }[], { dialect }: Session): void {
  if (dialect !== "0.166") return;
  for (const { keyPath } of edits) {
    const key = /^\s*"?(profiles?)"?\s*(?:\.|$)/.exec(keyPath)?.[1];
    if (key === undefined) continue;
    const what = key === "profile" ? "is a legacy config selector" : "contains legacy config profile tables";
    throw invalidRequest(`\`${key}\` ${what} and can no longer be written; use \`--profile <name>\` with \`<name>.config.toml\` instead`, {
      config_write_error_code: "configValidationError",
    });
  }
}

/** Notifies a newly initialized client of problems in the settings, and if a project's own settings are disabled. */
export function announceConfigWarnings(app: App, session: Session): void {
  try {
    for (const summary of app.config.effective(process.cwd()).warnings) session.notify("configWarning", { summary, details: null });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    session.notify("configWarning", { summary: error.message, details: null });
  }
}

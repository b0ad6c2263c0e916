/** Truthful answers about services and platforms that this server has nothing to do with. */
import { hostname } from "node:os";
import path from "node:path";
import { readBoundedTextSync } from "../lib/bounded-read.ts";
import type { RemoteControlStatusReadResponse, vendorServiceRequests } from "../protocol/vendor-service.ts";
import type { App, HandlersFor } from "./app.ts";

export const vendorServiceHandlers: HandlersFor<typeof vendorServiceRequests> = {
  "app/installed": () => ({ apps: [] }),
  "app/read": ({ appIds }) => ({ apps: [], missingAppIds: [...new Set(appIds)] }),
  "accountSession/list": () => ({ activeSessionId: null, sessions: [] }),
  "account/gatewayOAuth/read"(_params, { app }) {
    const { modelProvider: providerId, providers } = app.config.effective(process.cwd());
    return { providerId, providerName: providers[providerId]?.name ?? providerId, required: false, status: null, error: null };
  },
  "account/gatewayOAuth/cancel": () => ({}),
  "remoteControl/status/read": (_params, { app }) => noRelay(app),
  "remoteControl/disable": (_params, { app }) => noRelay(app),
  "userVerification/status": () => ({
    credentialId: null,
    unavailableReason: "providerUnavailable",
    unavailableMessage: "User verification is not available in this build or account.",
  }),
  "userVerification/cancel": () => ({}),
  "mcpServer/event/stream/stop": () => ({}),
  "windowsSandbox/readiness": () => ({ status: "notConfigured" }),
  "windowsSandbox/setupStart"({ mode }, { session, after }) {
    const error = process.platform === "win32" ? noneForWindows : "legacy Windows sandbox setup is only supported on Windows";
    after(() => session.notify("windowsSandbox/setupCompleted", { mode, success: false, error }));
    return { started: true };
  },
};

const noneForWindows = "Parley has no sandbox for Windows; use WSL, or run commands with full access";

const noRelay = ({ codexHome }: App): RemoteControlStatusReadResponse => ({
  status: "disabled",
  serverName: hostname(),
  installationId: installationId(codexHome),
  environmentId: null,
});

/** The id that Codex gave this home; empty where Codex was never started. */
function installationId(codexHome: string): string {
  try {
    return readBoundedTextSync(path.join(codexHome, "installation_id"), 1024).trim();
  } catch {
    return "";
  }
}

/** `initialize`: who the client is and which generation it speaks. */
import { visibleLine } from "../lib/visible-text.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { InitializeParams, initializeRequests } from "../protocol/initialize.ts";
import type { App, Dialect, HandlersFor, Session } from "./app.ts";
import { announceConfigWarnings } from "./config.ts";

export const initializeHandlers: HandlersFor<typeof initializeRequests> = {
  initialize(params, { app, session, after }) {
    if (session.initialized) throw invalidRequest("Already initialized");
    const { clientInfo, capabilities } = params;
    session.client = { name: cleaned(clientInfo.name), title: titleOf(clientInfo.title), version: cleaned(clientInfo.version) };
    session.dialect = dialectOf(capabilities, app.compat);
    session.experimental = capabilities?.experimentalApi === true;
    session.optOut = new Set(capabilities?.optOutNotificationMethods ?? []);
    session.initialized = true;
    after(() => announceConfigWarnings(app, session));
    return {
      userAgent: userAgent(app, session),
      codexHome: app.codexHome,
      platformFamily: process.platform === "win32" ? "windows" : "unix",
      platformOs: process.platform === "darwin" ? "macos" : process.platform === "win32" ? "windows" : process.platform,
    };
  },
};

const dialects: readonly Dialect[] = ["seed-000", "0.92", "0.166"];

/** Today's clients send more than `experimentalApi`; the documents' clients send nothing else (CONFLICTS §0.2). */
function dialectOf(capabilities: InitializeParams["capabilities"], compat: Dialect | undefined): Dialect {
  const chosen = (capabilities?.extensions as { parley?: { dialect?: unknown } } | null | undefined)?.parley?.dialect;
  const own = dialects.find((d) => d === chosen);
  if (chosen !== undefined && own === undefined)
    throw invalidRequest(`Invalid request: capabilities.extensions.parley.dialect must be one of ${dialects.join(", ")}`);
  if (own !== undefined) return own;
  if (compat !== undefined) return compat;
  return Object.keys(capabilities ?? {}).some((key) => key !== "experimentalApi") ? "0.166" : "0.92";
}

/** A title is for people: any script, but one line without anything that hides or steers a terminal. */
function titleOf(title: string | null | undefined): string | null {
  return visibleLine(title ?? "", 100) || null;
}

/** A name goes into headers and log lines: printable ASCII only, and not endless. */
export function cleaned(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "_").slice(0, 100);
}

/** The protocol version that clients of each generation look for in the user agent. */
const speaks: Readonly<Record<Dialect, string>> = { "seed-000": "0.98.0", "0.92": "0.98.0", "0.166": "0.166.0" };

/** `<client>/<protocol version> (<system>) <terminal> (<client>; <its version>)`, then our own name: also sent upstream. */
export function userAgent(app: App, session: Pick<Session, "client" | "dialect">): string {
  const { name, version } = session.client;
  const terminal = cleaned(process.env["TERM_PROGRAM"] ?? "unknown");
  return `${name}/${speaks[session.dialect]} (${app.system}) ${terminal} (${name}; ${version}) parley/${app.version}`;
}

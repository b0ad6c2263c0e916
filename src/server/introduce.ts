/** What a client that introduces itself is taken for, and what it is told. Serves `initialize`, and the door that answers it before the rest is loaded. */
import { terminalName } from "../lib/terminal-name.ts";
import { visibleLine } from "../lib/visible-text.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { InitializeParams, InitializeResponse } from "../protocol/initialize.ts";
import type { App, Dialect, Session } from "./app.ts";

/** What of the app goes into the answer. */
export type About = Pick<App, "version" | "codexHome" | "system" | "compat">;
/** What a session knows of its client from then on. */
export type Introduction = Pick<Session, "client" | "dialect" | "experimental" | "optOut">;

/** Throws invalidRequest for a dialect that nobody speaks. */
export function introduce(
  params: InitializeParams,
  about: About,
): { readonly introduction: Introduction; readonly answer: InitializeResponse } {
  const { clientInfo, capabilities } = params;
  const introduction = {
    client: { name: cleaned(clientInfo.name), title: titleOf(clientInfo.title), version: cleaned(clientInfo.version) },
    dialect: dialectOf(capabilities, about.compat),
    experimental: capabilities?.experimentalApi === true,
    optOut: new Set(capabilities?.optOutNotificationMethods ?? []),
  };
  const answer = {
    userAgent: userAgent(about, introduction),
    codexHome: about.codexHome,
    platformFamily: process.platform === "win32" ? "windows" : "unix",
    platformOs: process.platform === "darwin" ? "macos" : process.platform === "win32" ? "windows" : process.platform,
  };
  return { introduction, answer };
}

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
export function userAgent(about: Pick<About, "system" | "version">, session: Pick<Session, "client" | "dialect">): string {
  const { name, version } = session.client;
  const terminal = terminalName(process.env);
  return `${name}/${speaks[session.dialect]} (${about.system}) ${terminal} (${name}; ${version}) parley/${about.version}`;
}

/** Classifies a client by its `initialize` params and creates the response. Used by `initialize`, and by the fast start-up path that answers it before the rest is loaded. */
import { terminalName } from "../lib/terminal-name.ts";
import { visibleLine } from "../lib/visible-text.ts";
import { codexVersion } from "../protocol/codex-version.ts";
import { invalidRequest } from "../protocol/errors.ts";
import type { InitializeParams, InitializeResponse } from "../protocol/initialize.ts";
import type { App, Dialect, Session } from "./app.ts";

/** The parts of the app that the response contains. */
export type About = Pick<App, "version" | "codexHome" | "system" | "compat">;
/** What a session knows about its client from then on. */
export type Introduction = Pick<Session, "client" | "originator" | "userAgent" | "dialect" | "experimental" | "optOut" | "terminals">;

/** Throws invalidRequest for an unknown dialect, and for a name that cannot be used in a header. */
export function introduce(
  params: InitializeParams,
  about: About,
): { readonly introduction: Introduction; readonly answer: InitializeResponse } {
  const { clientInfo, capabilities } = params;
  refuseControlCharacters(clientInfo.name);
  const client = { name: cleaned(clientInfo.name), title: titleOf(clientInfo.title), version: cleaned(clientInfo.version) };
  const chosen = chosenDialect(capabilities, about.compat);
  const dialect = chosen ?? (hasMoreThanExperimental(capabilities) ? "0.166" : "0.92");
  // Current clients may request nothing but the experimental API; they read the server's version from the user agent.
  const generation = speaks[chosen ?? (capabilities?.experimentalApi === true ? "0.166" : dialect)];
  const originator = originatorOf(client.name);
  const introduction = {
    client,
    originator,
    userAgent: userAgent(about, { client, originator, generation }),
    dialect,
    experimental: capabilities?.experimentalApi === true,
    optOut: new Set(capabilities?.optOutNotificationMethods ?? []),
    terminals: extensionOf(capabilities)?.terminals === true,
  };
  const answer = {
    userAgent: introduction.userAgent,
    codexHome: about.codexHome,
    platformFamily: process.platform === "win32" ? "windows" : "unix",
    platformOs: process.platform === "darwin" ? "macos" : process.platform === "win32" ? "windows" : process.platform,
  };
  return { introduction, answer };
}

const dialects: readonly Dialect[] = ["seed-000", "0.92", "0.166"];

const extensionOf = (capabilities: InitializeParams["capabilities"]) =>
  (capabilities?.extensions as { parley?: { dialect?: unknown; terminals?: unknown } } | null | undefined)?.parley;

function chosenDialect(capabilities: InitializeParams["capabilities"], compat: Dialect | undefined): Dialect | undefined {
  const chosen = extensionOf(capabilities)?.dialect;
  const own = dialects.find((d) => d === chosen);
  if (chosen !== undefined && own === undefined)
    throw invalidRequest(`Invalid request: capabilities.extensions.parley.dialect must be one of ${dialects.join(", ")}`);
  return own ?? compat;
}

/** Current clients send more than `experimentalApi`; the documents' clients send nothing else (docs/from-codex.md). */
const hasMoreThanExperimental = (capabilities: InitializeParams["capabilities"]): boolean =>
  Object.keys(capabilities ?? {}).some((key) => key !== "experimentalApi");

function refuseControlCharacters(name: string): void {
  if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(name))
    throw invalidRequest(`Invalid clientInfo.name: '${name.slice(0, 100)}'. Must be a valid HTTP header value.`);
}

/** Programs that only probe for a server, or that forward the work of others: their names are not used as the originator. */
const nameless: readonly string[] = ["codex_app_server_daemon", "codex-backend"];

/** The originator of threads: the client, unless the process's environment names another. */
function originatorOf(name: string): string {
  const override = process.env["CODEX_INTERNAL_ORIGINATOR_OVERRIDE"];
  if (override !== undefined && /^[\t\x20-\x7e]+$/.test(override)) return cleaned(override);
  return nameless.includes(name) ? "codex_cli_rs" : name;
}

/** A title is for people: any script, but one line without hidden characters or terminal control sequences. */
function titleOf(title: string | null | undefined): string | null {
  return visibleLine(title ?? "", 100) || null;
}

/** A name is used in headers and log lines: printable ASCII only, and of limited length. */
function cleaned(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "_").slice(0, 100);
}

/** The protocol version that clients of each generation expect in the user agent. */
const speaks: Readonly<Record<Dialect, string>> = { "seed-000": "0.98.0", "0.92": "0.98.0", "0.166": codexVersion };

/** `<originator>/<protocol version> (<system>) <terminal> (<client>; <its version>)`, then our own name: also sent upstream. */
function userAgent(
  about: Pick<About, "system" | "version">,
  of: Pick<Session, "client" | "originator"> & { readonly generation: string },
): string {
  const { name, version } = of.client;
  const terminal = terminalName(process.env);
  return `${of.originator}/${of.generation} (${about.system}) ${terminal} (${name}; ${version}) parley/${about.version}`;
}

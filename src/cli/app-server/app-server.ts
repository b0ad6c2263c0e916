/** `parley app-server`: parses the command line and answers the waiting client's `initialize`; serve.ts does the rest. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import manifest from "../../../package.json" with { type: "json" };
import { type Greeting, greet } from "../../main/greet.ts";
import type { Endpoint } from "../../main/listen.ts";
import { systemName } from "../../main/system.ts";
import { stdioTransport } from "../../rpc/stdio.ts";
import type { NewerSources } from "../built-from.ts";
import { checkFromFlags, endpointFrom } from "../listen-flags.ts";
import { codexHome, type Globals, oneOf, readFlags, StartError, signalled, stopSignals, unknownSubcommand } from "../usage.ts";
import { help } from "./help.ts";

const tools = Object.keys(help.commands);
const compats = ["seed-000", "0.92", "0.166"] as const;
type Compat = (typeof compats)[number];

export async function run(args: readonly string[], globals: Globals, newer: NewerSources = () => undefined): Promise<number> {
  const [first, ...rest] = args;
  if (first === "proxy") return (await import("./proxy.ts")).runProxy(rest);
  if (first === "daemon") return (await import("./daemon.ts")).runDaemon(rest, globals);
  if (first === "generate-ts" || first === "generate-json-schema") return (await import("./generate.ts")).run(args);
  const { values, positionals } = readFlags(args, help);
  if (positionals[0] !== undefined) throw unknownSubcommand(positionals[0], tools);

  const home = codexHome();
  const urls = values.stdio === true ? ["stdio://"] : (values.listen ?? ["stdio://"]);
  const endpoints = urls.map((url) => endpointFrom(url, home)).filter((endpoint) => endpoint !== undefined);
  if (endpoints.length === 0) throw new StartError("no transport configured; use --listen");
  const compat = values.compat === undefined ? undefined : oneOf("compat", values.compat, compats);
  const checkToken = await checkFromFlags(values);
  if (checkToken === undefined) await refuseOpenListeners(endpoints);

  const isListening = endpoints.every(({ kind }) => kind !== "stdio");
  const stop = isListening ? stopSignals() : { stopped: signalled(), again: undefined }; // before the greeting: a client that has its response may stop us
  const greeting = isPlain(endpoints, globals, values) ? await greetClient(home, compat) : undefined;
  const allowed = { allowedOrigins: values["ws-allow-origin"] ?? [], allowedHosts: values["ws-allow-host"] ?? [] };
  const { serveApp } = await loadServer(newer("server"));
  return await serveApp({ globals, flags: values, endpoints, access: { checkToken, ...allowed }, compat, greeting, ...stop });
}

/** The sources can take over from a greeting made by the bundle: only plain values are handed over. */
function loadServer(sources: string | undefined): Promise<typeof import("./serve.ts")> {
  return sources === undefined ? import("./serve.ts") : import(pathToFileURL(path.join(sources, "cli", "app-server", "serve.ts")).href);
}

/** Whether nothing on the command line can still be invalid. Only then may a client be answered. */
const isPlain = (endpoints: readonly Endpoint[], globals: Globals, values: Readonly<Record<string, unknown>>): boolean =>
  endpoints.every(({ kind }) => kind === "stdio") &&
  globals.config.length === 0 &&
  globals.logLevel === undefined &&
  Object.keys(values).every((name) => harmless.includes(name));
const harmless = ["stdio", "listen", "compat", "analytics-default-enabled", "startup-client-info"];

const greetClient = (codexHome: string, compat: Compat | undefined): Promise<Greeting> =>
  greet(stdioTransport(), { version: manifest.version, codexHome, system: systemName(), compat });

/** A listener that other machines can reach needs a token. */
async function refuseOpenListeners(endpoints: readonly Endpoint[]): Promise<void> {
  for (const endpoint of endpoints) {
    if (endpoint.kind !== "websocket" || (await import("../../rpc/websocket.ts")).isLoopback(endpoint.host)) continue;
    const where = `${endpoint.host}:${endpoint.port}`;
    const fix = "configure `--ws-auth capability-token` or `--ws-auth signed-bearer-token`";
    throw new StartError(`refusing to start non-loopback websocket listener ${where} without auth; ${fix}`);
  }
}

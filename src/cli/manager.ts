/** `parley manager`: every session of an engine in one place, over HTTP and in the browser. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import manifest from "../../package.json" with { type: "json" };
import type { Engine } from "../manager/engine.ts";
import { findPage, openInBrowser, ownToken } from "./manager-files.ts";
import { codexHome, type Globals, readFlags, StartError, UsageError } from "./usage.ts";

const flags = {
  listen: { type: "string" },
  "token-file": { type: "string" },
  connect: { type: "string" },
  "connect-token-file": { type: "string" },
  "no-open": { type: "boolean" },
  "tls-cert": { type: "string" },
  "tls-key": { type: "string" },
  "allow-plain-http": { type: "boolean" },
  "allow-host": { type: "string", multiple: true },
  config: { type: "string", short: "c", multiple: true },
  "log-level": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

const defaultListen = "127.0.0.1:4180";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, flags);
  if (values.help === true) return printHelp();
  const [word, ...more] = positionals;
  if (more.length > 0 || (word !== undefined && word !== "link")) throw new UsageError(`unrecognized subcommand '${word}'`);
  const home = codexHome();
  const tokenFile = values["token-file"] ?? path.join(home, "parley", "manager", "token");
  const { host, port } = addressFrom(values.listen ?? defaultListen);
  if (word === "link")
    return (await import("./manager-link.ts")).printLink({ host, port, tokenFile, secure: values["tls-cert"] !== undefined });

  const tls = tlsFrom(values["tls-cert"], values["tls-key"]);
  await refuseOpenAddress(host, tls !== undefined, values["allow-plain-http"] === true);
  const [{ Core }, { serveManager }, { createPages }, { createLog, isLogLevel }] = await Promise.all([
    import("../manager/core.ts"),
    import("../manager/server.ts"),
    import("../manager/pages.ts"),
    import("../main/log.ts"),
  ]);
  const level = values["log-level"] ?? process.env["PARLEY_LOG"] ?? "warn";
  const log = createLog(isLogLevel(level) ? level : "warn", Date.now);
  const made = await makeEngine({
    connect: values.connect,
    connectTokenFile: values["connect-token-file"],
    home,
    log,
    overrides: [...globals.config, ...(values.config ?? [])],
  });
  const core = new Core({
    engine: made.engine,
    folder: path.join(home, "parley", "manager"),
    version: manifest.version,
    fileToken: ownToken(tokenFile),
    warn: log.warn,
  });
  try {
    await core.start();
  } catch (error) {
    throw new StartError(`cannot reach the engine: ${error instanceof Error ? error.message : error}`);
  }
  const served = await serveManager({
    core,
    pages: createPages(findPage()),
    host,
    port,
    tls,
    allowedHosts: values["allow-host"] ?? [],
  }).catch((error: Error) => {
    throw new StartError(`cannot listen on ${host}:${port}: ${error.message}`);
  });
  announce(served.url, core.access.makeLink("admin", undefined, 24 * 60 * 60 * 1000).code, home, values["no-open"] !== true);
  await signalled();
  await served.close();
  core.close();
  await made.close();
  process.exit(0); // idle connections to models and tools must not keep a finished manager alive
}

function addressFrom(text: string): { host: string; port: number } {
  const [, six, four, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four ?? "";
  const port = Number(digits);
  if (isIP(host) !== (six === undefined ? 4 : 6) || !(port <= 65_535))
    throw new UsageError(`invalid value '${text}' for '--listen': expected IP:PORT, such as ${defaultListen}`);
  return { host, port };
}

function tlsFrom(cert: string | undefined, key: string | undefined): { cert: Buffer; key: Buffer } | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("give `--tls-cert` and `--tls-key` together");
  try {
    return { cert: readFileSync(cert), key: readFileSync(key) };
  } catch (error) {
    throw new StartError(`cannot read the certificate: ${error instanceof Error ? error.message : error}`);
  }
}

/** What others can reach must not be overheard: cookies and code would travel in the open. */
async function refuseOpenAddress(host: string, secure: boolean, explicit: boolean): Promise<void> {
  const { isLoopback } = await import("../rpc/websocket.ts");
  if (isLoopback(host) || secure || explicit) return;
  throw new StartError(
    `refusing to listen on ${host} without TLS; give --tls-cert and --tls-key, put a TLS proxy in front of 127.0.0.1, or say --allow-plain-http if the network is yours alone`,
  );
}

interface EngineOptions {
  readonly connect: string | undefined;
  readonly connectTokenFile: string | undefined;
  readonly home: string;
  readonly log: ReturnType<typeof import("../main/log.ts")["createLog"]>;
  readonly overrides: readonly string[];
}

async function makeEngine(options: EngineOptions): Promise<{ engine: Engine; close(): Promise<void> }> {
  const cwd = process.cwd();
  if (options.connect !== undefined) return remoteEngine(options.connect, options.connectTokenFile, cwd);
  const [{ createApp }, { connectLocally, serveLocally }] = await Promise.all([
    import("../main/compose.ts"),
    import("../main/local-door.ts"),
  ]);
  const app = createApp({ codexHome: options.home, log: options.log, cliOverrides: options.overrides });
  // Somebody can always come and answer: a request without a reader waits.
  app.subscriptions.listening = true;
  const engine: Engine = {
    remote: false,
    cwd,
    connect: async () => connectLocally(app),
    serve: async (transport) => serveLocally(app, transport),
    offlineTour: () => app.config.effective(cwd).modelProvider === "scripted",
    credentials: () => ({ file: existsSync(path.join(options.home, "auth.json")), key: Boolean(process.env["OPENAI_API_KEY"]) }),
  };
  return { engine, close: () => app.close() };
}

async function remoteEngine(url: string, tokenFile: string | undefined, cwd: string): Promise<{ engine: Engine; close(): Promise<void> }> {
  const [{ connectTransport }, { pipe }] = await Promise.all([import("../client/connect.ts"), import("../manager/pipe.ts")]);
  const token = tokenFile === undefined ? undefined : readFileSync(tokenFile, "utf8").trim();
  const connect = (signal?: AbortSignal) =>
    connectTransport(url, { ...(token === undefined ? {} : { token }), ...(signal === undefined ? {} : { signal }) });
  const engine: Engine = {
    remote: true,
    cwd,
    connect,
    serve: async (transport) => {
      // What arrives before the far side is open must not be lost.
      transport.pause();
      pipe(transport, await connect());
      transport.resume();
    },
    offlineTour: () => false,
    credentials: () => ({ file: true, key: true }),
  };
  return { engine, close: async () => {} };
}

/** The code is for the person at this terminal; it works once. */
function announce(url: string, code: string, home: string, open: boolean): void {
  const link = `${url}/#sign-in=${code}`;
  process.stdout.write(
    `Parley manager is running at ${url}\n\n  Sign in with this link, once: ${link}\n\n  More links: parley manager link\n  Stop: Ctrl+C\n`,
  );
  if (open && process.stdout.isTTY) openInBrowser(link, path.join(home, "parley", "manager"), writeFileSync);
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

function printHelp(): number {
  process.stdout.write(`Every session in one place: a page in the browser, an HTTP API and websockets over one engine.

Usage: parley manager [OPTIONS]
       parley manager link     Print a fresh sign-in link for the manager that runs here

Options:
      --listen <IP:PORT>         Default ${defaultListen}
      --token-file <PATH>        Its text, as a bearer token, is an administrator's; made with mode 0600 where it is missing.
                                 Default: $CODEX_HOME/parley/manager/token
      --connect <URL>            Manage a running engine (ws://…, wss://… or unix://PATH) instead of one in this process
      --connect-token-file <F>   The bearer token for it
      --no-open                  Do not open the browser
      --tls-cert <F> --tls-key <F>  Serve over TLS; needed for addresses that others can reach
      --allow-plain-http         Listen on such an address without TLS all the same
      --allow-host <NAME>        A further name of this machine in the Host header; repeatable
  -c, --config <key=value>       Override a value of config.toml; repeatable
      --log-level <LEVEL>        error, warn (default), info or debug; JSON lines on stderr

Addresses:
  /                   The page
  /api/…              The API; GET /api/openapi.json describes it
  /api/stream         A websocket of events
  /rpc                A websocket that speaks the app-server protocol, with the token as a bearer token
`);
  return 0;
}

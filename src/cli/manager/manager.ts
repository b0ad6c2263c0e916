/** `parley manager`: every session of an engine in one place, over HTTP and in the browser. */
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { errorMessage } from "../../lib/error-text.ts";
import { writeErrorMessage } from "../../lib/system-error.ts";
import type { Engine } from "../../manager/engine.ts";
import type { App } from "../own-app.ts";
import { hideSecretFile } from "../secret-file.ts";
import {
  cannotListen,
  codexHome,
  type Globals,
  oneOf,
  print,
  readFlags,
  refuseMore,
  StartError,
  UsageError,
  unknownSubcommand,
} from "../usage.ts";
import { findPage, openInBrowser, ownToken } from "./files.ts";
import { help } from "./help.ts";

const defaultListen = "127.0.0.1:4180";

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const separate = args.flatMap((arg) => (arg.startsWith("--print-service=") ? arg.split("=", 2) : [arg]));
  const { values, positionals } = readFlags(separate, help);
  const [subcommand] = positionals;
  if (values["print-service"] === true) return printService(separate, positionals);
  if (subcommand !== undefined && subcommand !== "link") throw unknownSubcommand(subcommand, ["link"]);
  refuseMore(positionals, 1);
  const home = codexHome();
  const tokenFile = values["token-file"] ?? path.join(home, "parley", "manager", "token");
  const { host, port } = addressFrom(values.listen ?? defaultListen);
  if (subcommand === "link") return (await import("./link.ts")).printLink({ host, port, tokenFile, cert: values["tls-cert"] });

  const tls = await tlsFrom(values["tls-cert"], values["tls-key"]);
  await refuseOpenAddress(host, tls !== undefined, values["allow-plain-http"] === true);
  const [{ Manager }, { serveManager }, { createPages }, { openApp, logFrom, notifierOf }, { surviveErrors }] = await Promise.all([
    import("../../manager/manager.ts"),
    import("../../manager/server.ts"),
    import("../../manager/pages.ts"),
    import("../own-app.ts"),
    import("../../main/survive.ts"),
  ]);
  const folder = path.join(home, "parley", "manager");
  await refuseSecondManager(folder, values.listen ?? defaultListen);
  const { connect, "connect-token-file": connectTokenFile } = values;
  const made = connect === undefined ? await ownEngine(openApp(globals, values), home) : await remoteEngine(connect, connectTokenFile);
  const log = made.app?.log ?? logFrom(globals, values);
  const manager = new Manager({
    engine: made.engine,
    folder,
    version: manifest.version,
    fileToken: ownToken(tokenFile),
    pushHosts: values["push-host"] ?? [],
    warn: log.warn,
  });
  // Our own engine notifies its clients, and the manager is one of them.
  const notify = made.app === undefined ? (message: string) => manager.tell(message) : notifierOf(made.app);
  surviveErrors({ log, notify });
  try {
    await manager.start();
  } catch (error) {
    throw new StartError(`cannot reach the engine: ${errorMessage(error)}`);
  }
  const served = await serveManager({
    manager,
    pages: createPages(findPage()),
    host,
    port,
    tls,
    allowedHosts: values["allow-host"] ?? [],
  }).catch((error: Error) => {
    throw cannotListen(error, ` on ${host}:${port}`);
  });
  announce(served.url, manager.access.makeLink("admin", undefined, 24 * 60 * 60 * 1000).code, home, values["no-open"] !== true);
  await signalled();
  await served.close();
  manager.close();
  await made.close();
  process.exit(0); // idle connections to models and tools must not keep a finished manager alive
}

/** Each manager rewrites the whole state: two on one folder would lose each other's projects and devices. */
async function refuseSecondManager(folder: string, listen: string): Promise<void> {
  const { lockFolder } = await import("../../main/folder-lock.ts");
  const other = await lockFolder(folder, `listening on ${listen}`).catch((error: Error) => {
    throw new StartError(`cannot use ${folder}: ${writeErrorMessage(error)}`);
  });
  if (other !== undefined)
    throw new StartError(
      `another manager (pid ${other.pid}, ${other.client}) uses ${folder}; use or stop that one, or give this one a home of its own with CODEX_HOME and --connect`,
    );
}

/** The unit runs the program that was called here, with the same options. */
async function printService(args: readonly string[], positionals: readonly string[]): Promise<number> {
  const { serviceManagers, serviceText } = await import("./service.ts");
  refuseMore(positionals, 1);
  const of = oneOf("print-service", positionals[0] ?? (process.platform === "darwin" ? "launchd" : "systemd"), serviceManagers);
  const rest = args.filter((argument) => argument !== "--print-service" && argument !== of && argument !== "--no-open");
  const [, script = ""] = process.argv;
  const command = [process.execPath, ...process.execArgv, path.resolve(script), "manager", "--no-open", ...rest];
  return print(serviceText(of, { command, home: codexHome(), searchPath: process.env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin" }));
}

function addressFrom(text: string): { host: string; port: number } {
  const [, six, four, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = six ?? four ?? "";
  const port = Number(digits);
  if (isIP(host) !== (six === undefined ? 4 : 6) || !(port <= 65_535))
    throw new UsageError(`invalid value '${text}' for '--listen': expected IP:PORT, such as ${defaultListen}`);
  return { host, port };
}

async function tlsFrom(cert: string | undefined, key: string | undefined): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) throw new UsageError("give `--tls-cert` and `--tls-key` together");
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    hideSecretFile(key);
    (await import("node:tls")).createSecureContext(pair); // an invalid certificate, or the key of another one, is reported here
    return pair;
  } catch (error) {
    throw new StartError(`cannot use the certificate ${cert} with the key ${key}: ${errorMessage(error)}`);
  }
}

/** A listener that others can reach must use TLS: cookies and code would be sent in clear text. */
async function refuseOpenAddress(host: string, secure: boolean, explicit: boolean): Promise<void> {
  const { isLoopback } = await import("../../rpc/websocket.ts");
  if (isLoopback(host) || secure || explicit) return;
  throw new StartError(
    `refusing to listen on ${host} without TLS; give --tls-cert and --tls-key, put a TLS proxy in front of 127.0.0.1, or pass --allow-plain-http if only you use the network`,
  );
}

interface MadeEngine {
  readonly engine: Engine;
  readonly app?: App;
  close(): Promise<void>;
}

async function ownEngine(app: App, home: string): Promise<MadeEngine> {
  const cwd = process.cwd();
  const { connectLocally, serveLocally } = await import("../../main/local-connection.ts");
  // Somebody can always connect and answer: a request without subscribers waits.
  app.subscriptions.listening = true;
  const engine: Engine = {
    remote: false,
    cwd,
    connect: async () => connectLocally(app),
    serve: async (transport) => serveLocally(app, transport),
    whyNoModel() {
      const effective = app.config.effective(cwd);
      return app.whyNoModel(effective, effective.modelProvider);
    },
    credentials: () => ({ file: existsSync(path.join(home, "auth.json")), key: Boolean(process.env["OPENAI_API_KEY"]) }),
  };
  return { engine, app, close: () => app.close() };
}

async function remoteEngine(url: string, tokenFile: string | undefined): Promise<MadeEngine> {
  const cwd = process.cwd();
  const [{ connectTransport }, { pipe }] = await Promise.all([import("../../client/connect.ts"), import("../../rpc/pipe.ts")]);
  if (tokenFile !== undefined) hideSecretFile(tokenFile);
  const token = tokenFile === undefined ? undefined : readFileSync(tokenFile, "utf8").trim();
  const connect = (signal?: AbortSignal) =>
    connectTransport(url, { ...(token === undefined ? {} : { token }), ...(signal === undefined ? {} : { signal }) });
  const engine: Engine = {
    remote: true,
    cwd,
    connect,
    serve: async (transport) => {
      // Messages that arrive before the other side is open must not be lost.
      transport.pause();
      void pipe(transport, await connect());
      transport.resume();
    },
    whyNoModel: () => undefined,
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
  if (open && process.stdout.isTTY) openInBrowser(link, path.join(home, "parley", "manager"));
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

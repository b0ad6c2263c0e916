/** `parley manager`: every session of an engine in one place, over HTTP and in the browser. */
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import path from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { errorMessage } from "../../lib/error-text.ts";
import { writeErrorMessage } from "../../lib/system-error.ts";
import type { Engine } from "../../manager/engine.ts";
import type { Fleet } from "../../manager/fleet.ts";
import type { App } from "../own-app.ts";
import { readSecretFile } from "../secret-file.ts";
import { tlsFrom } from "../tls-files.ts";
import {
  cannotListen,
  codexHome,
  type Globals,
  oneOf,
  print,
  readFlags,
  refuseMore,
  StartError,
  toStdout,
  UsageError,
  unknownSubcommand,
  type Values,
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
  if (values.fleet === true) {
    refuseWithFleet(values);
    const { runFront } = await import("./fleet.ts");
    const log = (await import("../own-app.ts")).logFrom(globals, values);
    return await runFront({ host, port, tls, allowedHosts: values["allow-host"] ?? [], fleetFile: values["fleet-file"], home, log });
  }
  refuseAlone(values);
  const fleet = await fleetFrom(values.connect, values["fleet-admin-token-file"]);
  const [{ Manager }, { serveManager }, { createPages }, { openApp, logFrom, notifierOf }, { surviveErrors }] = await Promise.all([
    import("../../manager/manager.ts"),
    import("../../manager/server.ts"),
    import("../../manager/pages.ts"),
    import("../own-app.ts"),
    import("../../main/survive.ts"),
  ]);
  const folder = path.join(home, "parley", "manager");
  await refuseSecondManager(folder, values.listen ?? defaultListen);
  const { connect, "connect-token-file": connectToken } = values;
  const made = connect === undefined ? await ownEngine(openApp(globals, values), home) : await remoteEngine(connect, connectToken);
  const log = made.app?.log ?? logFrom(globals, values);
  const manager = new Manager({
    engine: made.engine,
    fleet,
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

/** What has no effect without another flag is refused. */
function refuseAlone(values: Values<typeof help>): void {
  if (values["fleet-file"] !== undefined) throw new UsageError("`--fleet-file` needs `--fleet`");
  if (values["connect-token-file"] !== undefined && values.connect === undefined)
    throw new UsageError("`--connect-token-file` needs `--connect`");
}

/** What has no effect beside `--fleet` is refused. */
function refuseWithFleet(values: Readonly<Record<string, unknown>>): void {
  const other = ["connect", "connect-token-file", "fleet-admin-token-file", "token-file", "push-host"].find(
    (name) => values[name] !== undefined,
  );
  if (other !== undefined)
    throw new UsageError(`\`--${other}\` has no effect with \`--fleet\`, which runs no engine and serves no page; leave it out`);
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
  const token = tokenFile === undefined ? undefined : readSecretFile(tokenFile);
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

/** The fleet whose front is at the address of `--connect`. */
async function fleetFrom(connect: string | undefined, tokenFile: string | undefined): Promise<Fleet | undefined> {
  if (tokenFile === undefined) return undefined;
  if (connect === undefined || !/^wss?:\/\//i.test(connect) || !URL.canParse(connect))
    throw new UsageError("`--fleet-admin-token-file` needs `--connect` with the address of a front: ws://HOST:PORT/rpc or wss://…");
  const token = readSecretFile(tokenFile);
  // What no header may hold would be repeated in an error.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new StartError(`${tokenFile} holds no token of a fleet: it must be one line of plain characters`);
  return new (await import("../../manager/fleet.ts")).Fleet({ connect, token });
}

/** The code is for the person at this terminal; it works once. */
function announce(url: string, code: string, home: string, open: boolean): void {
  const link = `${url}/#sign-in=${code}`;
  toStdout(
    `Parley manager is running at ${url}\n\n  Sign in with this link, once: ${link}\n\n  More links: parley manager link\n  Stop: Ctrl+C\n`,
  );
  if (open && process.stdout.isTTY) openInBrowser(link, path.join(home, "parley", "manager"));
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}

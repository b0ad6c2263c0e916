/** `parley worker`: joins a fleet and runs threads for it, until it is told to leave. */
import type { FleetWorker } from "../main/fleet-worker.ts";
import { fleetAddress } from "./fleet/engine.ts";
import { workerHelp as help } from "./help/small-helps.ts";
import {
  cannotListen,
  codexHome,
  type Globals,
  print,
  readFlags,
  refuseMore,
  StartError,
  stopSignals,
  toStderr,
  UsageError,
  type Values,
} from "./usage.ts";

type Flags = Values<typeof help>;

export async function run(args: readonly string[], globals: Globals): Promise<number> {
  const { values, positionals } = readFlags(args, help);
  refuseMore(positionals);
  const { name } = values;
  if (name === undefined) throw new UsageError("give the worker a name: --name NAME");
  const { host, port, isSecure } = listenAddress(values.listen);
  const maxThreads = countFrom(values["max-threads"]);
  const tls = await certificate(values, host, isSecure);
  const address = fleetAddress(values["fleet-file"]);
  // The address contains a password, and commands inherit the environment.
  delete process.env["PARLEY_FLEET"];
  const { stopped, again } = stopSignals();
  const stop = new AbortController();
  stopped.then(() => stop.abort()).catch(() => {});
  const worker = await start({ globals, values, stop: stop.signal }, { address, name, host, port, tls, maxThreads });
  if (worker === undefined) return 0;
  print(`parley worker ${name} serves the fleet at ${worker.url}\n`);
  await Promise.race([stopped, worker.askedToDrain]);
  if (!again.aborted) toStderr("leaving the fleet: running turns end first; once more to end at once");
  await worker.drain(again);
  await worker.close();
  process.exit(0); // idle connections to models and tools must not keep a finished worker alive
}

interface Start {
  readonly globals: Globals;
  readonly values: Flags;
  readonly stop: AbortSignal;
}
type Place = Pick<
  Parameters<typeof import("../main/fleet-worker.ts").startWorker>[0],
  "address" | "name" | "host" | "port" | "tls" | "maxThreads"
>;

/** Undefined when it was told to stop before it had joined. */
async function start({ globals, values, stop }: Start, place: Place): Promise<FleetWorker | undefined> {
  const [{ startWorker }, { openApp, logFrom }, { surviveErrors }, { EngineRefused }, { NameTaken }, { checkName }] = await Promise.all([
    import("../main/fleet-worker.ts"),
    import("./own-app.ts"),
    import("../main/survive.ts"),
    import("../fleet/engine.ts"),
    import("../fleet/membership.ts"),
    import("../fleet/teams.ts"),
  ]);
  const log = logFrom(globals, values);
  surviveErrors({ log });
  try {
    checkName("worker", place.name);
    for (const label of values.label ?? []) checkName("label", label);
    return await startWorker({
      ...{ ...place, log, say: toStderr, signal: stop },
      ...{ labels: [...new Set(values.label ?? [])], teams: [...new Set(values.team ?? [])] },
      ...{ codexHome: codexHome(), env: process.env },
      open: (storage) => openApp(globals, values, { storage }),
    });
  } catch (error) {
    if (stop.aborted) return undefined;
    if (error instanceof EngineRefused || error instanceof NameTaken) throw new StartError(error.message);
    if (error instanceof Error && "syscall" in error && error.syscall === "listen") throw cannotListen(error);
    throw error;
  }
}

function listenAddress(url: string | undefined): { readonly host: string; readonly port: number; readonly isSecure: boolean } {
  if (url === undefined) throw new UsageError("say where fronts reach it: --listen ws://127.0.0.1:0");
  const [, scheme, six, four, digits] = /^(wss?):\/\/(?:\[([0-9a-fA-F:.]+)\]|(\d+\.\d+\.\d+\.\d+)):(\d{1,5})\/?$/.exec(url) ?? [];
  const host = six ?? four;
  const port = Number(digits);
  if (host === undefined || port > 65_535)
    throw new UsageError(`invalid value '${url}' for '--listen': expected ws://IP:PORT or wss://IP:PORT`);
  return { host, port, isSecure: scheme === "wss" };
}

/** Threads and answers of people go over this connection. */
async function certificate(values: Flags, host: string, isSecure: boolean): Promise<Place["tls"]> {
  const [{ tlsFrom }, { isLoopback }] = await Promise.all([import("./tls-files.ts"), import("../rpc/websocket.ts")]);
  const pair = await tlsFrom(values["tls-cert"], values["tls-key"]);
  if (pair === undefined && (isSecure || !isLoopback(host)))
    throw new StartError(`refusing to listen on ${host} without TLS; give --listen wss://${host}:PORT with --tls-cert and --tls-key`);
  if (host === "0.0.0.0" || /^[0:.]+$/.test(host))
    throw new UsageError(
      `'--listen' names no address that fronts could connect to (${host}): give the one that they reach this machine at`,
    );
  if (pair === undefined) return undefined;
  if (!isSecure) throw new UsageError("a certificate was given, so that --listen must begin with wss://");
  const { X509Certificate } = await import("node:crypto");
  const certSha256 = new X509Certificate(pair.cert).fingerprint256.replaceAll(":", "").toLowerCase();
  return { cert: pair.cert.toString("utf8"), key: pair.key.toString("utf8"), certSha256 };
}

function countFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 1_000_000)
    throw new UsageError(`invalid value '${text}' for '--max-threads': expected a whole number from 1 to 1000000`);
  return count;
}

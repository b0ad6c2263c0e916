/** `parley manager --fleet`: a front, which serves the clients of a fleet and runs no thread. */
import { startFleetFront } from "../../main/fleet-front.ts";
import { surviveErrors } from "../../main/survive.ts";
import { fleetAddress, startErrors } from "../fleet/engine.ts";
import type { logFrom } from "../own-app.ts";
import { cannotListen, print, toStderr } from "../usage.ts";

export interface FrontFlags {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly allowedHosts: readonly string[];
  readonly fleetFile: string | undefined;
  readonly home: string;
  readonly log: ReturnType<typeof logFrom>;
}

export async function runFront({ fleetFile, home, log, ...listen }: FrontFlags): Promise<number> {
  const address = fleetAddress(fleetFile);
  surviveErrors({ log, notify: () => {} });
  const end = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => end.abort());
  const served = await startFleetFront({
    ...listen,
    ...{ address, codexHome: home, signal: end.signal, warn: log.warn },
    onWait: (reason) => toStderr(`the fleet's engine does not answer, trying again: ${reason}`),
  }).catch((error: Error) => {
    if (end.signal.aborted) return undefined;
    if ("syscall" in error && error.syscall === "listen") throw cannotListen(error, ` on ${listen.host}:${listen.port}`);
    return startErrors(error);
  });
  if (served === undefined) return 0;
  print(
    `Parley serves the fleet at ${served.url}\n\n  Clients connect to ${served.url.replace(/^http/, "ws")}/rpc with a token: parley fleet token\n  Stop: Ctrl+C\n`,
  );
  if (!end.signal.aborted) await new Promise((resolve) => end.signal.addEventListener("abort", resolve, { once: true }));
  await served.close();
  process.exit(0); // connections to workers must not keep a finished front alive
}

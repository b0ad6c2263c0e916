/** The private socket of this process, in the home: through it other processes on the home follow and steer the threads that this one runs. */
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { errorMessage } from "../lib/error-text.ts";
import { randomBytes } from "../lib/random.ts";
import { isCode } from "../lib/system-error.ts";
import { connectPrivately, isSocketName, listenPrivately, type PrivateListener } from "../rpc/private-socket.ts";
import type { Transport } from "../rpc/transport.ts";
import type { App } from "../server/app.ts";
import { serve } from "../server/connection.ts";
import { readGreeting, welcomeLine } from "../server/relay/greeting.ts";

export interface LiveSocket {
  readonly name: string;
  /** Begins to listen soon, at the first call. */
  offer(): void;
  connect(name: string): Promise<Transport>;
  close(): void;
}

/** Not while a thread's start is being answered. */
const listenAfterMs = 10;
/** A connection that does not say for whom it comes is closed. */
const greetingMs = 5000;
const oldMs = 86_400_000;
const mostLookedAt = 200;

export function createLiveSocket(codexHome: string, app: () => App): LiveSocket {
  const folder = path.join(codexHome, "parley", "live");
  const name = `${process.pid}-${randomBytes(6).toString("hex")}.sock`;
  let listener: Promise<PrivateListener | undefined> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const listen = (): void => {
    listener = listenPrivately(folder, name, (transport) => welcome(transport, app())).catch((error: unknown) => {
      app().log.info("other processes cannot follow the threads of this one", { error: errorMessage(error) });
      return undefined;
    });
    removeDead(folder).catch((error: unknown) => app().log.info("old sockets were not removed", { error: errorMessage(error) }));
  };
  return {
    name,
    offer() {
      if (process.platform !== "win32") timer ??= setTimeout(listen, listenAfterMs).unref();
    },
    connect: (other) =>
      isSocketName(other) ? connectPrivately(folder, other) : Promise.reject(new Error(`not the name of a socket: ${other}`)),
    close() {
      clearTimeout(timer);
      listener
        ?.then((open) => open?.close())
        .catch((error: unknown) => app().log.info("a socket was not removed", { error: errorMessage(error) }));
    },
  };
}

function welcome(transport: Transport, app: App): void {
  const late = setTimeout(() => transport.close(), greetingMs).unref();
  transport.onClose = () => clearTimeout(late);
  transport.onMessage = (line) => {
    clearTimeout(late);
    const options = readGreeting(line);
    if (options === undefined) return transport.close();
    transport.send(welcomeLine);
    serve(app, transport, options);
  };
}

/** Removes the sockets of processes that were killed: those of the last day may still be about to listen. */
async function removeDead(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter(isSocketName).slice(0, mostLookedAt)) {
    const file = path.join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined || Date.now() - stats.mtimeMs < oldMs) continue;
    try {
      (await connectPrivately(folder, name)).close();
    } catch (error) {
      if (isCode(error, "ECONNREFUSED")) rmSync(file, { force: true });
    }
  }
}

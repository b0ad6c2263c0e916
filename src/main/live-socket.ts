/** The private socket of this process, in the home: through it other processes on the home follow and steer the threads that this one runs. */
import { readdirSync, rmSync, statSync, watch } from "node:fs";
import path from "node:path";
import { errorMessage } from "../lib/error-text.ts";
import { randomBytes } from "../lib/random.ts";
import { isCode } from "../lib/system-error.ts";
import { connectPrivately, isSocketName, listenPrivately, makePrivate, type PrivateListener } from "../rpc/private-socket.ts";
import type { Transport } from "../rpc/transport.ts";
import type { App } from "../server/app.ts";
import { serve } from "../server/connection.ts";
import type { Neighbours } from "../server/relay/elsewhere.ts";
import { readGreeting, statusGreeting, welcomeLine } from "../server/relay/greeting.ts";

export interface LiveSocket {
  readonly name: string;
  /** Begins to listen soon, at the first call. */
  offer(): void;
  connect(name: string): Promise<Transport>;
  readonly neighbours: Neighbours;
  close(): void;
}

/** Not while a thread's start is being answered. */
const listenAfterMs = 10;
/** A connection that does not say for whom it comes is closed. */
const greetingMs = 5000;
const oldMs = 600_000;
const mostLookedAt = 1000;
/** Statuses of all threads of a process fit. */
const maxStatusLine = 4 * 1024 * 1024;

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
    neighbours: {
      list: () => socketsIn(folder).filter((other) => other !== name),
      mayListen: (other) => isRunning(Number.parseInt(other, 10)),
      watch: (changed) => watchFolder(folder, changed),
      connect: (other) => connectPrivately(folder, other, { maxLine: maxStatusLine, inBackground: true }),
    },
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
    if (line === statusGreeting) return feed(transport, app);
    const options = readGreeting(line);
    if (options === undefined) return transport.close();
    transport.send(welcomeLine);
    serve(app, transport, options);
  };
}

function feed(transport: Transport, app: App): void {
  transport.onMessage = () => transport.close();
  import("../server/relay/status-feed.ts")
    .then(({ feedStatuses }) => feedStatuses(app, transport))
    .catch((error: unknown) => {
      app.log.warn("the statuses of threads were not sent", { error: errorMessage(error) });
      transport.close();
    });
}

function socketsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isSocket() && isSocketName(entry.name) ? [entry.name] : [],
    );
  } catch {
    return []; // no process has made it yet, or it cannot be read: there is nobody to reach
  }
}

function isRunning(pid: number): boolean {
  try {
    return Number.isInteger(pid) && process.kill(pid, 0);
  } catch (error) {
    return !isCode(error, "ESRCH");
  }
}

/** Undefined where the system watches no folders, or no more of them. */
function watchFolder(folder: string, changed: () => void): (() => void) | undefined {
  try {
    makePrivate(folder);
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  } catch {
    return undefined;
  }
}

/** Removes the sockets of processes that were killed; one that is new may be about to listen. */
async function removeDead(folder: string): Promise<void> {
  for (const name of socketsIn(folder).slice(0, mostLookedAt)) {
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

/** Websockets over a unix socket that only its owner may open. */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { createConnection } from "node:net";
import path from "node:path";
import type { Transport } from "./transport.ts";
import { type ConnectOptions, createSocketServer, type Listener, type ListenerRules, openWebSocket, startListening } from "./websocket.ts";

/** The kernel's limit for a socket path, without the terminating zero byte. */
const maxPathBytes = process.platform === "linux" ? 107 : 103;
const probeTimeoutMs = 2000;

/** Rejects if a server already answers on the path, or if the path is not a socket. */
export async function listenUnixSocket(socketPath: string, rules: ListenerRules): Promise<Listener> {
  const file = path.resolve(socketPath);
  if (Buffer.byteLength(file) > maxPathBytes)
    throw new Error(`the socket path ${file} is longer than ${maxPathBytes} bytes; choose a shorter one`);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  await clearStale(file);
  const sockets = await createSocketServer(rules, "unix", () => true);
  await startListening(
    sockets.server,
    () => {
      // The socket is created inside listen() with this mask, so others can never open it.
      const mask = process.umask(0o177);
      try {
        sockets.server.listen(file);
      } finally {
        process.umask(mask);
      }
    },
    rules.report,
  );
  chmodSync(file, 0o600);
  return { url: `unix://${file}`, close: sockets.close };
}

/** Removes a socket left behind by a dead server, and nothing else. */
async function clearStale(file: string): Promise<void> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${file} exists and is not a socket; remove it or choose another path`);
  if (await answers(file)) throw new Error(`another server is listening on ${file}`);
  // Another process may have replaced it in the meantime: only the file that did not respond is removed.
  if (lstatSync(file, { throwIfNoEntry: false })?.ino === found.ino) unlinkSync(file);
}

function answers(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(file);
    const done = (alive: boolean): void => {
      probe.destroy();
      resolve(alive);
    };
    probe.setTimeout(probeTimeoutMs, () => done(true)); // it accepts connections, if slowly: not ours to remove
    probe.on("connect", () => done(true));
    probe.on("error", (error: NodeJS.ErrnoException) => done(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"));
  });
}

export function connectUnixSocket(socketPath: string, options: ConnectOptions = {}): Promise<Transport> {
  // ws would treat a colon in the path as its end, so the connection is created here.
  return openWebSocket("ws://localhost/", "unix", options, { createConnection: () => createConnection(path.resolve(socketPath)) });
}

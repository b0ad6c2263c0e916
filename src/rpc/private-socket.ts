/** JSON lines over a unix socket in a folder that only its owner may open: between processes of one user on one home. */
import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, rmSync } from "node:fs";
import { createServer, type Server, Socket } from "node:net";
import path from "node:path";
import { LinesTransport } from "./stdio.ts";
import type { Transport } from "./transport.ts";

/** The kernel's limit for a socket path, without the terminating zero byte. */
const maxPathBytes = process.platform === "linux" ? 107 : 103;
/** More processes and clients than this do not share one home; each connection holds memory. */
const maxConnections = 1000;
const connectMs = 2000;

/** The name of a socket in its folder. Names come from lock files: one that leads elsewhere is refused. */
export const isSocketName = (name: string): boolean => /^[0-9a-z-]{1,60}\.sock$/.test(name);

export interface PrivateListener {
  close(): void;
}

/** Neither the listener nor its connections keep the process alive. Rejects where there are no such sockets, or the folder cannot be written. */
export async function listenPrivately(
  folder: string,
  name: string,
  onConnection: (transport: Transport) => void,
): Promise<PrivateListener> {
  makePrivate(folder);
  const server = createServer((socket) => onConnection(new LinesTransport(socket.unref(), socket, "unix")));
  server.maxConnections = maxConnections;
  await withAddress(folder, name, (address) => listening(server, address));
  server.on("error", () => {}); // a client that cannot be accepted must not end this process; it tries again
  server.unref();
  return {
    close() {
      server.close();
      rmSync(path.join(folder, name), { force: true });
    },
  };
}

export interface ConnectOptions {
  /** Longer lines are dropped. */
  readonly maxLine?: number | undefined;
  /** The connection does not keep this process alive. */
  readonly inBackground?: boolean | undefined;
}

/** Rejects with ENOENT or ECONNREFUSED if nobody listens, and for a socket that is not this user's own. */
export function connectPrivately(folder: string, name: string, options: ConnectOptions = {}): Promise<Transport> {
  return withAddress(folder, name, async (address) => {
    refuseForeign(folder, name);
    const socket = await connected(address);
    if (options.inBackground === true) socket.unref();
    return new LinesTransport(socket, socket, "unix", options.maxLine);
  });
}

/** Whoever may write the folder could put a socket of its own there, and get what this user types and answers. */
function refuseForeign(folder: string, name: string): void {
  const uid = process.getuid?.();
  const place = lstatSync(folder);
  if (!place.isDirectory() || place.uid !== uid || (place.mode & 0o022) !== 0)
    throw new Error(`${folder} is not a folder that only its owner may write`);
  const socket = lstatSync(path.join(folder, name));
  if (!socket.isSocket() || socket.uid !== uid) throw new Error(`${path.join(folder, name)} is not a socket of this user`);
}

/** Throws for a link, and for another user's folder. */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).isSymbolicLink()) throw new Error(`${folder} is a link; sockets are put into a folder of their own`);
  chmodSync(folder, 0o700);
}

function listening(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The socket is created inside listen() with this mask, so others can never open it.
    const mask = process.umask(0o177);
    try {
      server.listen(address, () => {
        server.off("error", reject);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

function connected(address: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new Socket();
    socket.setTimeout(connectMs, () => socket.destroy(new Error(`no answer from ${address}`)));
    socket.once("error", reject);
    socket.connect(address, () => {
      socket.off("error", reject);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

/** A path over the kernel's limit is reached through its folder's descriptor, where the system allows that. */
async function withAddress<T>(folder: string, name: string, use: (address: string) => Promise<T>): Promise<T> {
  const address = path.join(folder, name);
  if (Buffer.byteLength(address) <= maxPathBytes) return await use(address);
  if (process.platform !== "linux") throw new Error(`the socket path ${address} is longer than ${maxPathBytes} bytes`);
  const fd = openSync(folder, "r");
  try {
    return await use(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}

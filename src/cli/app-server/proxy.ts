/** `parley app-server proxy`: connects stdin and stdout to a server's unix socket, as JSON lines, or as raw bytes for a client that upgrades itself. */
import { createConnection } from "node:net";
import { PassThrough, type Readable } from "node:stream";
import { pipe } from "../../rpc/pipe.ts";
import { LinesTransport } from "../../rpc/stdio.ts";
import { connectUnixSocket } from "../../rpc/unix-socket.ts";
import { controlSocket } from "../listen-flags.ts";
import { codexHome, readFlags, StartError } from "../usage.ts";
import { help } from "./help.ts";

export async function runProxy(args: readonly string[]): Promise<number> {
  const { values } = readFlags(args, help.commands.proxy);
  const path = values.sock ?? controlSocket(codexHome());
  await reach(path);
  const { input, speaksHttp } = await sniff(process.stdin);
  const code = speaksHttp ? await copyBytes(input, path) : await passLines(input, path);
  process.stdin.destroy(); // an open stdin would keep a finished proxy alive
  return code;
}

/** Fails at once when no server is listening, before reading any input. */
function reach(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once("error", (error) => reject(unreachable(path, error)));
    socket.once("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}

const unreachable = (path: string, error: Error): StartError => new StartError(`failed to connect to socket at ${path}: ${error.message}`);

/** A websocket client starts with `GET `, a JSON line never does. */
function sniff(stdin: Readable): Promise<{ input: Readable; speaksHttp: boolean }> {
  return new Promise((resolve) => {
    const input = new PassThrough();
    stdin.once("end", () => resolve({ input, speaksHttp: false }));
    stdin.once("data", (first: Buffer) => resolve({ input, speaksHttp: first.toString("latin1", 0, 4) === "GET " }));
    stdin.pipe(input);
  });
}

async function passLines(input: Readable, path: string): Promise<number> {
  const server = await connectUnixSocket(path).catch((error: Error) => {
    throw unreachable(path, error);
  });
  const broken = await pipe(new LinesTransport(input, process.stdout), server);
  if (broken !== undefined) throw new StartError(`the connection to ${path} ended: ${broken.message}`);
  return 0;
}

function copyBytes(input: Readable, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.on("error", (error) => reject(unreachable(path, error)));
    socket.on("connect", () => {
      input.pipe(socket);
      socket.pipe(process.stdout);
    });
    socket.on("close", () => resolve(0));
  });
}

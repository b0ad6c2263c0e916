/** `parley app-server proxy`: joins stdin and stdout to a server's unix socket, byte by byte, as a pipe for ssh. */
import { createConnection } from "node:net";
import { controlSocket } from "./listen-flags.ts";
import { codexHome, readFlags, StartError } from "./usage.ts";

export function runProxy(args: readonly string[]): Promise<number> {
  const { values } = readFlags(args, { sock: { type: "string" }, config: { type: "string", short: "c", multiple: true } });
  const path = values.sock ?? controlSocket(codexHome());
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.on("error", (error) => reject(new StartError(`failed to connect to socket at ${path}: ${error.message}`)));
    socket.on("connect", () => {
      process.stdin.pipe(socket);
      socket.pipe(process.stdout);
    });
    socket.on("close", () => resolve(0));
  });
}

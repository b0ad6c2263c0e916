/** Opens a transport to a running app-server by its address. */
import type { Transport } from "../rpc/transport.ts";
import type { ConnectOptions } from "../rpc/websocket.ts";

export async function connectTransport(url: string, options: ConnectOptions = {}): Promise<Transport> {
  if (url.startsWith("unix://")) {
    const { connectUnixSocket } = await import("../rpc/unix-socket.ts");
    return connectUnixSocket(url.slice("unix://".length), options);
  }
  if (!/^wss?:\/\//.test(url)) throw new TypeError(`cannot connect to ${url}: expected ws://HOST:PORT, wss://… or unix://PATH`);
  const { connectWebSocket } = await import("../rpc/websocket.ts");
  return connectWebSocket(url, options);
}

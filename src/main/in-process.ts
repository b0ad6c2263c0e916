/** A client of an app in the same process: what exec, the terminal and the other doors talk through. */
import { type Client, type ClientOptions, openClient } from "../client/client.ts";
import { memoryPair } from "../rpc/transport.ts";
import type { App } from "../server/app.ts";
import { type ConnectionOptions, serve } from "../server/connection.ts";
import { cleaned, userAgent } from "../server/introduce.ts";

export async function connectInProcess(app: App, options: ClientOptions & { readonly door?: ConnectionOptions } = {}): Promise<Client> {
  const [near, far] = memoryPair();
  serve(app, far, options.door);
  return await openClient(near, options);
}

/** The user agent that a client of this name would be told; for doors whose handshake is another's. */
export function userAgentFor(app: App, client: { readonly name: string; readonly version: string }): string {
  return userAgent(app, {
    client: { name: cleaned(client.name), title: null, version: cleaned(client.version) },
    dialect: app.compat ?? "0.92",
  });
}

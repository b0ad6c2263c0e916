/** A client of an app in the same process: what exec, the terminal and the other doors talk through. */
import { type Client, type ClientOptions, openClient } from "../client/client.ts";
import { memoryPair } from "../rpc/transport.ts";
import type { App } from "../server/app.ts";
import { type ConnectionOptions, serve } from "../server/connection.ts";

export async function connectInProcess(app: App, options: ClientOptions & { readonly door?: ConnectionOptions } = {}): Promise<Client> {
  const [near, far] = memoryPair();
  serve(app, far, options.door);
  return await openClient(near, options);
}

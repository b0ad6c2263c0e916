/** A client of an app in the same process: for exec, the terminal client and the other front ends. */
import { type Client, type ClientOptions, openClient } from "../client/client.ts";
import { memoryPair } from "../rpc/transport.ts";
import type { App } from "../server/app.ts";
import { type ConnectionOptions, serve } from "../server/connection.ts";

export async function connectInProcess(
  app: App,
  options: ClientOptions & { readonly connection?: ConnectionOptions } = {},
): Promise<Client> {
  const [near, far] = memoryPair();
  serve(app, far, options.connection);
  return await openClient(near, options);
}

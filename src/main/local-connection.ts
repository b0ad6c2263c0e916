/** Connections to an app in the same process, for listeners that bring their own transports. */
import { memoryPair, type Transport } from "../rpc/transport.ts";
import type { App } from "../server/app.ts";
import { serve } from "../server/connection.ts";

/** The client's end of a new connection to the app. */
export function connectLocally(app: App): Transport {
  const [near, far] = memoryPair();
  serve(app, far);
  return near;
}

/** Serves a client that another listener has accepted. */
export function serveLocally(app: App, transport: Transport): void {
  serve(app, transport);
}

/** Listens on an app's endpoints, resolves when nothing is left to serve, and shuts everything down in order. */
import { setTimeout as delay } from "node:timers/promises";
import type { CheckToken } from "../rpc/bearer.ts";
import { stdioTransport } from "../rpc/stdio.ts";
import type { Transport } from "../rpc/transport.ts";
import type { Listener } from "../rpc/websocket.ts";
import type { App } from "../server/app.ts";
import { type Connection, serve } from "../server/connection.ts";
import type { Greeting } from "./greet.ts";

export type Endpoint =
  | { readonly kind: "stdio" }
  | { readonly kind: "websocket"; readonly host: string; readonly port: number }
  | { readonly kind: "unix"; readonly path: string };

/** Which clients may connect over a socket. */
export interface AccessPolicy {
  readonly checkToken: CheckToken | undefined;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
}

export interface Listening {
  /** The addresses at which others can connect. */
  readonly urls: readonly string[];
  /** Resolves when the stdio client has disconnected and no other can connect; never while a socket is open. */
  readonly finished: Promise<void>;
  /** Ends every turn and connection. Resolves when clients have read everything that was sent, or after a few seconds. */
  close(): Promise<void>;
}

/** How long open requests may still take after the client has closed its end. */
const lastAnswersMs = 2000;
/** How long turns and commands may take to end. */
const endTurnsMs = 5000;
/** How long a client may take to read the remaining output. */
const flushMs = 2000;

/** `greeting` owns the stdio transport if it was opened before the app. */
export async function listenOn(app: App, endpoints: readonly Endpoint[], access: AccessPolicy, greeting?: Greeting): Promise<Listening> {
  const connections = new Set<Connection>();
  const join = (transport: Transport, introduction?: Greeting["introduction"]): Connection => {
    const connection = serve(app, transport, { introduction });
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
    return connection;
  };
  const listeners = await Promise.all(
    endpoints.map((endpoint) => openListener(endpoint, { ...access, onConnection: (transport) => join(transport), report: app.log.warn })),
  );
  const sockets = listeners.filter((listener) => listener !== undefined);
  app.subscriptions.listening = sockets.length > 0;

  const stdio = endpoints.some(({ kind }) => kind === "stdio") ? (greeting?.transport ?? stdioTransport()) : undefined;
  const own = stdio === undefined ? undefined : join(stdio, greeting?.introduction);
  greeting?.release();
  const finished = own === undefined || sockets.length > 0 ? new Promise<void>(() => {}) : lastAnswers(own);
  const close = async (): Promise<void> => {
    await Promise.race([app.close(), delay(endTurnsMs, undefined, { ref: false })]);
    for (const connection of connections) connection.close();
    await Promise.all(sockets.map((listener) => listener.close()));
    if (stdio !== undefined) await until(() => stdio.backlog === 0, flushMs);
  };
  return { urls: sockets.map((listener) => listener.url), finished, close };
}

type Rules = AccessPolicy & { readonly onConnection: (transport: Transport) => void; readonly report: App["log"]["warn"] };

/** The websocket library is loaded only when listening on sockets. */
async function openListener(endpoint: Endpoint, rules: Rules): Promise<Listener | undefined> {
  if (endpoint.kind === "stdio") return undefined;
  if (endpoint.kind === "unix") return (await import("../rpc/unix-socket.ts")).listenUnixSocket(endpoint.path, rules);
  return (await import("../rpc/websocket.ts")).listenWebSocket({ ...rules, host: endpoint.host, port: endpoint.port });
}

/** A client may write its requests and close its end at once: they are answered all the same. */
async function lastAnswers(connection: Connection): Promise<void> {
  await connection.closed;
  await until(() => connection.session.peer.inFlight === 0, lastAnswersMs);
}

async function until(isTrue: () => boolean, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs;
  while (!isTrue() && performance.now() < end) await delay(2);
}

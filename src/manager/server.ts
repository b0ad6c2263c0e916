/** Serves the manager on an address: HTTP for the routes and the page, websockets for events and for the protocol itself. */
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { type WebSocket, WebSocketServer } from "ws";
import { sparing } from "../lib/allowance.ts";
import { errorMessage, errorStack } from "../lib/error-text.ts";
import { requestTarget } from "../lib/request-target.ts";
import { onBrokenRequest } from "../rpc/broken-requests.ts";
import { cutFurthestBehind } from "../rpc/outbox.ts";
import { startListening } from "../rpc/websocket.ts";
import { maxMessageBytes, WebSocketTransport } from "../rpc/websocket-transport.ts";
import { allows, type Caller } from "./access.ts";
import { addressesOf } from "./addresses.ts";
import { routes } from "./api.ts";
import { checkQuery } from "./check.ts";
import { createHttp } from "./http.ts";
import type { Manager } from "./manager.ts";
import type { Pages } from "./pages.ts";
import { Previews } from "./previews.ts";
import { failure, invalid, Problem, problemOf } from "./problems.ts";
import { RequestGuard, safeHeaders, streamProtocol } from "./request-guard.ts";
import { EventStream, type StreamStart } from "./stream.ts";
import { serveTerminal, type TerminalStart, terminalProtocol } from "./terminal-socket.ts";

export interface ServeOptions {
  readonly manager: Manager;
  readonly pages: Pages;
  /** A literal IP address. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

export interface Served {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 120_000, connectionsCheckingInterval: 2000 };
const brokenTexts = { 400: "This is not HTTP, or its head is too large.", 408: "The request did not arrive completely in time." } as const;
const maxConnections = 1024;
const maxStreams = 256;
const maxTerminalSockets = 64;

export async function serveManager(options: ServeOptions): Promise<Served> {
  const { manager, host, tls } = options;
  const server = await makeServer(tls);
  await startListening(server, () => server.listen({ host, port: options.port }), manager.warn);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = `${tls === undefined ? "http" : "https"}://${shown}:${port}`;
  const listening = { host, port, scheme: tls === undefined ? "http" : "https", names: options.allowedHosts };
  manager.addresses = () => addressesOf(listening, networkInterfaces());
  const guard = new RequestGuard({ host, port, secure: tls !== undefined, allowedHosts: options.allowedHosts }, manager.access);
  manager.previews = new Previews({
    ...{ host, tls, ownPort: port, now: manager.now, warn: manager.warn },
    isOwnHost: (header) => guard.isOwnHost(header),
  });
  const serve = getRequestListener(createHttp({ manager, guard, pages: options.pages }).fetch, {
    overrideGlobalObjects: false,
    errorHandler: () => unreadable(),
  });
  server.on("request", (request, response) => {
    serve(request, response).catch((error: unknown) => {
      manager.warn("a request could not be answered", { error: errorStack(error) });
      response.destroy();
    });
  });
  const sockets = openSockets(server, manager, guard);
  return {
    url,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      sockets.close();
      manager.previews?.closeAll();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function makeServer(tls: ServeOptions["tls"]): Promise<Server> {
  const server = tls === undefined ? createServer(limits) : (await import("node:https")).createServer({ ...limits, ...tls });
  server.maxConnections = maxConnections;
  onBrokenRequest(server as Server, (socket, status) => refuse(socket, failure(status, "bad_request", brokenTexts[status])));
  return server as Server;
}

function openSockets(server: Server, manager: Manager, guard: RequestGuard): { close(): void } {
  const shared = { noServer: true, perMessageDeflate: false, clientTracking: false } as const;
  const events = new WebSocketServer({
    ...shared,
    maxPayload: 64 * 1024,
    handleProtocols: (offered) => (offered.has(streamProtocol) ? streamProtocol : false),
  });
  const protocol = new WebSocketServer({ ...shared, maxPayload: maxMessageBytes, autoPong: false });
  const terminals = openTerminals(manager);
  refuseBroken([events, protocol, terminals.sockets]);
  const streams = new Map<EventStream, string | undefined>();
  const transports = new Set<{ readonly transport: WebSocketTransport; readonly deviceId: string | undefined }>();
  manager.watched = () => new Set([...streams.keys()].flatMap((s) => [...s.watching]));
  manager.access.onRevoked = (deviceId) => {
    for (const [stream, owner] of streams) if (owner === deviceId) stream.close();
    for (const entry of transports) if (entry.deviceId === deviceId) entry.transport.close();
    terminals.revoked(deviceId);
    manager.push.unsubscribe(deviceId);
  };

  const warn = sparing(manager.warn);
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    try {
      upgrade(request, socket, head);
    } catch (error) {
      warn("a websocket could not be opened", { error: errorStack(error) });
      socket.destroy();
    }
  });

  /** The guard runs first: nothing but the credentials of an unknown client is read. */
  function upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const why = guard.refuse(request, false);
    if (why !== undefined) {
      warn("websocket refused", { why, from: request.socket.remoteAddress });
      return refuse(socket, failure(403, "forbidden", `Refused: ${why}.`));
    }
    const { path, query } = requestTarget(request.url);
    if (path === "/rpc") return openProtocol(request, socket, head);
    if (path === "/api/stream") return openStream(request, socket, head, query);
    if (path === "/api/terminal") return terminals.open({ request, socket, head, query, caller: guard.caller(request) });
    refuse(socket, failure(404, "no_such_route", "There is nothing here."));
  }

  /** For programs with a token only: a browser's cookie is not sufficient here. */
  function openProtocol(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const caller = request.headers.authorization === undefined ? undefined : guard.caller(request);
    const why = notAdmitted(caller, "admin");
    if (why !== undefined) return refuse(socket, why);
    const deviceId = deviceOf(caller);
    protocol.handleUpgrade(request, socket, head, (ws) => {
      socket.setNoDelay(true);
      const transport = new WebSocketTransport(ws, socket, {
        kind: "websocket",
        behind: () => cutFurthestBehind([...transports].map((entry) => entry.transport)),
      });
      const entry = { transport, deviceId };
      transports.add(entry);
      ws.on("close", () => transports.delete(entry));
      manager.engine.serve(transport).catch((error: unknown) => {
        warn("the engine cannot be reached for /rpc", { error: errorMessage(error) });
        transport.close();
      });
    });
  }

  function openStream(request: IncomingMessage, socket: Socket, head: Buffer, query: URLSearchParams): void {
    const caller = guard.caller(request);
    const why = notAdmitted(caller, "read");
    if (why !== undefined) return refuse(socket, why);
    if (streams.size >= maxStreams) return refuse(socket, failure(503, "too_many_streams", `At most ${maxStreams} event streams at once.`));
    let start: StreamStart;
    try {
      start = checkQuery(routes["GET /api/stream"], query);
    } catch (error) {
      return refuse(socket, problemOf(error) ?? failure(400, "invalid_request", "the query does not fit"));
    }
    events.handleUpgrade(request, socket, head, (ws) => {
      socket.setNoDelay(true);
      const stream: EventStream = new EventStream(manager.hub, { ws, socket }, start, () => streams.delete(stream));
      streams.set(stream, deviceOf(caller));
    });
  }

  return {
    close() {
      for (const stream of streams.keys()) stream.close();
      terminals.close();
      for (const { transport } of transports) transport.close();
    },
  };
}

function refuseBroken(servers: readonly WebSocketServer[]): void {
  for (const sockets of servers)
    sockets.on(
      "wsClientError",
      (
        error,
        socket, // never throws: the text is the library's own
      ) => refuse(socket, invalid([{ path: "", message: `not a websocket's opening: ${error.message}` }])),
    );
}

interface Opening {
  readonly request: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly query: URLSearchParams;
  readonly caller: Caller | Problem | undefined;
}

/** The websockets of terminals, by the device that they belong to. */
function openTerminals(manager: Manager): {
  readonly sockets: WebSocketServer;
  open(opening: Opening): void;
  revoked(deviceId: string): void;
  close(): void;
} {
  const shown = new Map<WebSocket, string | undefined>();
  const sockets = new WebSocketServer({
    ...{ noServer: true, perMessageDeflate: false, clientTracking: false, maxPayload: 256 * 1024 },
    handleProtocols: (offered) => (offered.has(terminalProtocol) ? terminalProtocol : false),
  });
  return {
    sockets,
    open({ request, socket, head, query, caller }) {
      const why = notAdmitted(caller, "admin");
      if (why !== undefined) return refuse(socket, why);
      if (shown.size >= maxTerminalSockets)
        return refuse(socket, failure(503, "too_many_terminals", `At most ${maxTerminalSockets} terminals are shown at once.`));
      let start: TerminalStart;
      try {
        start = checkQuery(routes["GET /api/terminal"], query) as unknown as TerminalStart;
      } catch (error) {
        return refuse(socket, problemOf(error) ?? failure(400, "invalid_request", "the query does not fit"));
      }
      const by = caller === undefined || caller instanceof Problem ? "" : caller.actor.name;
      sockets.handleUpgrade(request, socket, head, (ws) => {
        socket.setNoDelay(true);
        shown.set(ws, deviceOf(caller));
        ws.on("close", () => shown.delete(ws));
        serveTerminal(manager, ws, start, by).catch((error: unknown) => {
          manager.warn("a terminal could not be shown", { error: errorMessage(error) });
          ws.terminate();
        });
      });
    },
    revoked(deviceId) {
      for (const [socket, owner] of shown) if (owner === deviceId) socket.terminate();
    },
    close() {
      for (const socket of shown.keys()) socket.terminate();
    },
  };
}

/** A request target that HTTP allows but that is not a valid URL. */
const unreadable = (): Response =>
  Response.json(failure(400, "bad_request", "This address cannot be read.").body, { status: 400, headers: safeHeaders });

const deviceOf = (caller: Caller | Problem | undefined): string | undefined =>
  caller === undefined || caller instanceof Problem ? undefined : caller.device?.deviceId;

/** Why the caller is refused; undefined if it is allowed. */
function notAdmitted(caller: Caller | Problem | undefined, scope: "read" | "admin"): Problem | undefined {
  if (caller === undefined) return failure(401, "signed_out", "Sign in first.");
  if (caller instanceof Problem) return caller;
  if (allows(caller.scope, scope)) return undefined;
  return failure(403, "scope", `This needs the scope ${scope}; this device has ${caller.scope}.`);
}

const safeLines = Object.entries(safeHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join("");

/** Rejects an upgrade with the same problem object that the routes send. */
function refuse(socket: Duplex, { status, body }: Problem): void {
  if (!socket.writable) return void socket.destroy();
  const json = JSON.stringify(body);
  const challenge = status === 401 ? "www-authenticate: Bearer\r\n" : "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}\r\n${challenge}connection: close\r\n${safeLines}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
    () => socket.destroy(),
  );
}

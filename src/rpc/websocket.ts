/** Websocket listeners and connections over TCP. Access is checked here, before any message is read. */
import type { IncomingMessage, RequestListener, Server } from "node:http";
import { isIPv4, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { sparing } from "../lib/allowance.ts";
import { errorStack } from "../lib/error-text.ts";
import { onBrokenRequest } from "./broken-requests.ts";
import { type AccessRules, hostRule, refuseRequest, refuseToken } from "./http-access.ts";
import { cutFurthestBehind, type ReaderLimits } from "./outbox.ts";
import type { Transport } from "./transport.ts";
import { maxMessageBytes, WebSocketTransport } from "./websocket-transport.ts";

/** What a listener reports to its operator; never a token. */
export type Report = (message: string, fields: Readonly<Record<string, unknown>>) => void;

export interface ListenerRules extends AccessRules {
  /** `request`: the one that opened the connection. */
  readonly onConnection: (transport: Transport, request: IncomingMessage) => void;
  /** Makes it `wss`. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly maxConnections?: number | undefined;
  readonly report?: Report | undefined;
  readonly readerLimits?: ReaderLimits | undefined;
}

export interface ListenOptions extends ListenerRules {
  /** A literal IP address. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Names allowed in a Host header, in addition to the address and the loopback names. */
  readonly allowedHosts?: readonly string[] | undefined;
}

export interface Listener {
  /** As a client would write it: `ws://127.0.0.1:4500`, `unix:///run/x.sock`. */
  readonly url: string;
  /** Stops accepting connections, closes the open ones and resolves when they are closed. */
  close(): Promise<void>;
}

const maxHeaderBytes = 16 * 1024;
const headTimeoutMs = 10_000;
const maxConnections = 1024;
const connectMs = 10_000;

/** Contract: the caller has ensured that an address reachable from other machines always has `checkToken`. */
export async function listenWebSocket(options: ListenOptions): Promise<Listener> {
  const isOwnHost = hostRule(options.host, options.allowedHosts ?? []);
  const sockets = await createSocketServer(options, "websocket", isOwnHost);
  await startListening(sockets.server, () => sockets.server.listen({ host: options.host, port: options.port }), options.report);
  const address = sockets.server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  return {
    url: `${options.tls === undefined ? "ws" : "wss"}://${isIPv4(options.host) ? options.host : `[${options.host}]`}:${port}`,
    close: sockets.close,
  };
}

export const isLoopback = (address: string): boolean =>
  isIPv4(address) ? address.startsWith("127.") : address === "::1" || address.toLowerCase().startsWith("::ffff:127.");

/** Rejects with the system's error if the server cannot listen. Later errors, such as no file descriptor left for a new connection, are reported. */
export function startListening(server: Server, listen: () => void, report?: Report | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      server.on("error", (error) => report?.("a connection could not be accepted", { error: error.message }));
      resolve();
    });
    listen();
  });
}

export interface SocketServer {
  readonly server: Server;
  readonly close: () => Promise<void>;
}

/** An HTTP server with two health endpoints that upgrades every other permitted request to a websocket. */
export async function createSocketServer(
  rules: ListenerRules,
  kind: "websocket" | "unix",
  isOwnHost: (host: string) => boolean,
): Promise<SocketServer> {
  const { WebSocketServer } = await import("ws");
  const open = new Set<Transport>();
  const report = sparing(rules.report ?? (() => {}));
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxMessageBytes,
    autoPong: false,
    clientTracking: false,
  });
  const limits = { maxHeaderSize: maxHeaderBytes, headersTimeout: headTimeoutMs, requestTimeout: headTimeoutMs, keepAlive: true };
  const answer: RequestListener = (request, response) => {
    try {
      const refused = refuseRequest(request, rules, isOwnHost);
      const status = refused === undefined ? plainAnswer(request) : refused.status;
      response.writeHead(status, { "content-length": 0, connection: "close", ...(status === 405 ? { allow: "GET, HEAD" } : {}) }).end();
    } catch (error) {
      report("a request could not be answered", { error: errorStack(error) });
      response.destroy();
    }
  };
  const settings = { ...limits, connectionsCheckingInterval: 2000 };
  const server =
    rules.tls === undefined
      ? (await import("node:http")).createServer(settings, answer)
      : (await import("node:https")).createServer({ ...settings, ...rules.tls }, answer);
  server.maxConnections = rules.maxConnections ?? maxConnections;
  onBrokenRequest(server, refuse);
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    try {
      upgrade(request, socket, head);
    } catch (error) {
      report("a websocket could not be opened", { error: errorStack(error) });
      socket.destroy();
    }
  });
  const upgrade = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const refused = refuseRequest(request, rules, isOwnHost) ?? refuseToken(request, rules.checkToken);
    if (refused !== undefined) {
      report("websocket client refused", { status: refused.status, why: refused.why, from: request.socket.remoteAddress });
      return refuse(socket, refused.status);
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      socket.setNoDelay?.(true);
      socket.setKeepAlive?.(true, 60_000);
      const transport = new WebSocketTransport(ws, socket, { kind, limits: rules.readerLimits, behind: () => cutFurthestBehind(open) });
      open.add(transport);
      ws.on("close", () => open.delete(transport));
      rules.onConnection(transport, request);
    });
  };
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    for (const transport of open) transport.close();
    await closed;
  };
  return { server, close };
}

function plainAnswer(request: IncomingMessage): number {
  const path = request.url?.split("?", 1)[0];
  if (request.method !== "GET" && request.method !== "HEAD") return 405;
  return path === "/healthz" || path === "/readyz" ? 200 : 400;
}

const reasons = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  408: "Request Timeout",
} as const;

function refuse(socket: Duplex, status: keyof typeof reasons): void {
  const challenge = status === 401 ? "www-authenticate: Bearer\r\n" : "";
  if (!socket.writable) return void socket.destroy();
  socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${challenge}connection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

export interface ConnectOptions {
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string | undefined;
  /** Further headers of the opening request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The only certificate that is accepted at a `wss` address, by its SHA-256 in hex; who issued it and for which name is not asked. */
  readonly certSha256?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Opens a connection to `ws://…` or `wss://…`. Rejects with the reason if the server is not running or refuses the connection. */
export async function connectWebSocket(url: string, options: ConnectOptions = {}): Promise<Transport> {
  if (options.certSha256 === undefined || !url.startsWith("wss:")) return await openWebSocket(url, "websocket", options, {});
  const socket = await pinnedSocket(url, options.certSha256, options.timeoutMs ?? connectMs);
  return await openWebSocket(url, "websocket", options, { createConnection: () => socket });
}

/** Nothing, and above all no token, is sent before the certificate was compared. */
async function pinnedSocket(url: string, certSha256: string, timeoutMs: number): Promise<Socket> {
  const { connect } = await import("node:tls");
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const expected = certSha256.replaceAll(":", "").toLowerCase();
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false });
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(timeoutMs, () => fail(new Error("the other side does not answer")));
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      const shown = socket.getPeerCertificate().fingerprint256?.replaceAll(":", "").toLowerCase();
      if (shown !== expected) return fail(new Error("the other side shows another certificate than the one that is known"));
      socket.setTimeout(0);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

export async function openWebSocket(
  url: string,
  kind: "websocket" | "unix",
  options: ConnectOptions,
  extra: { readonly createConnection?: () => Socket },
): Promise<Transport> {
  options.signal?.throwIfAborted();
  const { WebSocket } = await import("ws");
  if (kind === "websocket" && !/^ws:\/\/(?:localhost|127\.|\[::1\])/.test(url))
    (await import("../lib/network.ts")).openNetwork(process.env);
  return new Promise((resolve, reject) => {
    const ws = new WebSocket(url, {
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: 4 * maxMessageBytes,
      handshakeTimeout: options.timeoutMs ?? connectMs,
      headers: { ...options.headers, ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }) },
      ...extra,
    });
    const abort = (): void => {
      reject(options.signal?.reason);
      ws.terminate();
    };
    options.signal?.addEventListener("abort", abort, { once: true });
    ws.on("error", reject);
    // The transport must listen before the first frame is read, and frames may arrive in the same packet as the upgrade response.
    ws.on("upgrade", (response) => {
      // never throws: only creates the transport
      const transport = new WebSocketTransport(ws, response.socket, { kind });
      ws.once("open", () => {
        options.signal?.removeEventListener("abort", abort);
        ws.off("error", reject);
        resolve(transport);
      });
    });
  });
}

/** The proxy for programs that speak HTTP: requests with a whole address, and CONNECT for everything encrypted. */
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import type { NetworkTarget } from "../../core/ports/network-access.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { canonicalHost } from "../../lib/host-pattern.ts";
import type { Upstream } from "./dial.ts";
import type { Refused } from "./gate.ts";
import { tunnel } from "./tunnel.ts";

const mostHeaderBytes = 32 * 1024;
const idleMs = 15 * 60_000;
/** Requests on one connection before the first is answered. Programs send one; each costs the server memory. */
const mostAhead = 8;

export interface HttpWays {
  /** A connection for a tunnel. */
  open(target: NetworkTarget): Promise<Socket | Refused>;
  /** A connection for one request; through another proxy, the request names the whole address. */
  openForRequest(
    target: NetworkTarget,
    method: string,
  ): Promise<{ readonly socket: Socket; readonly upstream: Upstream | undefined } | Refused>;
}

/** Serves the connections that are given to it as `connection` events; it never listens itself. */
export function httpDoor(ways: HttpWays): Server {
  const open = new WeakMap<Socket, number>();
  const server = createServer({ maxHeaderSize: mostHeaderBytes, keepAliveTimeout: 60_000 }, (request, response) => {
    const { socket } = request;
    open.set(socket, (open.get(socket) ?? 0) + 1);
    response.on("close", () => open.set(socket, (open.get(socket) ?? 1) - 1));
    if ((open.get(socket) ?? 0) > mostAhead) return void socket.destroy();
    forward(request, response, ways).catch((error: unknown) => failWith(response, 502, errorMessage(error)));
  });
  server.on("connect", (request, socket, head) => {
    connectTo(request, { socket, head }, ways).catch(() => socket.destroy());
  });
  server.on("clientError", (_, socket) => {
    // never throws: a socket that is gone drops the answer
    if (socket.writable) socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    else socket.destroy();
  });
  server.timeout = idleMs;
  return server;
}

async function connectTo(request: IncomingMessage, { socket, head }: { socket: Duplex; head: Buffer }, ways: HttpWays): Promise<void> {
  socket.on("error", () => socket.destroy());
  if ("setTimeout" in socket && typeof socket.setTimeout === "function") socket.setTimeout(0);
  const target = authority(request.url ?? "", "https");
  const opened = target === undefined ? undefined : await ways.open(target);
  if (opened === undefined || "block" in opened) {
    socket.end(opened === undefined ? plainAnswer(400, "give CONNECT a host and a port") : blockedAnswer(opened));
    return;
  }
  if (socket.destroyed) return void opened.destroy();
  socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) socket.unshift(head);
  tunnel(socket, opened);
}

async function forward(request: IncomingMessage, response: ServerResponse, ways: HttpWays): Promise<void> {
  const asked = addressOf(request);
  if (typeof asked === "string") return failWith(response, 400, asked);
  const { target, path } = asked;
  const method = request.method ?? "GET";
  const way = await ways.openForRequest(target, method);
  if ("block" in way) return way.block === "failed" ? failWith(response, 502, way.text) : sendBlocked(response, target, way);
  const { socket, upstream } = way;
  if (response.destroyed) return void socket.destroy();
  const name = hostText(target);
  const host = target.port === 80 ? name : `${name}:${target.port}`;
  const credentials = upstream?.authorization === undefined ? {} : { "proxy-authorization": upstream.authorization };
  const outgoing = openRequest({
    ...{ method, setHost: false, maxHeaderSize: mostHeaderBytes, createConnection: () => socket },
    path: upstream === undefined ? path : `http://${host}${path}`,
    headers: { ...endToEnd(request), host, connection: "close", ...credentials },
  });
  response.on("close", () => outgoing.destroy());
  outgoing.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer));
    pipeline(answer, response, () => undefined);
  });
  outgoing.on("error", (error) => failWith(response, 502, errorMessage(error)));
  carryBody(request, outgoing);
}

function carryBody(request: IncomingMessage, outgoing: ClientRequest): void {
  pipeline(request, outgoing, () => undefined);
}

/** The address that a request is for, or why it is refused. The line counts, and a `host` header that says something else is a trick. */
function addressOf(request: IncomingMessage): { readonly target: NetworkTarget; readonly path: string } | string {
  const text = request.url ?? "";
  const [, scheme = "", place = "", path = ""] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)$/i.exec(text) ?? [];
  if (scheme === "") return "this is a proxy: give it the whole address of what you want";
  if (scheme.toLowerCase() !== "http") return `use CONNECT for ${scheme}`;
  const target = authority(place, "http", 80);
  if (target === undefined) return "the address has no host, or more than a host and a port before its path";
  const hosts = headerValues(request, "host");
  const named = hosts.length === 1 ? authority(hosts[0] ?? "", "http", 80) : undefined;
  if (hosts.length > 1 || (hosts.length === 1 && (named?.host !== target.host || named.port !== target.port)))
    return "the host header names another host than the address";
  return { target, path: path.startsWith("/") ? path : `/${path}` };
}

/** `host:port`; neither names nor passwords before it. */
function authority(text: string, protocol: NetworkTarget["protocol"], usual?: number): NetworkTarget | undefined {
  const [, name = "", digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = canonicalHost(name);
  const port = digits === undefined ? usual : Number(digits);
  return host === undefined || port === undefined || port < 1 || port > 65_535 ? undefined : { protocol, host, port };
}

const headerValues = ({ rawHeaders }: IncomingMessage, name: string): string[] =>
  rawHeaders.flatMap((each, i) => (i % 2 === 0 && each.toLowerCase() === name ? [rawHeaders[i + 1] ?? ""] : []));

const hopByHop = new Set([
  ...["connection", "proxy-connection", "keep-alive", "proxy-authorization", "proxy-authenticate", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "expect", "http2-settings"],
]);

/** Without headers that are meant for this proxy, or that the `connection` header names. */
function endToEnd(message: IncomingMessage): Record<string, string | string[]> {
  const named = headerValues(message, "connection").flatMap((value) => value.toLowerCase().split(/\s*,\s*/));
  const kept = Object.entries(message.headersDistinct).filter(
    ([name]) => !hopByHop.has(name) && (name === "content-length" || !named.includes(name)),
  );
  return Object.fromEntries(kept.map(([name, values = []]) => [name, values.length === 1 ? (values[0] ?? "") : values]));
}

const errorHeaders: Readonly<Record<Refused["block"], string>> = {
  denied: "blocked-by-denylist",
  not_allowed: "blocked-by-allowlist",
  not_allowed_local: "blocked-by-allowlist",
  method_not_allowed: "blocked-by-method-policy",
  mitm_required: "blocked-by-mitm-required",
  failed: "unreachable",
};

function sendBlocked(response: ServerResponse, { host, port, protocol }: NetworkTarget, { block, source, text }: Refused): void {
  const body = JSON.stringify({ status: "blocked", host, reason: block, decision: "deny", source, protocol, port, message: text });
  response.writeHead(403, { "content-type": "application/json", "x-proxy-error": errorHeaders[block] });
  response.end(body);
}

const blockedAnswer = ({ block, text }: Refused): string =>
  plainAnswer(block === "failed" ? 502 : 403, text, `x-proxy-error: ${errorHeaders[block]}\r\n`);

const plainAnswer = (status: number, text: string, headers = ""): string =>
  `HTTP/1.1 ${status} ${status === 403 ? "Forbidden" : status === 400 ? "Bad Request" : "Bad Gateway"}\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\n${headers}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

function failWith(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(text);
}

const hostText = ({ host }: NetworkTarget): string => (host.includes(":") ? `[${host}]` : host);

/** The front's address: a websocket for clients with a token, whether it can serve them, and what operators ask. */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { FleetTokens, FleetUser } from "../core/ports/fleet.ts";
import { sparing } from "../lib/allowance.ts";
import { errorStack } from "../lib/error-text.ts";
import { requestTarget } from "../lib/request-target.ts";
import { onBrokenRequest } from "../rpc/broken-requests.ts";
import { hostRule, refuseRequest, repeatedHeader } from "../rpc/http-access.ts";
import { cutFurthestBehind } from "../rpc/outbox.ts";
import { startListening } from "../rpc/websocket.ts";
import { maxMessageBytes, serviceRestart, WebSocketTransport } from "../rpc/websocket-transport.ts";
import type { FleetAnswer } from "./fleet-routes.ts";
import type { Front } from "./front.ts";

export interface FrontServerOptions {
  readonly front: Front;
  readonly tokens: FleetTokens;
  /** Further addresses; undefined for a path that is none of them. `user` is undefined without a token that is known. */
  answer?(request: { readonly method: string; readonly pathname: string }, user: FleetUser | undefined): Promise<FleetAnswer | undefined>;
  /** A literal IP address. */
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface ServedFront {
  readonly url: string;
  /** Clients are asked to come back, here or at another front. */
  close(): Promise<void>;
}

const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 };
const maxConnections = 4096;
const maxTokenChars = 512;
/** How soon a revoked token ends its connections. */
const tokenCheckMs = 5000;
const policyViolation = 1008;

export async function serveFront(options: FrontServerOptions): Promise<ServedFront> {
  const { host, tls } = options;
  const warn = sparing(options.warn);
  const server = (tls === undefined ? createServer(limits) : (await import("node:https")).createServer({ ...limits, ...tls })) as Server;
  server.maxConnections = maxConnections;
  onBrokenRequest(server, (socket, status) => refuse(socket, problem(status, "bad_request", "This is not HTTP, or it came too slowly.")));
  const door = new Door(options, warn);
  server.on("request", (request, response) => {
    door.answer(request, response).catch((error: unknown) => {
      warn("a request could not be answered", { error: errorStack(error) });
      if (response.headersSent) response.destroy();
      else send(response, problem(503, "unavailable", "The fleet's engine does not answer; try again later."));
    });
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    door.upgrade(request, socket, head).catch((error: unknown) => {
      warn("a websocket could not be opened", { error: errorStack(error) });
      refuse(socket, problem(503, "unavailable", "The fleet's engine does not answer; try again later."));
    });
  });
  await startListening(server, () => server.listen({ host, port: options.port }), warn);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    url: `${tls === undefined ? "http" : "https"}://${shown}:${port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      door.close();
      server.closeIdleConnections();
      await closed;
    },
  };
}

class Door {
  readonly #options: FrontServerOptions;
  readonly #warn: FrontServerOptions["warn"];
  readonly #isOwnHost: (host: string) => boolean;
  readonly #sockets = new WebSocketServer({
    ...{ noServer: true, perMessageDeflate: false, clientTracking: false, autoPong: false },
    maxPayload: maxMessageBytes,
  });
  /** With the token, which is looked at again from time to time. */
  readonly #open = new Map<WebSocketTransport, { readonly token: string; readonly user: FleetUser }>();
  readonly #timer = setInterval(() => this.#checkTokens(), tokenCheckMs).unref();
  #isClosed = false;

  constructor(options: FrontServerOptions, warn: FrontServerOptions["warn"]) {
    this.#options = options;
    this.#warn = warn;
    this.#isOwnHost = hostRule(options.host, options.allowedHosts);
    this.#sockets.on(
      "wsClientError",
      (
        error,
        socket, // never throws: the text is the library's own
      ) => refuse(socket, problem(400, "bad_request", `Not a websocket: ${error.message}`)),
    );
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const why = refuseRequest(request, {}, this.#isOwnHost);
    if (why !== undefined) return send(response, problem(why.status, "forbidden", `Refused: ${why.why}.`));
    const { path: pathname } = requestTarget(request.url);
    const { method = "GET" } = request;
    if (pathname === "/api/health") return send(response, this.#health());
    const further = await this.#options.answer?.({ method, pathname }, await this.#userOf(request));
    if (further !== undefined) return send(response, further);
    if (pathname === "/") return send(response, { status: 200, contentType: "text/plain; charset=utf-8", body: about });
    if (pathname === "/rpc") return send(response, problem(426, "upgrade_required", "This address takes websockets only."));
    send(response, problem(404, "not_found", "There is nothing at this address."));
  }

  async upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const why = refuseRequest(request, {}, this.#isOwnHost);
    if (why !== undefined) {
      this.#warn("websocket refused", { why: why.why, from: request.socket.remoteAddress });
      return refuse(socket, problem(why.status, "forbidden", `Refused: ${why.why}.`));
    }
    if (requestTarget(request.url).path !== "/rpc") return refuse(socket, problem(404, "not_found", "There is nothing at this address."));
    const token = tokenOf(request);
    const user = token === undefined ? undefined : await this.#options.tokens.find(token);
    if (token === undefined || user === undefined) {
      this.#warn("a client without a valid token was refused", { from: request.socket.remoteAddress });
      return refuse(socket, problem(401, "unauthorized", "Send a token of the fleet as Authorization: Bearer TOKEN."));
    }
    if (this.#isClosed) return void socket.destroy();
    this.#sockets.handleUpgrade(request, socket, head, (ws) => {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 60_000);
      const transport = new WebSocketTransport(ws, socket, { kind: "websocket", behind: () => cutFurthestBehind(this.#open.keys()) });
      this.#open.set(transport, { token, user });
      ws.on("close", () => this.#open.delete(transport));
      this.#options.front.serve(transport, user);
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const transport of this.#open.keys()) transport.close(serviceRestart);
  }

  /** A connection ends with its token, and begins anew with other rights. */
  #checkTokens(): void {
    for (const token of new Set([...this.#open.values()].map((one) => one.token)))
      this.#options.tokens.find(token).then(
        (now) => {
          for (const [transport, { token: shown, user }] of this.#open)
            if (shown === token && JSON.stringify(now) !== JSON.stringify(user)) transport.close(policyViolation);
        },
        () => {}, // the engine does not answer: the next look decides
      );
  }

  #health(): FleetAnswer {
    const ok = this.#options.front.fleet.isAlive && !this.#isClosed;
    return json(ok ? 200 : 503, ok ? { ok } : { ok, reason: "the fleet's engine does not answer" });
  }

  async #userOf(request: IncomingMessage): Promise<FleetUser | undefined> {
    const token = tokenOf(request);
    return token === undefined ? undefined : await this.#options.tokens.find(token);
  }
}

/** A token in an address would end up in logs and histories: the header alone counts. */
function tokenOf(request: IncomingMessage): string | undefined {
  if (repeatedHeader(request, ["authorization"]) !== undefined) return undefined;
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  return token === undefined || token.length > maxTokenChars ? undefined : token;
}

const about =
  "This is a front of a Parley fleet. Clients connect to /rpc with a token of the fleet.\nFor the page, run on any machine: parley manager --connect THIS-ADDRESS/rpc --connect-token-file FILE\n";

const json = (status: number, value: unknown): FleetAnswer => ({
  status,
  contentType: "application/json; charset=utf-8",
  body: JSON.stringify(value),
});
const problem = (status: number, code: string, message: string): FleetAnswer => json(status, { error: { code, message } });

const safeHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

function send(response: ServerResponse, { status, contentType, body }: FleetAnswer): void {
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {};
  response
    .writeHead(status, { ...safeHeaders, ...challenge, "content-type": contentType, "content-length": Buffer.byteLength(body) })
    .end(body);
}

function refuse(socket: Duplex, { status, contentType, body }: FleetAnswer): void {
  if (!socket.writable) return void socket.destroy();
  const challenge = status === 401 ? "www-authenticate: Bearer\r\n" : "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}\r\n${challenge}connection: close\r\ncontent-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

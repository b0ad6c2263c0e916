/** Previews of local ports: each is a reverse proxy on a port, and so an origin, of its own, for signed-in browsers only and without the manager's cookies. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import http, { type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorMessage } from "../lib/error-text.ts";
import { randomUuid } from "../lib/random.ts";
import { startListening } from "../rpc/websocket.ts";
import type { Preview } from "./api/terminals.ts";
import { failure } from "./problems.ts";

export interface PreviewPorts {
  /** The address that the manager listens on, with its certificate if it has one. */
  readonly host: string;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** The manager's own port, which is not shown. */
  readonly ownPort: number;
  /** Whether a Host header names this machine; anything else would be a page that had its name point here. */
  isOwnHost(header: string): boolean;
  now(): number;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
}

interface Open {
  readonly record: Preview;
  readonly server: Server;
  readonly sockets: Set<Duplex>;
  /** Digests of the one-time code and of the browsers' cookies. */
  code: Buffer | undefined;
  readonly cookies: Buffer[];
}

const maxPreviews = 20;
const maxBrowsers = 50;
const codeName = "parley-preview";
const lifeMs = 12 * 60 * 60_000;
const limits = { maxHeaderSize: 32 * 1024, headersTimeout: 10_000, connectionsCheckingInterval: 5000 };
const maxConnections = 256;
const unreachableMs = 10_000;

export class Previews {
  readonly #ports: PreviewPorts;
  readonly #open = new Map<string, Open>();

  constructor(ports: PreviewPorts) {
    this.#ports = ports;
  }

  get all(): readonly Preview[] {
    return [...this.#open.values()].map(({ record }) => record);
  }

  /** Opens a preview, or another way into one that is open already. The code in the URL works once. */
  async open(port: number, by: string): Promise<{ preview: Preview; url: string }> {
    this.sweep();
    if (port === this.#ports.ownPort || this.all.some(({ address }) => new URL(address).port === String(port)))
      throw failure(409, "own_port", "This is a port of the manager itself.");
    let open = [...this.#open.values()].find(({ record }) => record.port === port);
    if (open === undefined) {
      if (this.#open.size >= maxPreviews)
        throw failure(409, "too_many_previews", `${maxPreviews} previews are open, the most that there may be. Close one first.`);
      open = await this.#start(port, by);
    }
    const code = randomBytes(24).toString("base64url");
    open.code = sha256(code);
    return { preview: open.record, url: `${open.record.address}/?${codeName}=${code}` };
  }

  close(previewId: string): boolean {
    const open = this.#open.get(previewId);
    if (open === undefined) return false;
    this.#open.delete(previewId);
    for (const socket of open.sockets) socket.destroy();
    open.server.close();
    open.server.closeAllConnections();
    return true;
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id);
  }

  async #start(port: number, by: string): Promise<Open> {
    const { host, tls, warn } = this.#ports;
    const server = (
      tls === undefined ? http.createServer(limits) : (await import("node:https")).createServer({ ...limits, ...tls })
    ) as Server;
    server.maxConnections = maxConnections;
    await startListening(server, () => server.listen({ host, port: 0 }), warn);
    const listening = server.address();
    const own = typeof listening === "object" && listening !== null ? listening.port : 0;
    const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
    const address = `${tls === undefined ? "http" : "https"}://${shown}:${own}`;
    const record: Preview = { previewId: randomUuid(), port, by, openedAt: new Date(this.#ports.now()).toISOString(), address };
    const open: Open = { record, server, sockets: new Set(), code: undefined, cookies: [] };
    this.#open.set(record.previewId, open);
    server.on("request", (request, response) => {
      try {
        this.#serve(open, request, response);
      } catch (error) {
        this.#failed(error, response);
      }
    });
    server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      try {
        this.#upgrade(open, request, socket, head);
      } catch (error) {
        this.#failed(error, socket);
      }
    });
    server.on("clientError", (_, socket) => socket.destroy()); // never throws: it ends the connection
    return open;
  }

  #failed(error: unknown, of: { destroy(): unknown }): void {
    this.#ports.warn("a preview could not be shown", { error: errorMessage(error) });
    of.destroy();
  }

  #serve(open: Open, request: IncomingMessage, response: ServerResponse): void {
    if (!this.#ports.isOwnHost(request.headers.host ?? "")) return refuse(response, 403, "The Host is not this preview's.");
    if (this.#admitted(open, request, response)) forward(open.record.port, request, response);
  }

  /** Exchanges the one-time code for a cookie of this preview; otherwise requires the cookie. */
  #admitted(open: Open, request: IncomingMessage, response: ServerResponse): boolean {
    const name = cookieName(open);
    const code = codeIn(request.url ?? "");
    if (code !== undefined && open.code !== undefined && timingSafeEqual(sha256(code), open.code) && request.method === "GET") {
      open.code = undefined;
      const cookie = randomBytes(24).toString("base64url");
      open.cookies.push(sha256(cookie));
      open.cookies.splice(0, open.cookies.length - maxBrowsers);
      const secure = this.#ports.tls === undefined ? "" : "; Secure";
      response.writeHead(303, {
        location: withoutCode(request.url ?? "/"),
        "set-cookie": `${name}=${cookie}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${lifeMs / 1000}${secure}`,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
      });
      response.end();
      return false;
    }
    if (hasCookie(open, request.headers.cookie)) return true;
    refuse(response, 403, "Open this preview from Parley's page: its link works once for each browser.");
    return false;
  }

  #upgrade(open: Open, request: IncomingMessage, socket: Socket, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    const { host = "", origin, cookie } = request.headers;
    const isOwn = this.#ports.isOwnHost(host) && (origin === undefined || URL.canParse(origin)) && hasCookie(open, cookie);
    // Another page of this host sends the same cookies; only the preview's own pages may open a websocket.
    if (!isOwn || (origin !== undefined && new URL(origin).host !== host)) return void socket.destroy();
    const target = connect({ host: "localhost", port: open.record.port });
    const end = (): void => {
      socket.destroy();
      target.destroy();
      open.sockets.delete(socket);
    };
    open.sockets.add(socket);
    for (const one of [socket, target]) one.on("error", end).on("close", end);
    target.on("connect", () => {
      const lines = Object.entries(passedOn(request.headers, open.record.port)).flatMap(([name, value]) =>
        [value].flat().map((one) => `${name}: ${one}`),
      );
      target.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
  }

  /** Closes those that were open long enough. */
  sweep(): void {
    const now = this.#ports.now();
    for (const { record } of [...this.#open.values()]) if (now - Date.parse(record.openedAt) > lifeMs) this.close(record.previewId);
  }
}

function forward(port: number, request: IncomingMessage, response: ServerResponse): void {
  const target = http.request(
    { host: "localhost", port, method: request.method, path: request.url, headers: passedOn(request.headers, port), agent: false },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, passedBack(answer.headers));
      answer.on("error", () => response.destroy());
      answer.pipe(response);
    },
  );
  target.setTimeout(unreachableMs, () => {
    // A program that has answered may take its time, for example to stream events.
    if (!response.headersSent && target.socket?.connecting === true) target.destroy(new Error("no answer"));
  });
  target.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502, `Nothing answers on port ${port} of this machine: ${errorMessage(error)}`);
  });
  response.on("close", () => target.destroy());
  request.on("error", () => target.destroy());
  request.pipe(target);
}

/** The program sees its own address, and none of the manager's secrets. */
function passedOn(headers: IncomingHttpHeaders, port: number): http.OutgoingHttpHeaders {
  const { cookie, host: _, origin, referer, ...rest } = headers;
  const own = (cookie ?? "")
    .split(";")
    .map((one) => one.trim())
    .filter((one) => one !== "" && !one.startsWith("parley_"));
  const localhost = `http://localhost:${port}`;
  return {
    ...rest,
    host: `localhost:${port}`,
    ...(own.length === 0 ? {} : { cookie: own.join("; ") }),
    ...(origin === undefined ? {} : { origin: localhost }),
    ...(referer === undefined || !URL.canParse(referer) ? {} : { referer: localhost + new URL(referer).pathname }),
  };
}

/** Its cookies cannot replace the manager's, and its redirects to itself stay in the preview. */
function passedBack(headers: IncomingHttpHeaders): http.OutgoingHttpHeaders {
  const { "set-cookie": cookies, location, ...rest } = headers;
  const own = (cookies ?? []).filter((cookie) => !cookie.trimStart().startsWith("parley_"));
  const local = location === undefined ? undefined : location.replace(/^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(?=\/|$)/, "");
  return {
    ...rest,
    ...(own.length === 0 ? {} : { "set-cookie": own }),
    ...(local === undefined ? {} : { location: local === "" ? "/" : local }),
  };
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'",
  });
  response.end(`${text}\n`);
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
const cookieName = ({ record }: Open): string => `parley_preview_${new URL(record.address).port}`;

function hasCookie(open: Open, header = ""): boolean {
  const prefix = `${cookieName(open)}=`;
  const given = header.split(";").flatMap((one) => (one.trim().startsWith(prefix) ? [sha256(one.trim().slice(prefix.length))] : []));
  return given.slice(0, 20).some((digest) => open.cookies.some((known) => timingSafeEqual(known, digest)));
}

const codeIn = (url: string): string | undefined => new RegExp(`[?&]${codeName}=([\\w-]+)`).exec(url)?.[1];
/** Always a path of this origin. */
const withoutCode = (url: string): string => {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  searchParams.delete(codeName);
  return `/${pathname.replace(/^\/+/, "")}${searchParams.size === 0 ? "" : `?${searchParams}`}`;
};

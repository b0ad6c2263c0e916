/**
 * Direct connections to model providers, kept between requests. Node's own HTTP client costs a seventh of a turn's processor time, and delays
 * an answer's first text by what it does at the end of a response; it is used behind proxies (`proxied.ts`).
 */
import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Exchange, ExchangeEvents, HttpRequest } from "./exchange.ts";
import { ResponseReader } from "./response-reader.ts";

/** Connections without a request that are kept for each server. */
const maxIdle = 256;
/** A server that says how long it keeps a connection gets no request in its last second. */
const marginMs = 1000;
/** TCP's own check of a connection on which nothing happens. */
const probeAfterMs = 1000;

/** As much as Node reads at once. */
const roomBytes = 64 * 1024;

export class Connections {
  /** What arrives, on whichever connection, until it has been read: a socket would get new memory for each piece. */
  readonly #room = Buffer.allocUnsafeSlow(roomBytes);
  /** Without a request, by origin; the last one used is used first. */
  readonly #idle = new Map<string, Connection[]>();
  /** For a shorter handshake on the next connection to a server. */
  readonly #tlsSessions = new Map<string, Buffer>();

  send(request: HttpRequest, events: ExchangeEvents): Exchange {
    const head = headOf(request);
    const { origin } = request.url;
    const connection = this.#take(origin) ?? this.#open(request.url);
    return connection.send(head, request.body, events);
  }

  #take(origin: string): Connection | undefined {
    const idle = this.#idle.get(origin);
    let connection = idle?.pop();
    while (connection?.isOpen === false) connection = idle?.pop();
    return connection;
  }

  #open(url: URL): Connection {
    const { origin } = url;
    const read = (length: number): boolean => {
      connection.read(this.#room.subarray(0, length));
      return true;
    };
    const connection: Connection = new Connection(this.#connect(url, read), url.protocol === "https:", {
      freed: () => this.#keep(origin, connection),
      gone: () => this.#forget(origin, connection),
    });
    return connection;
  }

  #connect({ protocol, hostname, port, origin }: URL, read: (length: number) => boolean): Socket {
    const host = hostname.replace(/^\[|\]$/g, "");
    const onread = { buffer: this.#room, callback: read };
    const socketOptions = { host, onread, noDelay: true, keepAlive: true, keepAliveInitialDelay: probeAfterMs };
    const net = process.getBuiltinModule("node:net");
    if (protocol !== "https:") return net.connect({ ...socketOptions, port: Number(port || 80) });
    const session = this.#tlsSessions.get(origin);
    const options: ConnectionOptions = {
      ...{ ...socketOptions, port: Number(port || 443), servername: net.isIP(host) === 0 ? host : "", ALPNProtocols: ["http/1.1"] },
      ...(session === undefined ? {} : { session }),
    };
    const socket = process.getBuiltinModule("node:tls").connect(options);
    socket.on("session", (fresh) => this.#tlsSessions.set(origin, fresh));
    socket.on("error", () => this.#tlsSessions.delete(origin));
    return socket;
  }

  #keep(origin: string, connection: Connection): void {
    const idle = this.#idle.get(origin) ?? [];
    this.#idle.set(origin, idle);
    idle.push(connection);
    if (idle.length > maxIdle) idle.shift()?.close();
  }
  #forget(origin: string, connection: Connection): void {
    const idle = this.#idle.get(origin);
    const at = idle?.indexOf(connection) ?? -1;
    if (at !== -1) idle?.splice(at, 1);
  }
}

interface Owner {
  /** It can be used for another request. */
  freed(): void;
  gone(): void;
}

class Connection {
  readonly #socket: Socket;
  readonly #owner: Owner;
  #isConnected = false;
  /** It has carried a request before. */
  #isReused = false;
  #reader: ResponseReader | undefined;
  #events: ExchangeEvents | undefined;
  /** Of the body, from the bytes that are being read. */
  #pieces: Buffer[] = [];
  /** How long the server keeps it without a request; undefined if it has not said so. */
  #keptMs: number | undefined;

  constructor(socket: Socket, isTls: boolean, owner: Owner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.on(isTls ? "secureConnect" : "connect", () => {
      this.#isConnected = true;
      this.#events?.connected();
    });
    socket.on("timeout", () => this.close());
    socket.on("end", () => this.#end());
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => {
      this.#fail(new Error("the connection was closed"));
      owner.gone();
    });
  }

  send(head: string, body: string | undefined, events: ExchangeEvents): Exchange {
    const reader = new ResponseReader({
      answered: (response) => {
        this.#keptMs = keptMs(response.headers["keep-alive"]);
        events.answered(response);
      },
      data: (bytes) => void this.#pieces.push(bytes),
      ended: () => this.#finish(events),
    });
    this.#reader = reader;
    this.#events = events;
    if (this.#isConnected) {
      this.#socket.ref();
      this.#socket.setTimeout(0);
      events.connected();
    }
    this.#socket.write(body === undefined ? head : head + body);
    return {
      pause: () => this.#socket.pause(),
      resume: () => this.#socket.resume(),
      destroy: () => {
        if (this.#events !== events) return;
        this.#events = undefined;
        this.close();
      },
    };
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }
  close(): void {
    this.#socket.destroy();
  }

  /** The bytes are overwritten by the next ones. */
  read(bytes: Buffer): void {
    const reader = this.#reader;
    if (reader === undefined) return this.close(); // nobody asked for it
    try {
      // More than one response to one request would be taken for the answer to the next one.
      if (reader.feed(bytes) < bytes.length) this.close();
      this.#handOver();
    } catch (error) {
      this.#handOver();
      this.#fail(error as Error);
      this.close();
    }
  }

  /** In one piece, however many chunks it came in. */
  #handOver(): void {
    if (this.#pieces.length === 0) return;
    const body = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#events?.data(body);
  }

  #finish(events: ExchangeEvents): void {
    if (this.#events !== events) return; // given up
    this.#handOver();
    const isSent = this.#socket.writableLength === 0;
    const staysOpen = this.#reader?.staysOpen === true && isSent && !this.#socket.destroyed;
    this.#reader = undefined;
    this.#events = undefined;
    this.#isReused = true;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (staysOpen && this.#keptMs !== 0) {
      this.#socket.unref();
      if (this.#keptMs !== undefined) this.#socket.setTimeout(this.#keptMs);
      this.#owner.freed();
    } else this.close();
    events.ended();
  }

  #end(): void {
    if (this.#reader?.end() !== true) this.#fail(new Error("the connection was closed"));
    this.close();
  }

  #fail(error: Error): void {
    const events = this.#events;
    const isStale = this.#isReused && this.#reader?.hasBegun === false;
    this.#reader = undefined;
    this.#events = undefined;
    events?.failed(error, isStale);
  }
}

/** From `Keep-Alive: timeout=5`; 0 where it is not worth keeping. */
function keptMs(header: string | undefined): number | undefined {
  const seconds = header === undefined ? undefined : /\btimeout=(\d{1,6})\b/i.exec(header)?.[1];
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) * 1000 - marginMs);
}

function headOf({ method, url, headers, body }: HttpRequest): string {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`;
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
  const hasPassword = url.username !== "" || url.password !== "";
  if (hasPassword && headers["authorization"] === undefined) head += `authorization: Basic ${basicAuth(url)}\r\n`;
  if (headers["host"] === undefined) head += `host: ${url.host}\r\n`;
  return `${head}${body === undefined ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`}connection: keep-alive\r\n\r\n`;
}

const basicAuth = ({ username, password }: URL): string =>
  Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");

/** The proxy of one command: accepts connections in the command's own network, and reaches for it what it may reach. */
import { createServer, type Server, type Socket } from "node:net";
import type { CommandNetwork, NetworkTarget } from "../../core/ports/network-access.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { dialAddresses, dialThrough, type Upstream, upstreamFor } from "./dial.ts";
import { Gate, NameQueue, type Refused } from "./gate.ts";
import { httpDoor } from "./http-door.ts";
import { serveSocks } from "./socks-door.ts";

/** Connections of one command at a time; more are closed at once. */
const mostConnections = 128;
/** Connections and requests on their way out, of all commands together. */
const mostWays = 512;
const firstByteMs = 60_000;
const socksVersion = 5;
/** In a command's output. */
const mostSentences = 10;

type Env = Readonly<Record<string, string | undefined>>;

/** What the proxies of all commands share. */
export class ProxyRoom {
  readonly names: NameQueue;
  readonly env: Env;
  ways = 0;

  constructor(env: Env, names = new NameQueue()) {
    this.env = env;
    this.names = names;
  }
}

export class CommandProxy {
  readonly #room: ProxyRoom;
  readonly #gate: Gate;
  readonly #abort = new AbortController();
  readonly #sockets = new Set<Socket>();
  readonly #http = httpDoor({
    open: (target) => this.#open(target),
    openForRequest: (target, method) => this.#openForRequest(target, method),
  });
  #server: Server | undefined;

  constructor(network: CommandNetwork, room: ProxyRoom) {
    this.#room = room;
    this.#gate = new Gate(network, room.names, this.#abort.signal);
  }

  /** Serves a listening socket, which is closed with the command. */
  serve(listener: unknown): void {
    if (this.#abort.signal.aborted || this.#server !== undefined) return;
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: false }, (socket) => this.#accept(socket));
    server.maxConnections = mostConnections;
    server.on("error", () => this.close());
    server.listen(listener);
    this.#server = server;
  }

  /** Connections that outlive the command would be a network that nobody watches any more. */
  close(): void {
    this.#abort.abort(new Error("the command has ended"));
    this.#server?.close();
    this.#http.closeAllConnections();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** What was refused, for the end of the command's output. */
  get summary(): string | undefined {
    const { sentences } = this.#gate;
    if (sentences.length === 0) return undefined;
    const more = sentences.length > mostSentences ? [`${sentences.length - mostSentences} more hosts were blocked.`] : [];
    return `\n${[...sentences.slice(0, mostSentences), ...more].join("\n")}\n`;
  }

  #accept(socket: Socket): void {
    this.#keep(socket);
    socket.on("error", () => socket.destroy());
    const give = (): void => void socket.destroy();
    const timer = setTimeout(give, firstByteMs);
    const look = (): void => {
      const first: Buffer | null = socket.read(1);
      if (first === null) return;
      clearTimeout(timer);
      socket.off("readable", look);
      socket.off("end", give);
      socket.unshift(first);
      if (first[0] !== socksVersion) this.#http.emit("connection", socket);
      else if (!this.#gate.rules.hasSocks) socket.end(Uint8Array.of(socksVersion, 0xff));
      else serveSocks(socket, (target) => this.#open(target)).catch(give);
    };
    socket.once("close", () => clearTimeout(timer));
    socket.once("end", give);
    socket.on("readable", look);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  async #open(target: NetworkTarget): Promise<Socket | Refused> {
    const upstream = upstreamFor(target, this.#gate.rules, this.#room.env);
    return await this.#reach(target, { upstream }, (addresses, signal) =>
      upstream === undefined ? dialAddresses(addresses, target.port, signal) : dialThrough(upstream, target, signal),
    );
  }

  async #openForRequest(target: NetworkTarget, method: string): Promise<{ socket: Socket; upstream: Upstream | undefined } | Refused> {
    const upstream = upstreamFor(target, this.#gate.rules, this.#room.env);
    const socket = await this.#reach(target, { upstream, method }, (addresses, signal) =>
      upstream === undefined ? dialAddresses(addresses, target.port, signal) : dialAddresses([upstream.host], upstream.port, signal),
    );
    return "block" in socket ? socket : { socket, upstream };
  }

  async #reach(
    target: NetworkTarget,
    { upstream, method }: { upstream: Upstream | undefined; method?: string },
    dial: (addresses: readonly string[], signal: AbortSignal) => Promise<Socket>,
  ): Promise<Socket | Refused> {
    const { signal } = this.#abort;
    const admitted = await this.#gate.admit(target, { hasUpstream: upstream !== undefined, ...(method === undefined ? {} : { method }) });
    if ("block" in admitted) return admitted;
    if (this.#room.ways >= mostWays) return { block: "failed", text: "too many connections are open" };
    this.#room.ways++;
    try {
      const socket = await dial(admitted, signal);
      socket.once("close", () => this.#room.ways--);
      socket.on("error", () => socket.destroy());
      this.#keep(socket);
      if (signal.aborted) socket.destroy();
      return socket;
    } catch (error) {
      this.#room.ways--;
      return { block: "failed", text: `${target.host} could not be reached: ${errorMessage(error)}` };
    }
  }
}

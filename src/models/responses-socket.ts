/**
 * The Responses wire over a websocket: one connection per thread, which gets only what is new since its last answer. Used by the HTTP
 * client, which sees an answer like any other event stream; if anything fails before an answer begins, HTTP is used instead.
 */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { Log } from "../core/ports/log.ts";
import { errorMessage } from "../lib/error-text.ts";
import { checkValues, SseTooMany } from "../lib/sse.ts";
import { HttpFailure } from "./http/exchange.ts";
import type { HttpReply } from "./http/pool.ts";
import { isRecord, type Json, numberOf, parseJson, recordOf, stringOf } from "./json.ts";
import { readItem } from "./responses-events.ts";
import { SocketFrames } from "./socket-frames.ts";
import type { BodyParts } from "./wire.ts";

export interface SocketRequest {
  readonly threadId: string;
  /** The URL of the HTTP wire; the scheme is changed here. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: BodyParts;
  readonly idleMs: number;
}

interface Refused {
  readonly refused: { readonly status: number; readonly body: string };
}
/** An answer; or the provider's refusal, with its status; or undefined: use HTTP. */
export type SocketAnswer = HttpReply | Refused | undefined;

export interface SocketOptions {
  readonly connectMs: number;
  readonly log: Log | undefined;
  /** For the proxy of the environment; undefined connects directly. */
  readonly agentFor?: (url: URL) => import("node:http").Agent | undefined;
}

const betaHeader = "responses_websockets=2026-02-06";
/** Threads beyond this number use HTTP: connections are kept open between their turns. */
const maxConnections = 32;
/** A connection unused for this long is closed; the next request opens another. */
const keepMs = 5 * 60_000;
/** How long a turn waits for a running warm-up before it continues without. */
const warmUpPatienceMs = 3000;
/** Consecutive broken answers before switching to HTTP permanently. */
const maxBroken = 2;
/** No event is longer. */
const maxFrame = 64 * 1024 * 1024;

interface Connection {
  readonly socket: WebSocket;
  /** The headers it was opened with: different keys need another connection. */
  readonly openedFor: string;
  readonly frames: SocketFrames;
  /** An idle connection does not keep the process alive. */
  readonly raw: Socket | undefined;
  /** The provider's state after its last answer; undefined before the first, and after a broken one. */
  known: { readonly settings: string; readonly tools: string; readonly items: readonly string[]; readonly responseId: string } | undefined;
  busy: boolean;
  closing: NodeJS.Timeout | undefined;
}

export class ResponsesSockets {
  readonly #options: SocketOptions;
  readonly #connections = new Map<string, Connection>();
  /** Threads with a running warm-up, and how to stop it. */
  readonly #warming = new Map<string, { readonly done: Promise<void>; readonly stop: () => void }>();
  #isOff = false;
  #warmsUp = true;
  #broken = 0;

  constructor(options: SocketOptions) {
    this.#options = options;
  }

  get isOff(): boolean {
    return this.#isOff;
  }

  async send(request: SocketRequest, signal: AbortSignal): Promise<SocketAnswer> {
    await this.#warmedUp(request.threadId, signal);
    if (this.#isOff) return undefined;
    const kept = this.#connections.get(request.threadId);
    if (kept?.busy === true) return undefined; // two concurrent requests of one thread: the second uses HTTP
    try {
      const answer = await this.#ask(request, signal, "answer");
      // The provider may have dropped its state (60 minutes, a restart): a fresh connection gets everything.
      return answer === "again" ? await this.#fresh(request, signal) : answer;
    } catch (error) {
      signal.throwIfAborted();
      this.#giveUp(error);
      return undefined;
    }
  }

  /** Sends the beginning of the next request to the provider ahead of time. Never fails. */
  async warmUp(request: SocketRequest, signal: AbortSignal): Promise<void> {
    const { threadId } = request;
    if (this.#isOff || !this.#warmsUp || this.#connections.has(threadId) || this.#warming.has(threadId)) return;
    const stopping = new AbortController();
    const done = this.#warm({ ...request, idleMs: this.#options.connectMs }, AbortSignal.any([signal, stopping.signal]));
    this.#warming.set(threadId, { done, stop: () => stopping.abort() });
    await done;
    this.#warming.delete(threadId);
  }

  /** A request during the warm-up waits for it for a while: a ready connection answers sooner. */
  async #warmedUp(threadId: string, signal: AbortSignal): Promise<void> {
    const warming = this.#warming.get(threadId);
    if (warming === undefined) return;
    signal.throwIfAborted();
    const late = setTimeout(warming.stop, warmUpPatienceMs);
    signal.addEventListener("abort", warming.stop, { once: true });
    await warming.done;
    clearTimeout(late);
    signal.removeEventListener("abort", warming.stop);
    signal.throwIfAborted();
  }

  async #warm(request: SocketRequest, signal: AbortSignal): Promise<void> {
    try {
      const reply = await this.#ask(request, signal, "warm-up");
      if (reply === "again") this.#drop(request.threadId);
      if (reply === "again" || reply === undefined || "refused" in reply) return;
      while ((await reply.next()) !== undefined) reply.alive();
    } catch (error) {
      if (signal.aborted) return;
      // A provider whose connection broke during a warm-up may still answer requests.
      if (error instanceof HttpFailure) this.#warmsUp = false;
      else this.#giveUp(error);
    }
  }

  async #fresh(request: SocketRequest, signal: AbortSignal): Promise<SocketAnswer> {
    this.#drop(request.threadId);
    const answer = await this.#ask(request, signal, "answer");
    if (answer === "again") throw new Error("the provider does not know its own connection");
    return answer;
  }

  async #ask(request: SocketRequest, signal: AbortSignal, kind: "answer" | "warm-up"): Promise<SocketAnswer | "again"> {
    const isKept = this.#connections.has(request.threadId);
    const connection = await this.#connection(request, signal);
    if (connection === undefined) return undefined;
    if ("refused" in connection) return connection;
    connection.busy = true;
    connection.raw?.ref();
    clearTimeout(connection.closing);
    const { parts } = request;
    const sent = incremental(connection.known, parts);
    connection.known = undefined;
    connection.socket.send(frame(parts, sent, kind === "warm-up"));
    let first: string | undefined;
    try {
      first = await connection.frames.next(signal, request.idleMs);
    } catch (error) {
      this.#drop(request.threadId);
      signal.throwIfAborted();
      if (isKept) return "again";
      throw error;
    }
    const event = recordOf(parseJson(first));
    const refusal = event["type"] === "error" ? refusalOf(event, first) : undefined;
    if (refusal === "stale") return isKept || sent.previous !== undefined ? "again" : undefined;
    if (refusal !== undefined) {
      this.#rest(request.threadId, connection);
      return { refused: refusal };
    }
    return this.#reply(first, connection, request, signal);
  }

  /** Undefined when the limit is reached. */
  async #connection(request: SocketRequest, signal: AbortSignal): Promise<Connection | Refused | undefined> {
    const openedFor = JSON.stringify([request.url.href, request.headers["authorization"]]);
    const kept = this.#connections.get(request.threadId);
    if (kept !== undefined && kept.openedFor === openedFor && kept.socket.readyState === kept.socket.OPEN) return kept;
    this.#drop(request.threadId);
    if (this.#connections.size >= maxConnections) return undefined;
    const opened = await this.#open(request, signal);
    if ("refused" in opened) return opened;
    const connection: Connection = { ...opened, openedFor, known: undefined, busy: false, closing: undefined };
    this.#connections.set(request.threadId, connection);
    return connection;
  }

  async #open(request: SocketRequest, signal: AbortSignal) {
    const { WebSocket: Client } = await import("ws");
    const url = new URL(request.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const agent = this.#options.agentFor?.(request.url);
    const { "content-type": _type, accept: _accept, ...headers } = request.headers;
    const socket = new Client(url, {
      headers: { ...headers, "openai-beta": betaHeader },
      handshakeTimeout: this.#options.connectMs,
      maxPayload: maxFrame,
      followRedirects: false,
      ...(agent === undefined ? {} : { agent }),
    });
    const frames = new SocketFrames(socket);
    let raw: Socket | undefined;
    socket.once("upgrade", (response) => {
      // never throws: an assignment
      raw = response.socket;
    });
    return await new Promise<Pick<Connection, "socket" | "frames" | "raw"> | Refused>((resolve, reject) => {
      const abort = (): void => {
        socket.terminate();
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      const settle = (): void => signal.removeEventListener("abort", abort);
      socket.once("open", () => {
        settle();
        resolve({ socket, frames, raw });
      });
      socket.once("error", (error) => {
        settle();
        reject(error);
      });
      socket.once("unexpected-response", (_sent, response) => {
        settle();
        const status = response.statusCode ?? 0;
        socket.terminate();
        if (status === 401) resolve({ refused: { status, body: "" } });
        else reject(new Error(`the provider answered ${status} to the opening of a websocket`));
      });
    });
  }

  #reply(first: string, connection: Connection, request: SocketRequest, signal: AbortSignal): HttpReply {
    const { parts, threadId, idleMs } = request;
    const outputs: string[] = [];
    let pending: string | undefined = first;
    let isOver = false;
    const note = (text: string): void => {
      checkValues(text);
      const event = recordOf(parseJson(text));
      if (event["type"] === "response.output_item.done") {
        const item = readItem(event["item"]);
        const written = item === undefined ? undefined : parts.textOf(item);
        if (written !== undefined) outputs.push(written);
      }
      if (!ends.has(String(event["type"]))) return;
      isOver = true;
      const responseId = stringOf(recordOf(event["response"])["id"]);
      if (event["type"] === "response.completed" && responseId !== undefined)
        connection.known = { settings: parts.settings, tools: parts.tools, items: [...parts.items, ...outputs], responseId };
      this.#broken = 0;
      this.#rest(threadId, connection);
    };
    const next = async (): Promise<Buffer | undefined> => {
      if (isOver) return undefined;
      try {
        const text = pending ?? (await connection.frames.next(signal, idleMs));
        pending = undefined;
        note(text);
        return Buffer.from(`data: ${text.replaceAll("\n", "\ndata: ")}\n\n`);
      } catch (error) {
        this.#drop(threadId);
        signal.throwIfAborted();
        if (++this.#broken >= maxBroken) this.#giveUp(error);
        throw error instanceof HttpFailure || error instanceof SseTooMany ? error : new HttpFailure("body", String(error), error);
      }
    };
    return {
      status: 200,
      statusText: "",
      headers: {},
      next,
      alive: () => undefined,
      finish: () => (isOver ? undefined : this.#drop(threadId)),
      close: () => (isOver ? undefined : this.#drop(threadId)),
    };
  }

  /** Keeps the connection open for a while for the thread's next request. */
  #rest(threadId: string, connection: Connection): void {
    connection.busy = false;
    connection.raw?.unref();
    connection.closing = setTimeout(() => this.#drop(threadId), keepMs);
    connection.closing.unref();
    connection.frames.rest();
  }

  #drop(threadId: string): void {
    const connection = this.#connections.get(threadId);
    if (connection === undefined) return;
    this.#connections.delete(threadId);
    clearTimeout(connection.closing);
    connection.socket.terminate();
  }

  /** For the life of the client: a provider or proxy that does not support it is not tried again in every turn. */
  #giveUp(error: unknown): void {
    if (this.#isOff) return;
    this.#isOff = true;
    this.#options.log?.warn(`websocket to the model provider failed, HTTP is used from now on: ${errorMessage(error)}`);
    for (const [threadId, { busy }] of [...this.#connections]) if (!busy) this.#drop(threadId);
  }
}

const ends: ReadonlySet<string> = new Set(["response.completed", "response.done", "response.failed", "response.incomplete", "error"]);

interface Increment {
  readonly items: readonly string[];
  readonly previous: string | undefined;
}

/** Only what is new since the last answer, if all else is unchanged; else everything. */
function incremental(known: Connection["known"], parts: BodyParts): Increment {
  const whole = { items: parts.items, previous: undefined };
  if (known === undefined || known.settings !== parts.settings || known.tools !== parts.tools) return whole;
  if (parts.items.length <= known.items.length || known.items.some((item, i) => parts.items[i] !== item)) return whole;
  return { items: parts.items.slice(known.items.length), previous: known.responseId };
}

function frame(parts: BodyParts, { items, previous }: Increment, isWarmUp: boolean): string {
  const metadata = parts.metadata?.();
  const more = [
    ...(metadata === undefined ? [] : [metadata]),
    ...(previous === undefined ? [] : [`"previous_response_id":${JSON.stringify(previous)}`]),
    ...(isWarmUp ? ['"generate":false'] : []),
  ];
  return `{"type":"response.create",${[parts.settings, ...more].join(",")},"input":[${items.join(",")}],"tools":${parts.tools}}`;
}

/** "stale": the provider no longer has what was sent before. */
function refusalOf(event: Json, text: string): "stale" | { readonly status: number; readonly body: string } | undefined {
  const code = isRecord(event["error"]) ? event["error"]["code"] : undefined;
  if (code === "previous_response_not_found" || code === "websocket_connection_limit_reached") return "stale";
  const status = numberOf(event["status"]) ?? numberOf(event["status_code"]);
  return status === undefined || status < 400 ? undefined : { status, body: text };
}

/** HTTP to model providers: kept connections, an idle timeout, and failures that name the phase in which they happened. */
import type { Agent } from "node:http";
import { namesProxyFor, trustCertificates } from "../../lib/network.ts";
import { isLocal } from "../local-address.ts";
import { Connections } from "./connection.ts";
import { checkHeaders, type Exchange, type ExchangeEvents, HttpFailure, type HttpRequest } from "./exchange.ts";
import { Agents, sendProxied } from "./proxied.ts";
import type { ResponseHead } from "./response-reader.ts";

export interface HttpReply extends ResponseHead {
  /** The next available bytes, undefined at the proper end. Rejects with HttpFailure, or with the signal's reason. */
  next(): Promise<Buffer | undefined>;
  /** Call when something useful arrived: restarts the idle timeout. */
  alive(): void;
  /** Discards the rest. Keeps the connection if the rest is short, closes it otherwise. */
  finish(): void;
  close(): void;
}

export interface HttpPool {
  /** The agent for an address, for websockets: with the environment's proxy and certificates. */
  agentFor(url: URL): Agent;
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>;
}

/** Proxy variables of `env` are honoured (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY), except for servers on this machine; so is SSL_CERT_FILE. */
export function createHttpPool(env: Readonly<Record<string, string | undefined>>): HttpPool {
  const connections = new Connections();
  const agents = new Agents(env);
  let trusts = false;

  function start(request: HttpRequest, events: ExchangeEvents): Exchange {
    const { url } = request;
    checkHeaders(request.headers);
    if (!isLocal(url.href) && namesProxyFor(url, env)) return sendProxied(request, agents.for(url), events);
    if (url.protocol === "https:" && !trusts) {
      trustCertificates(env);
      trusts = true;
    }
    return connections.send(request, events);
  }

  async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    signal.throwIfAborted();
    const asked = new Asked(request.idleMs, signal);
    // The request is not referenced beyond this point: its body is large, and the answer may take minutes.
    asked.begin((events) => start(request, events));
    const reply = await asked.answer;
    return reply === "stale" ? send(request, signal) : reply;
  }
  return { send, agentFor: (url) => agents.for(url) };
}

const holdBytes = 256 * 1024;
const holdPieces = 1024;
const connectMs = 20_000;
const longestTimer = 2 ** 31 - 1;
/** How long the rest of a response may take whose end nobody waits for. */
const restMs = 1000;

/** A request that was sent, and then its answer. */
class Asked implements HttpReply, ExchangeEvents {
  status = 0;
  statusText = "";
  headers: ResponseHead["headers"] = {};
  readonly #answer = Promise.withResolvers<HttpReply | "stale">();
  readonly #idleMs: number;
  readonly #signal: AbortSignal;
  #exchange: Exchange | undefined;
  #phase: "connect" | "request" | "body" | "over" = "connect";
  /** Runs until the answer begins, and then from the first wait on: an answer that comes in one piece needs no second one. */
  #timer: NodeJS.Timeout | undefined;
  /** Received, not yet read. Bounded: the connection is paused when the consumer is slow. */
  #waiting: Buffer[] = [];
  #size = 0;
  #isPaused = false;
  #wake: (() => void) | undefined;
  #isFresh = true;
  #isDiscarded = false;
  #failure: unknown;

  constructor(idleMs: number, signal: AbortSignal) {
    this.#idleMs = idleMs;
    this.#signal = signal;
  }

  /** "stale": the kept connection was closed before the request reached the server. */
  get answer(): Promise<HttpReply | "stale"> {
    return this.#answer.promise;
  }

  begin(start: (events: ExchangeEvents) => Exchange): void {
    this.#exchange = start(this);
    // It may have failed already.
    if (this.#phase === "over") return this.#exchange.destroy();
    this.#signal.addEventListener("abort", this.#abort, { once: true });
    const noAnswer = (): void => this.#fail(new HttpFailure("idle", `no answer within ${Math.round(this.#idleMs / 1000)} s`));
    this.#timer =
      this.#idleMs <= connectMs
        ? setTimeout(noAnswer, this.#idleMs)
        : setTimeout(() => {
            if (this.#phase === "connect") return this.#fail(new HttpFailure("connect", `no connection within ${connectMs / 1000} s`));
            this.#timer = setTimeout(noAnswer, Math.min(this.#idleMs - connectMs, longestTimer));
          }, connectMs);
  }

  connected(): void {
    if (this.#phase === "connect") this.#phase = "request";
  }
  answered({ status, statusText, headers }: ResponseHead): void {
    this.#phase = "body";
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.status = status;
    this.statusText = statusText;
    this.headers = headers;
    this.#answer.resolve(this);
  }
  data(bytes: Buffer): void {
    if (this.#isDiscarded) return;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    if ((this.#size > holdBytes || this.#waiting.length > holdPieces) && !this.#isPaused) {
      this.#isPaused = true;
      this.#exchange?.pause();
    }
    this.#notify();
  }
  ended(): void {
    this.#settle();
    this.#notify();
  }
  failed(error: Error, isStale: boolean): void {
    if (this.#phase === "over") return;
    if (isStale) {
      this.#settle();
      return this.#answer.resolve("stale");
    }
    this.#fail(new HttpFailure(this.#phase, describe(error), error));
  }

  async next(): Promise<Buffer | undefined> {
    while (true) {
      if (this.#signal.aborted) throw this.#signal.reason;
      if (this.#waiting.length > 0) return this.#take();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#phase === "over") return undefined;
      if (this.#isFresh) {
        this.#timer = this.#timer?.refresh() ?? setTimeout(this.#nothingArrived, Math.min(this.#idleMs, longestTimer));
        this.#isFresh = false;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
  alive(): void {
    this.#isFresh = true;
  }
  finish(): void {
    if (this.#phase === "over") return;
    this.#isDiscarded = true;
    this.#waiting = [];
    if (this.#isPaused) this.#exchange?.resume();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), restMs).unref();
  }
  close(): void {
    this.#settle();
    this.#exchange?.destroy();
  }

  #take(): Buffer {
    const [first] = this.#waiting;
    const all = this.#waiting.length === 1 && first !== undefined ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#size = 0;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#exchange?.resume();
    }
    return all;
  }
  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
  readonly #abort = (): void => this.#fail(this.#signal.reason);

  readonly #nothingArrived = (): void => {
    if (this.#wake !== undefined) this.#fail(new HttpFailure("idle", `nothing arrived for ${this.#idleMs} ms`));
  };

  #fail(reason: unknown): void {
    if (this.#phase === "over") return;
    this.#failure = reason;
    this.close();
    this.#answer.reject(reason);
    this.#notify();
  }
  #settle(): void {
    this.#phase = "over";
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#abort);
  }
}

function describe(error: Error): string {
  // happy-eyeballs failures have no message of their own, only the failures of each address
  const inner = error instanceof AggregateError && error.message === "" ? error.errors.find((e) => e instanceof Error) : error;
  return inner instanceof Error && inner.message !== "" ? inner.message : "unknown network error";
}

/** At most `limit` bytes of the body as text: error pages are quoted, not loaded completely. */
export async function readText(reply: HttpReply, limit: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  while (size < limit) {
    const chunk = await reply.next();
    if (chunk === undefined) break;
    parts.push(chunk);
    size += chunk.length;
  }
  reply.finish();
  return Buffer.concat(parts).subarray(0, limit).toString("utf8");
}

/** HTTP to model providers: one keep-alive pool, an idle timeout, and failures that name the phase in which they happened. */

import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from "node:http";
import { trustCertificates, unusableProxy, withAllProxy } from "../lib/network.ts";
import { isCode } from "../lib/system-error.ts";
import { isLocal } from "./local-address.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The idle timeout. Waiting for the consumer does not count. */
  readonly idleMs: number;
}

export interface HttpReply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  /** The next available bytes, undefined at the proper end. Rejects with HttpFailure, or with the signal's reason. */
  next(): Promise<Buffer | undefined>;
  /** Call when something useful arrived: restarts the idle timeout. */
  alive(): void;
  /** Discards the rest. Keeps the connection if the rest is short, closes it otherwise. */
  finish(): void;
  close(): void;
}

export class HttpFailure extends Error {
  /** proxy: the settings lead nowhere, so trying again is no use. connect: never sent. request: sent, no response. body: the response broke off. idle: nothing arrived for too long. */
  readonly phase: "proxy" | "connect" | "request" | "body" | "idle";
  constructor(phase: HttpFailure["phase"], message: string, cause?: unknown) {
    super(message, { cause });
    this.phase = phase;
  }
}

export interface HttpPool {
  /** The agent for an address: with the environment's proxy and certificates. */
  agentFor(url: URL): Agent;
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply>;
}

type Http = typeof import("node:http");
type Https = typeof import("node:https");

/** Proxy variables of `env` are honoured (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY), except for servers on this machine; so is SSL_CERT_FILE. */
export function createHttpPool(env: Readonly<Record<string, string | undefined>>): HttpPool {
  const agents = new Map<string, Agent>();

  // process.getBuiltinModule: an ES import of node:http costs 25 ms at start-up, this costs 4, and only on the first model call.
  const moduleFor = (protocol: string): Http | Https =>
    protocol === "https:" ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");

  function agentFor(url: URL): Agent {
    const { protocol, href } = url;
    const unusable = isLocal(href) ? undefined : unusableProxy(url, env);
    if (unusable !== undefined) throw new HttpFailure("proxy", unusable);
    const key = `${protocol} ${isLocal(href) ? "direct" : "proxied"}`;
    const known = agents.get(key);
    if (known !== undefined) return known;
    if (protocol === "https:") trustCertificates(env);
    const agent = new (moduleFor(protocol).Agent)({
      keepAlive: true,
      scheduling: "lifo",
      ...(isLocal(href) ? {} : { proxyEnv: { ...withAllProxy(env) } }),
    });
    agents.set(key, agent);
    return agent;
  }

  /** Of the last address, which is nearly always that of the next request. */
  let last: { readonly url: URL; readonly options: RequestOptions } | undefined;

  /** How Node reaches an address. */
  function addressOf(url: URL): RequestOptions {
    if (last?.url !== url) last = { url, options: process.getBuiltinModule("node:url").urlToHttpOptions(url) as RequestOptions };
    return last.options;
  }

  async function send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    signal.throwIfAborted();
    const { url, method } = request;
    const length = request.body === undefined ? {} : { "content-length": `${Buffer.byteLength(request.body)}` };
    const headers = sentHeaders(url, { ...request.headers, ...length });
    const sent = moduleFor(url.protocol).request({ ...addressOf(url), method, agent: agentFor(url), headers });
    try {
      // The body is not referenced beyond this point: the response's listeners live as long as the stream.
      const answered = answer(sent, { isTls: request.url.protocol === "https:", idleMs: request.idleMs }, signal);
      sent.end(request.body);
      return await answered;
    } catch (error) {
      // A kept-alive connection may have been closed by the other side while idle: that says nothing about the server.
      if (sent.reusedSocket && error instanceof HttpFailure && error.phase === "request" && isReset(error.cause))
        return send(request, signal);
      throw error;
    }
  }
  return { send, agentFor };
}

/** As a list, which Node writes down as it is, where it need not add a password or what a proxy needs. */
function sentHeaders(url: URL, headers: Readonly<Record<string, string>>): OutgoingHttpHeaders | readonly string[] {
  const isPlain = url.username === "" && url.password === "" && headers["host"] === undefined;
  if (!isPlain || (url.protocol !== "https:" && !isLocal(url.href))) return headers;
  const list: string[] = [];
  for (const name of Object.keys(headers)) list.push(name, headers[name] ?? "");
  list.push("Host", url.host);
  return list;
}

interface Waiting {
  readonly isTls: boolean;
  readonly idleMs: number;
}

function answer(sent: ClientRequest, { isTls, idleMs }: Waiting, signal: AbortSignal): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    let connected = false;
    const late = (): void => stop(new HttpFailure("idle", `no answer within ${Math.round(idleMs / 1000)} s`));
    /** First for the connection, then for the answer. */
    let timer =
      idleMs <= connectMs
        ? setTimeout(late, idleMs)
        : setTimeout(() => {
            if (!connected) return stop(new HttpFailure("connect", `no connection within ${connectMs / 1000} s`));
            timer = setTimeout(late, Math.min(idleMs - connectMs, 2 ** 31 - 1));
          }, connectMs);
    const abort = onAbort(signal, stop);
    function settle(): void {
      clearTimeout(timer);
      abort.forget();
    }
    function stop(reason: unknown): void {
      settle();
      reject(reason);
      sent.destroy();
    }
    sent.on("socket", (socket) => {
      if (sent.reusedSocket || !socket.connecting) connected = true;
      else socket.once(isTls ? "secureConnect" : "connect", () => (connected = true));
    });
    let answered = false;
    // Stays for the life of the request: an error after the response arrived is reported by the response's own events.
    sent.on("error", (error) => {
      if (answered) return;
      settle();
      reject(new HttpFailure(connected ? "request" : "connect", describe(error), error));
    });
    sent.on("response", (response) => {
      answered = true;
      clearTimeout(timer);
      resolve(reply(response, idleMs, abort));
    });
  });
}

/** One listener from the request to the end of its answer: a signal's listeners are slow to add and to remove. */
interface OnAbort {
  readonly signal: AbortSignal;
  /** Calls this one instead. */
  now(stop: (reason: unknown) => void): void;
  forget(): void;
}

function onAbort(signal: AbortSignal, stop: (reason: unknown) => void): OnAbort {
  let current: typeof stop | undefined = stop;
  const listener = (): void => current?.(signal.reason);
  signal.addEventListener("abort", listener, { once: true });
  return {
    signal,
    now(next) {
      current = next;
    },
    forget() {
      if (current === undefined) return;
      current = undefined;
      signal.removeEventListener("abort", listener);
    },
  };
}

function reply(response: IncomingMessage, idleMs: number, abort: OnAbort): HttpReply {
  /** Received, not yet read. Bounded: the connection is paused when the consumer is slow. */
  let waiting: Buffer[] = [];
  let size = 0;
  let wake: (() => void) | undefined;
  let ended = false;
  let failure: unknown;
  let fresh = true;
  /** Runs from the first wait on: an answer that comes in one piece needs none. */
  let idle: NodeJS.Timeout | undefined;
  const tooLong = (): void => {
    if (wake !== undefined) fail(new HttpFailure("idle", `nothing arrived for ${idleMs} ms`));
  };
  const notify = (): void => {
    const sleeper = wake;
    wake = undefined;
    sleeper?.();
  };
  function fail(reason: unknown): void {
    failure ??= reason;
    done();
    response.destroy();
    notify();
  }
  function done(): void {
    clearTimeout(idle);
    abort.forget();
  }
  function take(): Buffer {
    const [first] = waiting;
    const all = waiting.length === 1 && first !== undefined ? first : Buffer.concat(waiting);
    waiting = [];
    size = 0;
    if (response.isPaused()) response.resume();
    return all;
  }
  const onData = (chunk: Buffer): void => {
    waiting.push(chunk);
    size += chunk.length;
    if (size > holdBytes) response.pause();
    notify();
  };
  abort.now(fail);
  // Not "readable": it costs a third more for each packet.
  response.on("data", onData);
  response.on("end", () => {
    ended = true;
    done();
    notify();
  });
  response.on("error", (error) => fail(new HttpFailure("body", describe(error), error)));
  response.on("close", () => {
    if (!ended) fail(new HttpFailure("body", "the connection was closed"));
  });
  return {
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? "",
    headers: response.headers,
    async next() {
      while (true) {
        if (abort.signal.aborted) throw abort.signal.reason;
        if (waiting.length > 0) return take();
        if (failure !== undefined) throw failure;
        if (ended) return undefined;
        if (fresh) {
          idle = idle?.refresh() ?? setTimeout(tooLong, Math.min(idleMs, 2 ** 31 - 1));
          fresh = false;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    alive() {
      fresh = true;
    },
    finish() {
      done();
      if (ended || response.destroyed) return;
      response.off("data", onData);
      response.resume();
      setTimeout(() => response.destroy(), 1000).unref();
    },
    close() {
      done();
      response.destroy();
    },
  };
}

const holdBytes = 256 * 1024;
const connectMs = 20_000;

const isReset = (error: unknown): boolean => isCode(error, "ECONNRESET", "EPIPE");

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

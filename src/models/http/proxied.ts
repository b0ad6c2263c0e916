/** Requests to model providers behind a proxy, over Node's own client: it knows how proxies are reached and which addresses they are not for. */
import type { Agent, ClientRequest, IncomingMessage } from "node:http";
import { trustCertificates, unusableProxy, withAllProxy } from "../../lib/network.ts";
import { isCode } from "../../lib/system-error.ts";
import { isLocal } from "../local-address.ts";
import { type Exchange, type ExchangeEvents, HttpFailure, type HttpRequest } from "./exchange.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** With the environment's proxies and certificates; also for websockets. */
export class Agents {
  readonly #env: Env;
  readonly #agents = new Map<string, Agent>();

  constructor(env: Env) {
    this.#env = env;
  }

  for(url: URL): Agent {
    const { protocol, href } = url;
    const isNear = isLocal(href);
    const unusable = isNear ? undefined : unusableProxy(url, this.#env);
    if (unusable !== undefined) throw new HttpFailure("settings", unusable);
    const key = `${protocol} ${isNear ? "direct" : "proxied"}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    if (protocol === "https:") trustCertificates(this.#env);
    const agent = new (moduleFor(protocol).Agent)({
      keepAlive: true,
      scheduling: "lifo",
      ...(isNear ? {} : { proxyEnv: { ...withAllProxy(this.#env) } }),
    });
    this.#agents.set(key, agent);
    return agent;
  }
}

// process.getBuiltinModule: an ES import of node:http costs 25 ms at start-up.
const moduleFor = (protocol: string): typeof import("node:http") | typeof import("node:https") =>
  protocol === "https:" ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");

export function sendProxied(request: HttpRequest, agent: Agent, events: ExchangeEvents): Exchange {
  const { url, method, body } = request;
  const length = body === undefined ? {} : { "content-length": `${Buffer.byteLength(body)}` };
  const sent: ClientRequest = moduleFor(url.protocol).request(url, { method, agent, headers: { ...request.headers, ...length } });
  let response: IncomingMessage | undefined;
  let isOver = false;
  const fail = (error: Error, isStale: boolean): void => {
    if (isOver) return;
    isOver = true;
    events.failed(error, isStale);
  };
  sent.on("socket", (socket) => {
    if (sent.reusedSocket || !socket.connecting) events.connected();
    else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => events.connected());
  });
  sent.on("error", (error) => fail(error, sent.reusedSocket && isCode(error, "ECONNRESET", "EPIPE")));
  sent.on("response", (found) => {
    response = found;
    found.on("data", (bytes: Buffer) => events.data(bytes));
    found.on("end", () => {
      if (isOver) return;
      isOver = true;
      events.ended();
    });
    found.on("error", (error) => fail(error, false));
    found.on("close", () => fail(new Error("the connection was closed"), false));
    events.answered({ status: found.statusCode ?? 0, statusText: found.statusMessage ?? "", headers: flat(found) });
  });
  sent.end(body);
  return {
    pause: () => response?.pause(),
    resume: () => response?.resume(),
    destroy: () => {
      isOver = true;
      if (response?.complete !== true) sent.destroy();
    },
  };
}

const flat = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]));

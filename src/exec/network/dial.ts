/** Connects to a target: to one of its checked addresses, or through the proxy of the server's own environment. */
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import type { NetworkRules, NetworkTarget } from "../../core/ports/network-access.ts";
import { errorMessage } from "../../lib/error-text.ts";
import { hostMatcher } from "../../lib/host-pattern.ts";
import { isPrivateAddress } from "../../lib/private-network.ts";

type Env = Readonly<Record<string, string | undefined>>;

const connectMs = 15_000;
const mostAddresses = 4;
/** The other proxy's answer to CONNECT. */
const mostAnswerBytes = 16 * 1024;

/** A proxy on the way out. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
  /** For its `proxy-authorization` header. */
  readonly authorization: string | undefined;
}

/** The proxy that the environment names for a target; undefined for a direct connection. Only plain HTTP proxies are used, as in Codex. */
export function upstreamFor({ protocol, host }: NetworkTarget, rules: NetworkRules, env: Env): Upstream | undefined {
  if (!rules.usesUpstream || host === "localhost" || (isIP(host) !== 0 && isPrivateAddress(host)) || isExempt(host, env)) return undefined;
  const http = ["HTTP_PROXY", "http_proxy"];
  const names = [...(protocol === "http" ? http : ["HTTPS_PROXY", "https_proxy", ...http]), "ALL_PROXY", "all_proxy"];
  for (const name of names) {
    const value = env[name]?.trim();
    const url = value ? URL.parse(value.includes("://") ? value : `http://${value}`) : null;
    if (url === null || url.protocol !== "http:" || url.hostname === "") continue;
    const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
    return {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port || 80),
      authorization: url.username === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
    };
  }
  return undefined;
}

/** `NO_PROXY`: a name also covers what is below it. */
function isExempt(host: string, env: Env): boolean {
  const entries = (env["NO_PROXY"] ?? env["no_proxy"] ?? "").split(/[\s,]+/).filter((entry) => entry !== "");
  return entries.includes("*") || hostMatcher(entries.map((entry) => `**.${entry.replace(/^(?:\*?\.)/, "").replace(/:\d+$/, "")}`))(host);
}

/** Rejects with a text for the program's user. */
export async function dialAddresses(addresses: readonly string[], port: number, signal: AbortSignal): Promise<Socket> {
  let last = "it has no address";
  for (const host of addresses.slice(0, mostAddresses)) {
    try {
      return await opened(connect({ host, port, allowHalfOpen: true }), signal);
    } catch (error) {
      signal.throwIfAborted();
      last = errorMessage(error);
    }
  }
  throw new Error(last);
}

async function opened(socket: Socket, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, "connect", { signal: AbortSignal.any([signal, AbortSignal.timeout(connectMs)]) });
    return socket;
  } catch (error) {
    socket.on("error", () => undefined);
    socket.destroy();
    throw error;
  }
}

/** A tunnel through the other proxy. What it sends right after its answer stays in the socket. */
export async function dialThrough(upstream: Upstream, { host, port }: NetworkTarget, signal: AbortSignal): Promise<Socket> {
  const socket = await opened(connect({ host: upstream.host, port: upstream.port, allowHalfOpen: true }), signal);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  const give = (): void => void socket.destroy();
  limit.addEventListener("abort", give, { once: true });
  try {
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const authorization = upstream.authorization === undefined ? "" : `proxy-authorization: ${upstream.authorization}\r\n`;
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`);
    const status = await answerOf(socket);
    if (status !== 200) throw new Error(`the proxy on the way out answered ${status === undefined ? "nothing that is HTTP" : status}`);
    return socket;
  } catch (error) {
    socket.on("error", () => undefined);
    socket.destroy();
    throw error;
  } finally {
    limit.removeEventListener("abort", give);
  }
}

async function answerOf(socket: Socket): Promise<number | undefined> {
  let head = Buffer.alloc(0);
  for (;;) {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) {
      if (socket.readableEnded || socket.destroyed) throw new Error("the proxy on the way out closed the connection");
      await Promise.race([once(socket, "readable"), once(socket, "end"), once(socket, "close")]);
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0 && head.length > mostAnswerBytes) throw new Error("the answer of the proxy on the way out is too long");
    if (end < 0) continue;
    if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.subarray(0, end).toString("latin1"))?.[1];
    return status === undefined ? undefined : Number(status);
  }
}

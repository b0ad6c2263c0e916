/** HTTP access control: checks the Host, the Origin and the bearer token before anything else of a request is read. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { CheckToken } from "./bearer.ts";

export interface AccessRules {
  /** Every request must have a bearer token that passes. Without this check every client is served. */
  readonly checkToken?: CheckToken | undefined;
  /** Browsers send an Origin and are refused unless it is listed here exactly. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export interface Refusal {
  readonly status: 400 | 401 | 403;
  readonly why: string;
}

export function refuseRequest(request: IncomingMessage, rules: AccessRules, isOwnHost: (host: string) => boolean): Refusal | undefined {
  const twice = repeatedHeader(request, ["host", "origin"]);
  if (twice !== undefined) return { status: 400, why: `the header ${twice} occurs twice` };
  const { origin, host } = request.headers;
  if (origin !== undefined && !(rules.allowedOrigins ?? []).includes(origin)) return { status: 403, why: "the Origin is not allowed" };
  if (!isOwnHost(host ?? "")) return { status: 403, why: "the Host is not this server's" };
  return undefined;
}

/** A repeated header that is relevant for access: a proxy in between might have checked the other one. */
export const repeatedHeader = (request: IncomingMessage, names: readonly string[]): string | undefined =>
  names.find((name) => (request.headersDistinct[name]?.length ?? 0) > 1);

/** The token is read from the Authorization header only: in a URL it would end up in logs and histories. */
export function refuseToken(request: IncomingMessage, check: CheckToken | undefined): Refusal | undefined {
  if (check === undefined) return undefined;
  if (repeatedHeader(request, ["authorization"]) !== undefined) return { status: 401, why: "more than one bearer token" };
  const token = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const why = token === undefined ? "no bearer token" : check(token);
  return why === undefined ? undefined : { status: 401, why };
}

/**
 * Returns which Host headers are accepted. After DNS rebinding a foreign page reaches our address but still sends its own name, so names
 * are refused unless listed; if the server listens on all addresses, any literal address is accepted.
 */
export function hostRule(listening: string, names: readonly string[]): (host: string) => boolean {
  const own = new Set([listening, "localhost", "127.0.0.1", "::1", ...names.map((name) => name.toLowerCase())]);
  const everywhere = listening === "0.0.0.0" || listening === "::";
  return (header) => {
    const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d+)?$/.exec(header) ?? [];
    const host = (bracketed ?? plain ?? "").toLowerCase();
    return own.has(host) || (everywhere && isIP(host) !== 0);
  };
}

/** The checks before any route: Host, Origin, credentials, and the headers that restrict what a browser may do with the response. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { repeatedHeader } from "../rpc/http-access.ts";
import type { Access, Caller } from "./access.ts";
import type { Problem } from "./problems.ts";

export interface GuardOptions {
  /** The address that the server listens on. */
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly allowedHosts: readonly string[];
}

/** Nothing inline, nothing from other origins, no frames: only the page's own files and data that it created itself. */
export const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

export const safeHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentPolicy,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
};

export class RequestGuard {
  readonly #options: GuardOptions;
  readonly #access: Access;
  readonly #own: ReadonlySet<string>;
  /** Cookies are shared by all ports of a host; the name keeps two managers apart. */
  readonly cookieName: string;

  constructor(options: GuardOptions, access: Access) {
    this.#options = options;
    this.#access = access;
    this.#own = new Set([options.host, "localhost", "127.0.0.1", "::1", ...options.allowedHosts].map((h) => h.toLowerCase()));
    this.cookieName = `parley_${options.port}`;
  }

  /** Why a request is refused before anything else of it is read; undefined if it is allowed. `isPage`: it only requests the page's own files. */
  refuse(request: IncomingMessage, isPage: boolean): string | undefined {
    const { headers } = request;
    const twice = repeatedHeader(request, ["host", "origin"]);
    if (twice !== undefined) return `the header ${twice} occurs twice`;
    const host = headers.host ?? "";
    if (!this.isOwnHost(host)) return "the Host is not this manager's";
    const { origin } = headers;
    if (origin !== undefined && origin !== `${this.#options.secure ? "https" : "http"}://${host}`)
      return "the Origin is not this manager's page";
    // A link on another site may open the page, but no other site may call the API. Another port of this host is "same-site".
    const site = headers["sec-fetch-site"];
    return (site === "cross-site" || site === "same-site") && !isPage ? "the request comes from another site" : undefined;
  }

  /** The caller, or why it is unknown. A token in the URL is never read: it would end up in logs and histories. */
  caller(request: IncomingMessage): Caller | Problem | undefined {
    const { headers } = request;
    if (repeatedHeader(request, ["authorization"]) !== undefined) return undefined;
    const token = /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
    if (token !== undefined) return this.#access.bearer(token);
    if (headers.authorization !== undefined) return undefined;
    return this.#access.page(pageKeyOf(request), cookiesIn(headers.cookie ?? "", this.cookieName));
  }

  setCookie(token: string): string {
    return `${this.cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000${this.#options.secure ? "; Secure" : ""}`;
  }
  dropCookie(): string {
    return `${this.cookieName}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0${this.#options.secure ? "; Secure" : ""}`;
  }

  /** After DNS rebinding, a foreign page still sends its own host name, so names are refused unless listed. */
  isOwnHost(header: string): boolean {
    const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::\d+)?$/.exec(header) ?? [];
    const host = (bracketed ?? plain ?? "").toLowerCase();
    const everywhere = this.#options.host === "0.0.0.0" || this.#options.host === "::";
    return this.#own.has(host) || (everywhere && isIP(host) !== 0);
  }
}

function cookiesIn(header: string, name: string): string[] {
  return header.split(";").flatMap((part) => {
    const at = part.indexOf("=");
    return at !== -1 && part.slice(0, at).trim() === name ? [part.slice(at + 1).trim()] : [];
  });
}

/** The websocket subprotocol of the event stream; browsers can send a key with it, and no other header. */
export const streamProtocol = "parley.stream";
const keyProtocol = "parley.key.";

function pageKeyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers["x-parley-key"];
  if (typeof key === "string") return key;
  const offered = (headers["sec-websocket-protocol"] ?? "").split(",").map((protocol) => protocol.trim());
  return offered.find((protocol) => protocol.startsWith(keyProtocol))?.slice(keyProtocol.length);
}

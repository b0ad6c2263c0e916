/** One request and its response, whatever carries them: what the pool needs of a direct connection, and of Node's own client behind a proxy. */
import type { ResponseEvents } from "./response-reader.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The idle timeout. Waiting for the consumer does not count. */
  readonly idleMs: number;
}

export class HttpFailure extends Error {
  /** settings: they lead nowhere, so trying again is no use. connect: never sent. request: sent, no response. body: the response broke off. idle: nothing arrived for too long. */
  readonly phase: "settings" | "connect" | "request" | "body" | "idle";
  constructor(phase: HttpFailure["phase"], message: string, cause?: unknown) {
    super(message, { cause });
    this.phase = phase;
  }
}

export interface ExchangeEvents extends ResponseEvents {
  connected(): void;
  /** `isStale`: a kept connection turned out to be closed, which says nothing about the server. Not called after `ended`. */
  failed(error: Error, isStale: boolean): void;
}

/** A response that is under way. */
export interface Exchange {
  pause(): void;
  resume(): void;
  /** Gives the connection up, unless the response is over. Nothing is reported after that. */
  destroy(): void;
}

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** A line end would begin another header. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** They say how the very connection is used. */
const ownHeaders: ReadonlySet<string> = new Set(["connection", "content-length", "transfer-encoding"]);

/** Throws for a header that cannot be sent. */
export function checkHeaders(headers: HttpRequest["headers"]): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!headerName.test(name) || !headerValue.test(value)) throw unsendable(name, "has a character that no header may have");
    if (ownHeaders.has(name.toLowerCase())) throw unsendable(name, "is decided by the connection");
  }
}

const unsendable = (name: string, why: string): HttpFailure =>
  new HttpFailure("settings", `the header ${JSON.stringify(name)} ${why}; take it out of the provider's http_headers or env_http_headers`);

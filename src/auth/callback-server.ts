/** A local HTTP server that the browser is redirected to at the end of a sign-in. Accepts one valid request, then closes. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toError } from "../lib/error-text.ts";
import { requestTarget } from "../lib/request-target.ts";
import { isCode } from "../lib/system-error.ts";

export interface CallbackOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly path: string;
  /** The state parameter we sent with the browser; a request without it is rejected. */
  readonly state: string;
  /** Redeems the code; throws an Error with a message for the user. */
  readonly redeem: (code: string, query: URLSearchParams) => Promise<void>;
}

export interface Callback {
  readonly port: number;
  /** Rejects with an Error whose message is for the user; also when `signal` aborts. */
  readonly done: Promise<void>;
}

const notCompleted = "Login was not completed";
/** Only one request matters; all others must not use many resources. */
const limits = { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 10_000, connectionsCheckingInterval: 2000 };
const maxConnections = 64;

/** Throws an Error with a message for the user if the local address cannot be opened. */
export async function openCallback(options: CallbackOptions, signal: AbortSignal): Promise<Callback> {
  const { createServer } = await import("node:http");
  const server = createServer(limits);
  server.maxConnections = maxConnections;
  const port = await listen(server, options.port, signal);
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  done.catch(() => {}); // later awaiters still get the error
  const finish = (error?: Error): void => {
    server.close();
    server.closeIdleConnections();
    if (error === undefined) resolve();
    else reject(error);
  };
  signal.addEventListener("abort", () => finish(new Error(notCompleted)), { once: true });
  let redeeming: Promise<Answer> | undefined;
  /** A code can be redeemed only once: a reload in the meantime gets the response of the first request. */
  const redeemOnce = (query: URLSearchParams): Promise<Answer> => {
    redeeming ??= redeem(query, options);
    return redeeming;
  };
  server.on("request", (request, response) => {
    answer(request, options, redeemOnce).then(
      ({ page, ended }) => {
        send(response, page);
        if (ended !== undefined) setImmediate(finish, ended === "well" ? undefined : ended);
      },
      () => send(response, { status: 500, title: "Something went wrong", text: "Start signing in again." }),
    );
  });
  server.on("error", () => undefined); // a connection that could not be accepted; the sign-in keeps waiting for the next one
  return { port, done };
}

interface Page {
  readonly status: number;
  readonly title: string;
  readonly text: string;
}
interface Answer {
  readonly page: Page;
  readonly ended?: "well" | Error;
}

/** Protects against DNS rebinding: a page on a foreign host name that resolves to this machine sends its own Host header, and may send no header that identifies a browser. */
const isOwnHost = (host: string | undefined): boolean => /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/i.test(host ?? "");

async function answer(
  request: IncomingMessage,
  { path, state }: CallbackOptions,
  redeemOnce: (query: URLSearchParams) => Promise<Answer>,
): Promise<Answer> {
  const { path: visited, query } = requestTarget(request.url);
  // Programs that wait on the same registered port use this request to ask each other to give up; pages in a browser cannot send it.
  if (
    request.method === "GET" &&
    visited === "/cancel" &&
    isOwnHost(request.headers.host) &&
    request.headers.origin === undefined &&
    request.headers["sec-fetch-mode"] === undefined
  )
    return { page: { status: 200, title: "Cancelled", text: "Signing in was cancelled." }, ended: new Error(notCompleted) };
  if (request.method !== "GET" || visited !== path) return { page: { status: 404, title: "Not found", text: "There is nothing here." } };
  if (!sameText(query.get("state") ?? "", state))
    return { page: { status: 400, title: "State does not match", text: "Start signing in again." } };
  return await redeemOnce(query);
}

async function redeem(query: URLSearchParams, options: CallbackOptions): Promise<Answer> {
  try {
    const refused = query.get("error_description") ?? query.get("error");
    const code = query.get("code");
    if (refused !== null) throw new Error(refused);
    if (code === null) throw new Error("the browser came back without a code");
    await options.redeem(code, query);
    return { page: { status: 200, title: "Signed in", text: "You may close this window." }, ended: "well" };
  } catch (error) {
    const reason = toError(error);
    return { page: { status: 400, title: "Not signed in", text: reason.message }, ended: reason };
  }
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

function send(response: ServerResponse, { status, title, text }: Page): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><body style="font:16px system-ui;margin:4rem auto;max-width:30rem"><h1>${escaped(title)}</h1><p>${escaped(text)}</p></body></html>\n`,
  );
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const tries = 5;
const pauseMs = 200;

async function listen(server: Server, port: number, signal: AbortSignal): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(port, "127.0.0.1", () => {
          server.off("error", reject);
          resolve();
        });
      });
      const address = server.address();
      return isAddress(address) ? address.port : port;
    } catch (error) {
      const busy = isCode(error, "EADDRINUSE");
      if (!busy || attempt === tries)
        throw new Error(
          `cannot wait for the browser on port ${port}: ${busy ? "another program uses it; end that program and try again" : String(error)}`,
        );
      await fetch(`http://127.0.0.1:${port}/cancel`, { signal: AbortSignal.any([signal, AbortSignal.timeout(1000)]) }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      signal.throwIfAborted();
    }
  }
}

const isAddress = (address: AddressInfo | string | null): address is AddressInfo => typeof address === "object" && address !== null;

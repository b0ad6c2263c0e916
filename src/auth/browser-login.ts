/** Signs in through the user's browser: waits on a local address for the maker to send the browser back with a code. */
import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Tokens } from "./auth-data.ts";
import { authorizeUrl, createPkce, createState, exchangeCode, type Issuer } from "./oauth.ts";

export interface BrowserLoginOptions {
  readonly issuer: Issuer;
  /** The port registered with the maker; 0 takes any, for makers that allow it. */
  readonly port: number;
  readonly originator: string;
  readonly workspaces: readonly string[];
  /** Looks at the tokens before the browser is told of success; throws Error with a text for the user to refuse them. */
  readonly accept: (tokens: Tokens) => Promise<void>;
}

export interface BrowserLogin {
  readonly authUrl: string;
  /** Rejects with an Error whose text is for the user. Settles when `signal` aborts. */
  readonly done: Promise<void>;
}

const callbackPath = "/auth/callback";

/** Throws Error with a text for the user when the local address cannot be had. */
export async function startBrowserLogin(options: BrowserLoginOptions, signal: AbortSignal): Promise<BrowserLogin> {
  const { createServer } = await import("node:http");
  const pkce = createPkce();
  const state = createState();
  const server = createServer();
  const port = await listen(server, options.port, signal);
  const redirectUri = `http://localhost:${port}${callbackPath}`;
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const finish = (error?: Error): void => {
    server.close();
    server.closeIdleConnections();
    if (error === undefined) resolve();
    else reject(error);
  };
  signal.addEventListener("abort", () => finish(new Error("Login was not completed")), { once: true });
  done.catch(() => {});
  server.on("request", (request, response) => {
    void answer(
      request,
      response,
      async (query) => {
        if (!sameText(query.get("state") ?? "", state)) return page(400, "State does not match", "Start signing in again.");
        const refused = query.get("error_description") ?? query.get("error");
        const code = query.get("code");
        try {
          if (refused !== null) throw new Error(refused);
          if (code === null) throw new Error("the browser came back without a code");
          await options.accept(await exchangeCode(options.issuer, { code, redirectUri, verifier: pkce.verifier }, signal));
          setImmediate(finish);
          return page(200, "Signed in", "You may close this window.");
        } catch (error) {
          const reason = error instanceof Error ? error : new Error(String(error));
          setImmediate(finish, reason);
          return page(400, "Not signed in", reason.message);
        }
      },
      () => finish(new Error("Login was not completed")),
    );
  });
  const { originator, workspaces } = options;
  return { authUrl: authorizeUrl(options.issuer, { redirectUri, pkce, state, originator, workspaces }), done };
}

interface Page {
  readonly status: number;
  readonly html: string;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  onCallback: (query: URLSearchParams) => Promise<Page>,
  onCancel: () => void,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const send = ({ status, html }: Page): void => {
    response.writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      connection: "close",
    });
    response.end(html);
  };
  if (request.method === "GET" && url.pathname === callbackPath) return send(await onCallback(url.searchParams));
  if (request.method === "GET" && url.pathname === "/cancel" && request.headers.origin === undefined) {
    send(page(200, "Cancelled", "Signing in was cancelled."));
    setImmediate(onCancel);
    return;
  }
  send(page(404, "Not found", "There is nothing here."));
}

const listenTries = 5;
const listenPauseMs = 200;

/** A sign-in of another program may hold the port; it is asked to give up, as those programs ask each other. */
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
      const busy = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
      if (!busy || attempt === listenTries)
        throw new Error(
          `cannot wait for the browser on port ${port}: ${busy ? "another program uses it; end that program and try again" : String(error)}`,
        );
      await fetch(`http://127.0.0.1:${port}/cancel`, { signal: AbortSignal.any([signal, AbortSignal.timeout(1000)]) }).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, listenPauseMs));
      signal.throwIfAborted();
    }
  }
}

const isAddress = (address: AddressInfo | string | null): address is AddressInfo => typeof address === "object" && address !== null;

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
const page = (status: number, title: string, words: string): Page => ({
  status,
  html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><body style="font:16px system-ui;margin:4rem auto;max-width:30rem"><h1>${escaped(title)}</h1><p>${escaped(words)}</p></body></html>\n`,
});

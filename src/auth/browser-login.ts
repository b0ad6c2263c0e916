/** Signs in to the account's issuer through the user's browser. */
import type { Tokens } from "./auth-data.ts";
import { openCallback } from "./callback-server.ts";
import { authorizeUrl, createPkce, createState, exchangeCode, type Issuer } from "./oauth.ts";

export interface BrowserLoginOptions {
  readonly issuer: Issuer;
  /** The port registered with the issuer; 0 picks any free port, for issuers that allow it. */
  readonly port: number;
  readonly originator: string;
  readonly workspaces: readonly string[];
  /** Checks the tokens before the browser shows success; throws an Error with a message for the user to reject them. */
  readonly accept: (tokens: Tokens) => Promise<void>;
}

export interface BrowserLogin {
  readonly authUrl: string;
  /** Rejects with an Error whose message is for the user; also when `signal` aborts. */
  readonly done: Promise<void>;
}

const path = "/auth/callback";

/** Throws an Error with a message for the user if the local address cannot be opened. */
export async function startBrowserLogin(options: BrowserLoginOptions, signal: AbortSignal): Promise<BrowserLogin> {
  const { issuer, accept, originator, workspaces } = options;
  const pkce = createPkce();
  const state = createState();
  const redirect = (port: number): string => `http://localhost:${port}${path}`;
  const callback = await openCallback(
    {
      port: options.port,
      path,
      state,
      redeem: async (code) =>
        accept(await exchangeCode(issuer, { code, redirectUri: redirect(callback.port), verifier: pkce.verifier }, signal)),
    },
    signal,
  );
  const authUrl = authorizeUrl(issuer, { redirectUri: redirect(callback.port), pkce, state, originator, workspaces });
  return { authUrl, done: callback.done };
}

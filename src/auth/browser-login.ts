/** Signs in to the account's maker through the user's browser. */
import type { Tokens } from "./auth-data.ts";
import { openCallback } from "./callback-server.ts";
import { authorizeUrl, createPkce, createState, exchangeCode, type Issuer } from "./oauth.ts";

export interface BrowserLoginOptions {
  readonly issuer: Issuer;
  /** The port registered with the maker; 0 takes any, for makers that allow it. */
  readonly port: number;
  readonly originator: string;
  readonly workspaces: readonly string[];
  /** Looks at the tokens before the browser shows success; throws Error with a text for the user to refuse them. */
  readonly accept: (tokens: Tokens) => Promise<void>;
}

export interface BrowserLogin {
  readonly authUrl: string;
  /** Rejects with an Error whose text is for the user; also when `signal` aborts. */
  readonly done: Promise<void>;
}

const path = "/auth/callback";

/** Throws Error with a text for the user when the local address cannot be had. */
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

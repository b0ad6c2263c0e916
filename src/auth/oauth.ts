/** Requests to the account's issuer: exchanging a code, refreshing and revoking tokens, and signing in with a device code. */
import { createHash, randomBytes } from "node:crypto";
import { parseJson } from "../lib/parse-json.ts";
import { type Lazy, maybe, named, number, object, parse, type Schema, string, union } from "../lib/schema.ts";
import type { Tokens } from "./auth-data.ts";

export interface Issuer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly clientId: string;
}

/** Why the issuer refused. `code` is its own error code if it sent one. */
export class OAuthRefusal extends Error {
  readonly status: number;
  readonly code: string | undefined;
  constructor(message: string, status: number, code: string | undefined) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}
export function createPkce(): Pkce {
  const verifier = randomBytes(64).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}
export const createState = (): string => randomBytes(32).toString("base64url");

export interface AuthorizeOptions {
  readonly redirectUri: string;
  readonly pkce: Pkce;
  readonly state: string;
  /** The name of the requesting program, for the issuer's records. */
  readonly originator: string;
  readonly workspaces: readonly string[];
}

export function authorizeUrl(issuer: Issuer, options: AuthorizeOptions): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: issuer.clientId,
    redirect_uri: options.redirectUri,
    scope: "openid profile email offline_access",
    code_challenge: options.pkce.challenge,
    code_challenge_method: "S256",
    id_token_add_organizations: "true",
    codex_cli_simplified_flow: "true",
    state: options.state,
    originator: options.originator,
  });
  if (options.workspaces.length > 0) query.set("allowed_workspace_id", options.workspaces.join(","));
  return `${issuer.url}/oauth/authorize?${query}`;
}

const TokenAnswer = named("TokenAnswer", () => object({ id_token: string(), access_token: string(), refresh_token: string() }));
const RefreshAnswer = named("RefreshAnswer", () =>
  object({ id_token: maybe(string()), access_token: maybe(string()), refresh_token: maybe(string()) }),
);

export async function exchangeCode(
  issuer: Issuer,
  grant: { readonly code: string; readonly redirectUri: string; readonly verifier: string },
  signal: AbortSignal,
): Promise<Tokens> {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code: grant.code,
    redirect_uri: grant.redirectUri,
    client_id: issuer.clientId,
    code_verifier: grant.verifier,
  });
  return post(`${issuer.url}/oauth/token`, form, TokenAnswer, signal);
}

/** Values missing from the response stay unchanged. */
export async function refreshTokens(issuer: Issuer, old: Tokens, signal: AbortSignal): Promise<Tokens> {
  const body = { client_id: issuer.clientId, grant_type: "refresh_token", refresh_token: old.refresh_token, scope: "openid profile email" };
  const fresh = await post(`${issuer.url}/oauth/token`, body, RefreshAnswer, signal);
  return {
    id_token: fresh.id_token ?? old.id_token,
    access_token: fresh.access_token ?? old.access_token,
    refresh_token: fresh.refresh_token ?? old.refresh_token,
  };
}

export async function revokeToken(issuer: Issuer, refreshToken: string, signal: AbortSignal): Promise<void> {
  const body = { token: refreshToken, token_type_hint: "refresh_token", client_id: issuer.clientId };
  await post(`${issuer.url}/oauth/revoke`, body, Anything, signal);
}

const Anything = named("Anything", () => object({}));
const DeviceCode = named("DeviceCodeAnswer", () =>
  object({
    device_auth_id: string(),
    user_code: maybe(string()),
    usercode: maybe(string()),
    interval: maybe(union([number(), string()])),
  }),
);
const DeviceGrant = named("DeviceGrantAnswer", () => object({ authorization_code: string(), code_verifier: string() }));

export interface DeviceLogin {
  readonly deviceAuthId: string;
  readonly userCode: string;
  readonly verificationUrl: string;
  readonly intervalMs: number;
}

export async function startDeviceLogin(issuer: Issuer, signal: AbortSignal): Promise<DeviceLogin> {
  const url = `${issuer.url}/api/accounts/deviceauth/usercode`;
  const answer = await post(url, { client_id: issuer.clientId }, DeviceCode, signal).catch((error: unknown) => {
    throw error instanceof OAuthRefusal && error.status === 404 ? new OAuthRefusal(noDeviceCodes, error.status, error.code) : error;
  });
  const seconds = Number(answer.interval ?? 5);
  return {
    deviceAuthId: answer.device_auth_id,
    userCode: answer.user_code ?? answer.usercode ?? "",
    verificationUrl: `${issuer.url}/codex/device`,
    intervalMs: Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), 60) * 1000 : 5000,
  };
}

const noDeviceCodes = "device code login is not enabled for this server; use the browser login, or check the address of the issuer";

/** Undefined while the user has not yet entered the code. */
export async function pollDeviceLogin(issuer: Issuer, login: DeviceLogin, signal: AbortSignal): Promise<Tokens | undefined> {
  const body = { device_auth_id: login.deviceAuthId, user_code: login.userCode };
  try {
    const grant = await post(`${issuer.url}/api/accounts/deviceauth/token`, body, DeviceGrant, signal);
    const redirectUri = `${issuer.url}/deviceauth/callback`;
    return await exchangeCode(issuer, { code: grant.authorization_code, verifier: grant.code_verifier, redirectUri }, signal);
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    if (error.status === 403 || error.status === 404) return undefined;
    throw new OAuthRefusal(`device auth failed with status ${error.status}: ${error.message}`, error.status, error.code);
  }
}

async function post<S extends Schema>(
  url: string,
  body: URLSearchParams | object,
  shape: Lazy<S>,
  signal: AbortSignal,
): Promise<S["~type"]> {
  const isForm = body instanceof URLSearchParams;
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json", accept: "application/json" },
    body: isForm ? body.toString() : JSON.stringify(body),
    redirect: "error",
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw refusalFrom(response.status, text);
  const answer = parse(shape, text === "" ? {} : parseJson(text));
  if (answer === undefined)
    throw new OAuthRefusal("the account's issuer sent a response that cannot be parsed", response.status, undefined);
  return answer;
}

const Refusal = named("OAuthRefusalBody", () =>
  object({
    error: maybe(union([string(), object({ code: maybe(string()), message: maybe(string()) })])),
    error_description: maybe(string()),
    code: maybe(string()),
  }),
);

/** Reports the issuer's error without repeating what we sent. */
function refusalFrom(status: number, text: string): OAuthRefusal {
  const body = parse(Refusal, parseJson(text));
  const { error } = body ?? {};
  const code = (typeof error === "string" ? error : error?.code) ?? body?.code ?? undefined;
  const message = body?.error_description ?? (typeof error === "string" ? error : error?.message);
  return new OAuthRefusal(message ?? `the account's issuer responded with status ${status}`, status, code);
}

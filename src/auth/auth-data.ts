/** The account data, in the format of auth.json that every program sharing this home reads and writes. */
import { type Infer, maybe, named, object, parse, string } from "../lib/schema.ts";

export const AuthData = named("AuthData", () =>
  object({
    auth_mode: maybe(string()),
    OPENAI_API_KEY: maybe(string()),
    tokens: maybe(object({ id_token: string(), access_token: string(), refresh_token: string(), account_id: maybe(string()) })),
    bedrock_api_key: maybe(object({ api_key: string(), region: string() })),
    /** ISO time. */
    last_refresh: maybe(string()),
  }),
);
/** Unknown keys are preserved, because other programs may need them. */
export type AuthData = Infer<typeof AuthData> & { readonly [other: string]: unknown };

export interface Tokens {
  readonly id_token: string;
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Undefined if the value does not have this shape. */
export const authDataFrom = (value: unknown): AuthData | undefined => {
  const found = parse(AuthData, value);
  return found === undefined ? undefined : { ...found };
};

export type SignedIn =
  | { readonly kind: "apiKey"; readonly key: string }
  | { readonly kind: "chatgpt"; readonly tokens: NonNullable<AuthData["tokens"]>; readonly lastRefresh: number | undefined };

/** Older files do not contain the mode: tokens take precedence over a key, because a sign-in may have left both. */
export function signedInBy(data: AuthData | undefined): SignedIn | undefined {
  if (data === undefined) return undefined;
  const key = data.OPENAI_API_KEY ?? undefined;
  if (key !== undefined && key !== "" && (data.auth_mode === "apikey" || !data.tokens)) return { kind: "apiKey", key };
  if (!data.tokens) return undefined;
  const at = Date.parse(data.last_refresh ?? "");
  return { kind: "chatgpt", tokens: data.tokens, lastRefresh: Number.isNaN(at) ? undefined : at };
}

export const withApiKey = (before: AuthData | undefined, key: string): AuthData => {
  return { ...withoutAccount(before), auth_mode: "apikey", OPENAI_API_KEY: key };
};

export const withBedrock = (before: AuthData | undefined, key: string, region: string): AuthData => ({
  ...withoutAccount(before),
  auth_mode: "bedrockApiKey",
  OPENAI_API_KEY: null,
  bedrock_api_key: { api_key: key, region },
});

function withoutAccount(before: AuthData | undefined): AuthData {
  const { tokens: _tokens, last_refresh: _refresh, bedrock_api_key: _bedrock, ...rest } = before ?? {};
  return rest;
}

export const withTokens = (before: AuthData | undefined, tokens: Tokens, accountId: string | undefined, now: number): AuthData => ({
  ...withoutAccount(before),
  auth_mode: "chatgpt",
  OPENAI_API_KEY: null,
  tokens: { ...tokens, account_id: accountId ?? null },
  last_refresh: new Date(now).toISOString(),
});

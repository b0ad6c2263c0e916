/** Reads the claims of a token. The signature is not verified: the token came from its issuer, and the claims are only displayed, never trusted. */
import { maybe, named, natural, object, parse, string } from "../lib/schema.ts";
import { type PlanType, planTypeFrom } from "../protocol/account.ts";

const Claims = named("TokenClaims", () =>
  object({
    email: maybe(string()),
    exp: maybe(natural()),
    "https://api.openai.com/profile": maybe(object({ email: maybe(string()) })),
    "https://api.openai.com/auth": maybe(
      object({ chatgpt_plan_type: maybe(string()), chatgpt_account_id: maybe(string()), chatgpt_user_id: maybe(string()) }),
    ),
  }),
);

export interface TokenOwner {
  readonly email: string | undefined;
  readonly plan: PlanType | undefined;
  readonly accountId: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
}

/** Empty for a token that is not a JWT. */
export function ownerOf(token: string): TokenOwner {
  const claims = parse(Claims, payloadOf(token));
  const auth = claims?.["https://api.openai.com/auth"] ?? undefined;
  return {
    email: claims?.email ?? claims?.["https://api.openai.com/profile"]?.email ?? undefined,
    plan: auth?.chatgpt_plan_type === undefined || auth.chatgpt_plan_type === null ? undefined : planTypeFrom(auth.chatgpt_plan_type),
    accountId: auth?.chatgpt_account_id ?? undefined,
    expiresAt: claims?.exp === undefined || claims.exp === null ? undefined : claims.exp * 1000,
  };
}

function payloadOf(token: string): unknown {
  const [, payload] = token.split(".");
  if (payload === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

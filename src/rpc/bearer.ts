/** Bearer token checks for websockets, by digest and in constant time. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Returns why a token is refused; undefined if it is accepted. The text is for the log and never contains the token. */
export type CheckToken = (token: string) => string | undefined;

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();

/** One fixed secret, stored only as its SHA-256 digest. */
export function capabilityToken(digest: Buffer): CheckToken {
  return (token) => (timingSafeEqual(sha256(token), digest) ? undefined : "the token does not match");
}

export const digestOfToken = (token: string): Buffer => sha256(token);

export interface SignedTokenRules {
  readonly secret: Buffer;
  readonly issuer: string | undefined;
  readonly audience: string | undefined;
  readonly maxClockSkewSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A JWT signed with HS256 and a shared secret. `exp` is required; `iss` and `aud` are checked if the rules name them. */
export function signedBearerToken(rules: SignedTokenRules): CheckToken {
  return (token) => {
    const [head, body, signature, ...more] = token.split(".");
    if (head === undefined || body === undefined || signature === undefined || more.length > 0) return "the token is no signed token";
    const expected = createHmac("sha256", rules.secret).update(`${head}.${body}`).digest();
    const given = Buffer.from(signature, "base64url");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "the signature does not match";
    if (decode(head)?.["alg"] !== "HS256") return "the algorithm is not HS256";
    const claims = decode(body);
    return claims === undefined ? "the claims are no JSON object" : refuseClaims(claims, rules);
  };
}

function refuseClaims(claims: Record<string, unknown>, rules: SignedTokenRules): string | undefined {
  const now = rules.now() / 1000;
  const skew = rules.maxClockSkewSeconds;
  const { exp, nbf, iss, aud } = claims;
  if (typeof exp !== "number") return "exp is missing";
  if (exp + skew <= now) return "the token has expired";
  if (nbf !== undefined && !(typeof nbf === "number" && nbf - skew <= now)) return "the token is not valid yet";
  if (rules.issuer !== undefined && iss !== rules.issuer) return "the issuer is another";
  if (rules.audience !== undefined && !(Array.isArray(aud) ? aud : [aud]).includes(rules.audience)) return "the audience is another";
  return undefined;
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

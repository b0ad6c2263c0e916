import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { capabilityToken, digestOfToken, signedBearerToken } from "./bearer.ts";

const secret = Buffer.from("s".repeat(32));
const now = 1_800_000_000;
const rules = { secret, issuer: "me", audience: "parley", maxClockSkewSeconds: 30, now: () => now * 1000 };
const check = signedBearerToken(rules);
const good = { exp: now + 60, iss: "me", aud: "parley" };

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
function sign(claims: unknown, head: unknown = { alg: "HS256", typ: "JWT" }, key: Buffer = secret): string {
  const text = `${part(head)}.${part(claims)}`;
  return `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
}

test("a capability token must match exactly", () => {
  const token = capabilityToken(digestOfToken("open sesame"));
  assert.equal(token("open sesame"), undefined);
  for (const wrong of ["", "open", "open sesame ", "Open sesame", "open sesam\u00e9"]) assert.match(token(wrong) ?? "", /does not match/);
});

test("a capability token is compared by its digest, whatever is sent", () => {
  const token = "k".repeat(64);
  const check = capabilityToken(digestOfToken(token));
  // Digests of equal length are compared as a whole; comparing the texts would take time depending on the common prefix, and throw if the lengths differ.
  for (const wrong of [
    "",
    "k",
    token.slice(1),
    `${token}k`,
    `${token.slice(1)}x`,
    `x${token.slice(1)}`,
    "\u{1f511}".repeat(40),
    "k".repeat(1_000_000),
  ])
    assert.match(check(wrong) ?? "let in", /does not match/);
  assert.equal(check(token), undefined);
  assert.equal(digestOfToken("x").length, digestOfToken(token).length);
});

test("a signed token is accepted if signature, time, issuer and audience match", () => {
  assert.equal(check(sign(good)), undefined);
  assert.equal(check(sign({ ...good, aud: ["other", "parley"], nbf: now - 5 })), undefined);
  assert.equal(check(sign({ ...good, exp: now - 29 })), undefined, "within the clock skew");
  assert.equal(signedBearerToken({ ...rules, issuer: undefined, audience: undefined })(sign({ exp: now + 1 })), undefined);
});

for (const [name, token, why] of [
  ["other secret", sign(good, undefined, Buffer.from("x".repeat(32))), /signature/],
  ["no algorithm", `${part({ alg: "none" })}.${part(good)}.`, /signature/],
  ["another algorithm, well signed", sign(good, { alg: "HS512" }), /HS256/],
  ["changed claims", sign(good).replace(/\.[^.]+\./, `.${part({ ...good, exp: now + 9999 })}.`), /signature/],
  ["no exp", sign({ iss: "me", aud: "parley" }), /exp is missing/],
  ["exp as text", sign({ ...good, exp: "2999-01-01" }), /exp is missing/],
  ["expired", sign({ ...good, exp: now - 30 }), /expired/],
  ["not yet", sign({ ...good, nbf: now + 31 }), /not valid yet/],
  ["other issuer", sign({ ...good, iss: "you" }), /issuer/],
  ["no issuer", sign({ exp: good.exp, aud: good.aud }), /issuer/],
  ["other audience", sign({ ...good, aud: "codex" }), /audience/],
  ["claims are a list", sign([1, 2]), /no JSON object/],
  ["two parts", "a.b", /no signed token/],
  ["four parts", `${sign(good)}.x`, /no signed token/],
  ["empty", "", /no signed token/],
] as const)
  test(`a signed token is refused: ${name}`, () => assert.match(check(token) ?? "let in", why));

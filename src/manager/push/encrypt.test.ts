import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { authorization, encrypted, maxPlainBytes, type PushKey, publicKeyOf } from "./encrypt.ts";

/** The example in section 5 of RFC 8291. */
const example = {
  plain: "When I grow up, I want to be a watermelon",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  privateKey: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

test("a message is encrypted as in the example of the RFC", () => {
  const bytes = (text: string): Buffer => Buffer.from(text, "base64url");
  const body = encrypted(Buffer.from(example.plain), example, { salt: bytes(example.salt), privateKey: bytes(example.privateKey) });
  assert.equal(body.toString("base64url"), example.body);
});

test("each message has its own salt and key, the largest fits what services take, and a larger one is refused", () => {
  const largest = Buffer.alloc(maxPlainBytes, "x");
  const [one, two] = [encrypted(largest, example), encrypted(largest, example)];
  assert.equal(one.length, 4096);
  assert.notDeepEqual(one.subarray(0, 86), two.subarray(0, 86));
  assert.throws(() => encrypted(Buffer.alloc(maxPlainBytes + 1), example), RangeError);
});

test("the signature names the service, ends within a day and fits the public key that browsers get", () => {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }) as PushKey;
  const now = Date.parse("2026-01-01T00:00:00Z");
  const [, token = "", k] = /^vapid t=([^,]+), k=(\S+)$/.exec(authorization("https://push.example/send/abc", key, now)) ?? [];
  assert.equal(k, publicKeyOf(key));
  const [head = "", claims = "", signature = ""] = token.split(".");
  const { d: _, ...open } = key;
  const publicKey = createPublicKey({ key: open, format: "jwk" });
  const signed = Buffer.from(`${head}.${claims}`);
  assert.ok(verify("sha256", signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url")));
  const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString());
  assert.equal(aud, "https://push.example");
  assert.ok(exp > now / 1000 && exp <= now / 1000 + 24 * 60 * 60);
});

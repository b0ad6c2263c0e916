import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isSecretName, redactor, redactValue } from "./redact.ts";

const clean = redactor({ ACME_API_KEY: "an odd key 42!", HOME: "/home/someone", PIN_TOKEN: "short" });

for (const [text, secret] of [
  ["Authorization: Bearer abc.def-123", "abc.def-123"],
  ["authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["401 for sk-proj-abcdefghijkl_mnop", "sk-proj-abcdefghijkl_mnop"],
  ["sk-ant-api03-AbCdEfGhIjKlMnOp", "api03-AbCdEfGhIjKlMnOp"],
  ["key AIzaSyA-1234567890abcdefghijk", "SyA-1234567890abcdefghijk"],
  ["ghp_0123456789abcdefABCD", "0123456789abcdefABCD"],
  ["AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"],
  ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "eyJzdWIiOiIxIn0"],
  ["https://user:hunter22@proxy.example:8080/x", "hunter22"],
  ['{"access_token":"abcdefgh","x":1}', "abcdefgh"],
  ["password=correcthorse&next=1", "correcthorse"],
  ["http://127.0.0.1:1455/auth/callback?code=abc123&state=xyz", "abc123"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "MIIE"],
  ["the key is an odd key 42! indeed", "an odd key 42!"],
] as const)
  test(`nothing is left of the secret in: ${text.slice(0, 40).replaceAll("\n", " ")}`, () => {
    const shown = clean(text);
    assert.ok(shown.includes("***") && !shown.includes(secret), shown);
  });

test("a secret that was taken out of the environment before the first text is still one", () => {
  const env: Record<string, string> = { PARLEY_FLEET: "postgres://user:hunter22-and-more@host/db" };
  const hide = redactor(env);
  delete env["PARLEY_FLEET"];
  assert.equal(hide("refused: hunter22-and-more"), "refused: ***");
});

for (const text of [
  "turn failed after 3 tokens",
  "opened /home/someone/project/task-list.ts",
  "listening on ws://127.0.0.1:4500",
  "the token is missing",
  "short",
  "model gpt-6.1-sol, input_tokens: 1200",
  "rollout-2026-01-01T00-00-00-019a0000-0000-7000-8000-000000000000.jsonl",
])
  test(`harmless text stays: ${text}`, () => assert.equal(clean(text), text));

test("names of secrets are recognized, names of counts are not", () => {
  for (const name of ["OPENAI_API_KEY", "apiKey", "access_token", "Authorization", "cookie", "client_secret", "password", "AWS_SECRET"])
    assert.ok(isSecretName(name), name);
  for (const name of ["totalTokens", "input_tokens", "tokenUsage", "path", "sortKey", "keyboard", "tokens_per_day", "env_key"])
    assert.ok(!isSecretName(name), name);
});

test("values with secret names are removed, whatever they look like, and the rest keeps its shape", () => {
  const value = { url: "https://x/", headers: { authorization: "x", accept: "json" }, list: [{ apiKey: "k", n: 1 }], token: null };
  assert.deepEqual(redactValue(value, clean), {
    url: "https://x/",
    headers: { authorization: "***", accept: "json" },
    list: [{ apiKey: "***", n: 1 }],
    token: null,
  });
});

test("a password in an address of the environment is removed from any text", () => {
  const hide = redactor({ DATABASE: "postgres://user:odd%20pass-7781@host/db", PATH: "/usr/bin" });
  assert.equal(hide("odd%20pass-7781, odd pass-7781, postgres://user:x@host/db"), "***, ***, postgres://***@host/db");
});

test("a secret of the environment is removed from any text", () => {
  const secret = "q7!zK-unusual_value";
  const hide = redactor({ MY_TOKEN: secret });
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      assert.ok(!hide(before + secret + after).includes(secret));
    }),
  );
});

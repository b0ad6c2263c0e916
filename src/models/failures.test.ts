import assert from "node:assert/strict";
import { test } from "node:test";
import { failureFromEvent, failureFromStatus } from "./failures.ts";

test("an error inside a stream has the provider's message, and one without a message says so", () => {
  const message = (body: unknown): string => failureFromEvent(JSON.stringify(body)).message;
  assert.match(message({ error: { message: "too busy" } }), /too busy$/);
  assert.match(message({ detail: { odd: "shape" } }), /odd/);
  for (const empty of [{}, { error: {} }, { error: null }]) assert.match(message(empty), /the provider gave no reason$/);
});

test("a request classified as an attack fails at once, with the provider's message", () => {
  const body = JSON.stringify({ error: { code: "cyber_policy", message: "flagged" } });
  assert.deepEqual(failureFromEvent(body), { kind: "cyberPolicy", message: "flagged", retry: false });
  const { kind, retry } = failureFromStatus({ status: 400, statusText: "", headers: {}, body, url: "http://x" });
  assert.deepEqual([kind, retry], ["cyberPolicy", false]);
});

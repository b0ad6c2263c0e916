import assert from "node:assert/strict";
import { test } from "node:test";
import { randomBytes, randomUuid, timedUuid } from "./random.ts";

test("returns as many bytes as requested, and different ones each time", () => {
  for (const size of [0, 1, 16, 5000]) assert.equal(randomBytes(size).length, size);
  assert.notDeepEqual(randomBytes(16), randomBytes(16));
  const seen = new Set(randomBytes(5000));
  assert.ok(seen.size > 250, `only ${seen.size} of 256 values in 5,000 bytes`);
});

test("ids contain their version and variant", () => {
  for (let i = 0; i < 200; i++) {
    assert.match(randomUuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(timedUuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.equal(new Set(Array.from({ length: 1000 }, randomUuid)).size, 1000);
});

test("a version 7 id contains its time and sorts by it", () => {
  const at = Date.UTC(2026, 10, 15, 12, 0, 0, 123);
  assert.equal(Number.parseInt(timedUuid(at).replaceAll("-", "").slice(0, 12), 16), at);
  assert.ok(timedUuid(at) < timedUuid(at + 1));
});
